/* A model as an ONNX graph. */
#include <stdio.h>
#include <unistd.h>

#include "blocks.h"
#include "cmd.h"
#include "data_args.h"
#include "output.h"

static int write_bytes(const cli_arguments *given, const void *bytes, size_t count) {
    decant_file *output = NULL;
    int code = output_open(&output, given->output);
    if (code != 0) return code;
    decant_file_put(output, bytes, count);
    return output_end(&output, 0);
}

int cmd_export(const cli_arguments *given) {
    decant_model *model = NULL;
    void *bytes = NULL;
    size_t count = 0;
    if (given->output == NULL && isatty(STDOUT_FILENO))
        return complain_usage("export", "export writes binary data: name a file with -o FILE.onnx");
    int code = check_output(given, given->output);
    if (code == 0) code = check_format("export", given->output, "ONNX");
    if (code == 0) code = load_model(given->inputs[0], &model);
    if (code != 0) return code;
    decant_status status = decant_model_to_onnx(model, &bytes, &count);
    code = status == DECANT_OK ? write_bytes(given, bytes, count) : complain_status(status);
    int begins_after = decant_model_features(model) != NULL || decant_model_table(model) != NULL;
    if (code == 0 && !given->quiet) {
        inform("exported a graph from %zu numbers to %zu clusters", decant_model_columns(model),
               decant_model_clusters(model));
        if (begins_after)
            inform(
                "the graph takes rows after their features: it does not read images, text or "
                "tables");
    }
    decant_bytes_free(bytes);
    decant_model_free(model);
    return code;
}
