#include "read/hdf5_file.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "features/names.h"

enum {
    RATIO = 1100,          /* above the max ratio of deflate, also with its chunks' headers */
    CHUNK_CACHE = 1 << 26, /* bytes: rows of one chunk are read in several pieces */
    CHUNK_SLOTS = 12421,
    LONGEST_TEXT = 1 << 16
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static H5E_auto2_t saved_printer;
static void *saved_data;

/* libhdf5 prints its errors unless it is told not to; the program's own choice is put back. */
static void enter(void) {
    pthread_mutex_lock(&mutex);
    H5Eget_auto2(H5E_DEFAULT, &saved_printer, &saved_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void leave(void) {
    H5Eset_auto2(H5E_DEFAULT, saved_printer, saved_data);
    pthread_mutex_unlock(&mutex);
}

/* ---- errors ---- */

static herr_t first_description(unsigned n, const H5E_error2_t *error, void *user) {
    char *text = user;
    if (n == 0 && error->desc != NULL) snprintf(text, 128, "%.120s", error->desc);
    return 0;
}

static decant_status fail_locked(const char *path, const char *name, const char *what) {
    char why[128] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_description, why);
    H5Eclear2(H5E_DEFAULT);
    for (char *c = why; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e) *c = '?';
    return decant__fail(DECANT_EFORMAT, "%s: %s%s%s%s%s", path, name != NULL ? name : "",
                        name != NULL ? ": " : "", what, why[0] ? ": libhdf5 says: " : "", why);
}

decant_status decant__h5_fail(const char *path, const char *name, const char *what) {
    return decant__fail(DECANT_EFORMAT, "%s: %s: %s", path, name, what);
}

/* ---- the file ---- */

decant_status decant__h5_open(decant__input *input, hid_t *file) {
    char path[64], name[PATH_MAX];
    decant_status status = decant__input_spool_named(input, name, sizeof name);
    if (status != DECANT_OK) return status;
    snprintf(path, sizeof path, "/dev/fd/%d", input->descriptor);
    enter();
    *file = H5Fopen(name[0] != '\0' ? name : path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (name[0] != '\0') unlink(name);
    if (*file < 0) status = fail_locked(input->path, NULL, "is no HDF5 file that can be read");
    leave();
    return status;
}

void decant__h5_close(hid_t file) {
    enter();
    if (file >= 0) H5Fclose(file);
    leave();
}

/* Every folder on the way must be there: H5Lexists fails where one is missing. */
static int has_locked(hid_t file, const char *name) {
    char part[512];
    size_t length = strlen(name);
    if (length == 0 || length >= sizeof part) return 0;
    for (size_t i = 1; i <= length; i++) {
        if (name[i] != '/' && name[i] != '\0') continue;
        memcpy(part, name, i);
        part[i] = '\0';
        if (strcmp(part, "/") != 0 && H5Lexists(file, part, H5P_DEFAULT) <= 0) return 0;
    }
    return H5Oexists_by_name(file, name, H5P_DEFAULT) > 0;
}

int decant__h5_has(hid_t file, const char *name) {
    enter();
    int found = has_locked(file, name);
    leave();
    return found;
}

static H5I_type_t type_locked(hid_t file, const char *name) {
    hid_t object = has_locked(file, name) ? H5Oopen(file, name, H5P_DEFAULT) : -1;
    H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
    if (object >= 0) H5Oclose(object);
    return type;
}

int decant__h5_is_group(hid_t file, const char *name) {
    enter();
    int found = type_locked(file, name) == H5I_GROUP;
    leave();
    return found;
}

/* ---- attributes ---- */

static int read_text_locked(hid_t attribute, char *text, size_t size) {
    int done = 0;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    hid_t memory = H5Tcopy(H5T_C_S1);
    if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1) {
        H5Tset_cset(memory, H5Tget_cset(type));
        if (H5Tis_variable_str(type) > 0) {
            char *value = NULL;
            H5Tset_size(memory, H5T_VARIABLE);
            if (H5Aread(attribute, memory, &value) >= 0 && value != NULL) {
                done = strlen(value) < size;
                snprintf(text, size, "%s", value);
                H5free_memory(value);
            }
        } else if (H5Tget_size(type) < size) {
            H5Tset_size(memory, size);
            memset(text, 0, size);
            done = H5Aread(attribute, memory, text) >= 0;
            text[size - 1] = '\0';
        }
    }
    H5Tclose(memory);
    H5Sclose(space);
    H5Tclose(type);
    return done;
}

int decant__h5_attribute(hid_t file, const char *name, const char *attribute, char *text,
                         size_t size) {
    int found = 0;
    enter();
    if (has_locked(file, name) && H5Aexists_by_name(file, name, attribute, H5P_DEFAULT) > 0) {
        hid_t id = H5Aopen_by_name(file, name, attribute, H5P_DEFAULT, H5P_DEFAULT);
        if (id >= 0) {
            found = read_text_locked(id, text, size);
            H5Aclose(id);
        }
    }
    H5Eclear2(H5E_DEFAULT);
    leave();
    return found;
}

int decant__h5_shape(hid_t file, const char *name, const char *attribute, uint64_t shape[2]) {
    int found = 0;
    enter();
    if (has_locked(file, name) && H5Aexists_by_name(file, name, attribute, H5P_DEFAULT) > 0) {
        hid_t id = H5Aopen_by_name(file, name, attribute, H5P_DEFAULT, H5P_DEFAULT);
        hid_t space = id >= 0 ? H5Aget_space(id) : -1;
        hid_t type = id >= 0 ? H5Aget_type(id) : -1;
        if (space >= 0 && H5Sget_simple_extent_npoints(space) == 2 &&
            H5Tget_class(type) == H5T_INTEGER)
            found = H5Aread(id, H5T_NATIVE_UINT64, shape) >= 0;
        if (type >= 0) H5Tclose(type);
        if (space >= 0) H5Sclose(space);
        if (id >= 0) H5Aclose(id);
    }
    H5Eclear2(H5E_DEFAULT);
    leave();
    return found;
}

/* ---- arrays ---- */

/* A shape can be claimed without numbers behind it. */
static decant_status check_storage(const decant__h5_array *array, size_t size) {
    hsize_t stored = H5Dget_storage_size(array->id);
    double wanted = (double)array->d * (double)size;
    if (array->dimensions > 0) wanted *= (double)array->size[0];
    if (wanted <= (double)stored * RATIO + LONGEST_TEXT) return DECANT_OK;
    return fail_locked(array->path, array->name, "promises more numbers than the file holds");
}

/* Chunks larger than what the dataset can ever hold are damage. libhdf5 unpacks what is there, and
 * the rest of such a chunk is whatever was in memory. */
static int has_sane_chunks(hid_t id, hid_t space, int dimensions) {
    hsize_t chunk[DECANT__H5_DIMENSIONS], most[DECANT__H5_DIMENSIONS];
    int sane = 1;
    hid_t made = H5Dget_create_plist(id);
    if (made < 0) return 0;
    if (dimensions < 1 || dimensions > DECANT__H5_DIMENSIONS)
        dimensions = 0; /* refused elsewhere */
    else if (H5Pget_layout(made) == H5D_CHUNKED)
        sane = H5Pget_chunk(made, dimensions, chunk) == dimensions &&
               H5Sget_simple_extent_dims(space, NULL, most) == dimensions;
    else
        dimensions = 0;
    for (int i = 0; sane && i < dimensions; i++)
        sane = most[i] == H5S_UNLIMITED || chunk[i] <= most[i];
    H5Pclose(made);
    return sane;
}

static decant_status open_locked(hid_t file, decant__h5_array *out) {
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (type_locked(file, out->name) != H5I_DATASET) {
        H5Pclose(access);
        return fail_locked(out->path, out->name, "is no dataset of this file");
    }
    H5Pset_chunk_cache(access, CHUNK_SLOTS, CHUNK_CACHE, 1.0);
    out->id = H5Dopen2(file, out->name, access);
    H5Pclose(access);
    if (out->id < 0) return fail_locked(out->path, out->name, "cannot be opened");
    hid_t space = H5Dget_space(out->id), type = H5Dget_type(out->id);
    int dimensions = H5Sget_simple_extent_ndims(space);
    size_t size = H5Tget_size(type);
    out->type = H5Tget_class(type);
    if (dimensions > 0 && dimensions <= DECANT__H5_DIMENSIONS)
        H5Sget_simple_extent_dims(space, out->size, NULL);
    int sane = has_sane_chunks(out->id, space, dimensions);
    H5Sclose(space);
    H5Tclose(type);
    if (!sane)
        return fail_locked(out->path, out->name, "is damaged: its chunks have no valid size");
    if (dimensions < 0 || dimensions > DECANT__H5_DIMENSIONS)
        return fail_locked(out->path, out->name, "has no shape that is read");
    out->dimensions = (size_t)dimensions;
    out->d = 1;
    for (size_t i = 1; i < out->dimensions; i++) {
        if (out->size[i] > 0 && out->d > DECANT__MAX_COLUMNS / out->size[i])
            return fail_locked(out->path, out->name, "has too many columns");
        out->d *= out->size[i];
    }
    if (out->dimensions > 0 && out->size[0] > DECANT__MAX_ROWS && out->d > 0)
        return fail_locked(out->path, out->name, "has too many rows");
    return check_storage(out, size);
}

decant_status decant__h5_array_open(hid_t file, const char *path, const char *name,
                                    decant__h5_array *out) {
    *out = (decant__h5_array){.id = -1, .path = path, .name = name};
    enter();
    decant_status status = open_locked(file, out);
    leave();
    if (status != DECANT_OK) decant__h5_array_close(out);
    return status;
}

void decant__h5_array_close(decant__h5_array *array) {
    if (array->id < 0 || array->path == NULL) return;
    enter();
    H5Dclose(array->id);
    leave();
    *array = (decant__h5_array){.id = -1};
}

/* Rows first .. first+count-1 as a memory type. */
static decant_status read_locked(const decant__h5_array *array, size_t first, size_t count,
                                 hid_t memory, void *out) {
    hsize_t begin[DECANT__H5_DIMENSIONS] = {first}, size[DECANT__H5_DIMENSIONS];
    hsize_t total = count * array->d;
    memcpy(size, array->size, sizeof size);
    size[0] = count;
    hid_t space = H5Dget_space(array->id), flat = H5Screate_simple(1, &total, NULL);
    int failed = space < 0 || flat < 0 ||
                 H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, size, NULL) < 0 ||
                 H5Dread(array->id, memory, flat, space, H5P_DEFAULT, out) < 0;
    decant_status status =
        failed ? fail_locked(array->path, array->name, "cannot be read") : DECANT_OK;
    if (space >= 0) H5Sclose(space);
    if (flat >= 0) H5Sclose(flat);
    return status;
}

decant_status decant__h5_read_floats(const decant__h5_array *array, size_t first, size_t count,
                                     float *out) {
    if (count == 0) return DECANT_OK;
    if (array->type != H5T_INTEGER && array->type != H5T_FLOAT)
        return decant__h5_fail(array->path, array->name, "expected numbers");
    enter();
    decant_status status = read_locked(array, first, count, H5T_NATIVE_FLOAT, out);
    leave();
    return status;
}

decant_status decant__h5_read_integers(const decant__h5_array *array, size_t first, size_t count,
                                       uint64_t *out) {
    if (count == 0) return DECANT_OK;
    if (array->type != H5T_INTEGER || array->dimensions != 1)
        return decant__h5_fail(array->path, array->name, "expected one dimension of whole numbers");
    enter();
    decant_status status = read_locked(array, first, count, H5T_NATIVE_INT64, out);
    leave();
    for (size_t i = 0; status == DECANT_OK && i < count; i++)
        if (out[i] > INT64_MAX)
            status = decant__h5_fail(array->path, array->name, "expected whole numbers from 0 on");
    return status;
}

/* ---- what is in a file ---- */

static herr_t add_array(hid_t file, const char *name, const H5O_info_t *info, void *user) {
    decant__h5_list *list = user;
    if (info->type != H5O_TYPE_DATASET) return 0;
    hid_t array = H5Dopen2(file, name, H5P_DEFAULT), type = array >= 0 ? H5Dget_type(array) : -1;
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    if (type >= 0) H5Tclose(type);
    if (array >= 0) H5Dclose(array);
    if (class != H5T_INTEGER && class != H5T_FLOAT) return 0;
    if (list->count == sizeof list->name / sizeof *list->name) return 1;
    list->name[list->count] = decant__copy_text(name);
    if (list->name[list->count] != NULL) list->count++;
    return 0;
}

void decant__h5_list_arrays(hid_t file, decant__h5_list *list) {
    *list = (decant__h5_list){0};
    enter();
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, add_array, list, H5O_INFO_BASIC);
    H5Eclear2(H5E_DEFAULT);
    leave();
}

/* ---- columns ---- */

/* Strings of any length, which libhdf5 allocates. */
static decant_status read_variable(const decant__h5_array *array, size_t first, size_t count,
                                   hid_t memory, char ***cells) {
    decant_status status = DECANT_OK;
    char **text = NULL;
    const char **shown = NULL;
    hsize_t total = count;
    hid_t space = H5Screate_simple(1, &total, NULL);
    NEW_ZEROED(text, count);
    NEW_ZEROED(shown, count);
    H5Tset_size(memory, H5T_VARIABLE);
    status = read_locked(array, first, count, memory, text);
    for (size_t i = 0; i < count; i++) shown[i] = text[i] != NULL ? text[i] : "";
    if (status == DECANT_OK) status = decant__names_join(shown, count, cells);
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, text);
done:
    if (space >= 0) H5Sclose(space);
    decant__free(text);
    decant__free(shown);
    return status;
}

/* Strings of one length, padded with zeros or blanks. */
static decant_status read_fixed(const decant__h5_array *array, size_t first, size_t count,
                                size_t size, hid_t memory, char ***cells) {
    decant_status status = DECANT_OK;
    char *bytes = NULL;
    const char **shown = NULL;
    if (size > LONGEST_TEXT) return fail_locked(array->path, array->name, "has too long texts");
    NEW_ZEROED(bytes, count * (size + 1));
    NEW_ZEROED(shown, count);
    H5Tset_size(memory, size + 1);
    TRY(read_locked(array, first, count, memory, bytes));
    for (size_t i = 0; i < count; i++) shown[i] = bytes + i * (size + 1);
    TRY(decant__names_join(shown, count, cells));
done:
    decant__free(bytes);
    decant__free(shown);
    return status;
}

static decant_status read_texts(const decant__h5_array *array, size_t first, size_t count,
                                char ***cells) {
    hid_t type = H5Dget_type(array->id), memory = H5Tcopy(H5T_C_S1);
    H5Tset_cset(memory, H5Tget_cset(type));
    H5Tset_strpad(memory, H5T_STR_NULLTERM);
    decant_status status = H5Tis_variable_str(type) > 0
                               ? read_variable(array, first, count, memory, cells)
                               : read_fixed(array, first, count, H5Tget_size(type), memory, cells);
    H5Tclose(memory);
    H5Tclose(type);
    return status;
}

/* Numbers, and truth values, which h5py stores as an enumeration of one byte. */
static decant_status read_numbers(const decant__h5_array *array, size_t first, size_t count,
                                  char ***cells) {
    enum { WIDTH = 32 };
    decant_status status = DECANT_OK;
    double *value = NULL;
    char *text = NULL;
    const char **shown = NULL;
    hid_t type = H5Dget_type(array->id);
    signed char *truth = NULL;
    NEW_ARRAY(value, count);
    NEW_ARRAY(truth, count);
    NEW_ARRAY(text, count * WIDTH);
    NEW_ARRAY(shown, count);
    if (array->type == H5T_ENUM && H5Tget_size(type) != 1)
        TRY(fail_locked(array->path, array->name, "has values of an unknown type"));
    TRY(array->type == H5T_ENUM ? read_locked(array, first, count, type, truth)
                                : read_locked(array, first, count, H5T_NATIVE_DOUBLE, value));
    for (size_t i = 0; i < count; i++) {
        shown[i] = text + i * WIDTH;
        if (array->type == H5T_ENUM)
            shown[i] = truth[i] != 0 ? "True" : "False";
        else
            decant__number_print(value[i], text + i * WIDTH, WIDTH);
    }
    TRY(decant__names_join(shown, count, cells));
done:
    H5Tclose(type);
    decant__free(value);
    decant__free(truth);
    decant__free(text);
    decant__free(shown);
    return status;
}

static decant_status read_cells(const decant__h5_array *array, size_t first, size_t count,
                                char ***cells) {
    decant_status status;
    enter();
    if (array->type == H5T_STRING)
        status = read_texts(array, first, count, cells);
    else if (array->type == H5T_INTEGER || array->type == H5T_FLOAT || array->type == H5T_ENUM)
        status = read_numbers(array, first, count, cells);
    else
        status = fail_locked(array->path, array->name, "has values of an unknown type");
    leave();
    return status;
}

/* The categories themselves, as an array beside the numbers. */
static decant_status read_categories(hid_t file, const char *path, const char *name,
                                     decant__h5_column *out) {
    decant__h5_array array;
    decant_status status = decant__h5_array_open(file, path, name, &array);
    if (status != DECANT_OK) return status;
    if (array.dimensions != 1)
        status = decant__h5_fail(path, name, "expected a list of categories");
    else
        status = read_cells(&array, 0, (size_t)array.size[0], &out->category);
    if (status == DECANT_OK) out->category_count = (size_t)array.size[0];
    decant__h5_array_close(&array);
    return status;
}

decant_status decant__h5_column_open(hid_t file, const char *path, const char *name,
                                     decant__h5_column *out) {
    decant_status status = DECANT_OK;
    char part[512];
    const char *slash = strrchr(name, '/');
    *out = (decant__h5_column){.array = {.id = -1}};
    if (decant__h5_is_group(file, name)) {
        snprintf(part, sizeof part, "%s/categories", name);
        TRY(read_categories(file, path, part, out));
        snprintf(part, sizeof part, "%s/codes", name);
        TRY(decant__h5_array_open(file, path, part, &out->array));
        out->array.name = "codes";
    } else {
        TRY(decant__h5_array_open(file, path, name, &out->array));
        /* as anndata before 0.8 has it */
        snprintf(part, sizeof part, "%.*s/__categories/%s", (int)(slash != NULL ? slash - name : 0),
                 name, slash != NULL ? slash + 1 : name);
        if (decant__h5_has(file, part)) TRY(read_categories(file, path, part, out));
    }
    if (out->array.dimensions != 1)
        TRY(decant__h5_fail(path, name, "expected a column, with one dimension"));
done:
    if (status != DECANT_OK) decant__h5_column_close(out);
    return status;
}

void decant__h5_column_close(decant__h5_column *column) {
    decant__h5_array_close(&column->array);
    decant__free(column->category);
    *column = (decant__h5_column){.array = {.id = -1}};
}

static decant_status read_codes(const decant__h5_column *column, size_t first, size_t count,
                                char ***cells) {
    decant_status status = DECANT_OK;
    int64_t *code = NULL;
    const char **shown = NULL;
    NEW_ARRAY(code, count);
    NEW_ARRAY(shown, count);
    if (column->array.type != H5T_INTEGER)
        TRY(decant__h5_fail(column->array.path, column->array.name, "expected whole numbers"));
    enter();
    status = read_locked(&column->array, first, count, H5T_NATIVE_INT64, code);
    leave();
    TRY(status);
    for (size_t i = 0; i < count; i++)
        shown[i] = code[i] >= 0 && (uint64_t)code[i] < column->category_count
                       ? column->category[code[i]]
                       : "(missing)";
    TRY(decant__names_join(shown, count, cells));
done:
    decant__free(code);
    decant__free(shown);
    return status;
}

decant_status decant__h5_column_read(const decant__h5_column *column, size_t first, size_t count,
                                     char ***cells) {
    return column->category != NULL ? read_codes(column, first, count, cells)
                                    : read_cells(&column->array, first, count, cells);
}
