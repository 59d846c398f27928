/* Stands in for read_hdf5.c where libhdf5 is missing. */
#include "read/reader.h"

decant_status decant__hdf5_open(decant__input *input, const decant__reader_options *options,
                                decant__reader **out) {
    (void)options, (void)out;
    return decant__fail(DECANT_EFORMAT,
                        "%s: is an HDF5 file, but this decant was built without libhdf5; "
                        "python -c \"import h5py, numpy; numpy.save('x.npy', "
                        "h5py.File('FILE')['NAME'])\" converts one dataset",
                        input->path);
}
