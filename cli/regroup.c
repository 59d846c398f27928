#include "regroup.h"

#include <stdlib.h>

#include "cmd.h"
#include "data_args.h"
#include "run_folder.h"
#include "decant/model.h"

int check_finished(const char *run) {
    if (folder_look(run) == FOLDER_FINISHED) return 0;
    complain("%s: is no folder with a finished run", run);
    return EXIT_FAILED;
}

int read_run_data(const cli_arguments *given, const char *run, const decant_model *model,
                  decant_dataset **out) {
    decant_read_options reading;
    decant_model *own = NULL;
    if (given->data == NULL) {
        decant_status status = decant_run_read_data(run, model, NULL, out);
        if (status == DECANT_OK) return 0;
        complain("%s; --data FILE names the rows", decant_last_error());
        return EXIT_FAILED;
    }
    int code = model == NULL ? load_model(run, &own) : 0;
    if (code == 0) {
        reading = read_options(given);
        decant_model_reading(model != NULL ? model : own, &reading); /* cannot fail */
        code = read_data(given, &given->data, 1, &reading, out);
    }
    decant_model_free(own);
    return code;
}

int write_regrouped(const cli_arguments *given, const char *run, const decant_model *model,
                    const int32_t *to, char **folder) {
    decant_dataset *data = NULL;
    *folder = folder_choose(given);
    if (*folder == NULL) return EXIT_FAILED;
    int code = read_run_data(given, run, NULL, &data);
    if (code == 0) {
        char *command = command_text(given);
        decant_status status = decant_run_regroup(run, *folder, data, model, to, command);
        free(command);
        if (status != DECANT_OK) code = complain_status(status);
    }
    if (code == 0 && !given->no_report) code = write_report(given, *folder, data);
    decant_dataset_free(data);
    return code;
}
