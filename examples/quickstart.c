// Clusters the rows of a file: quickstart [FILE]
#include <stdio.h>

#include "decant/decant.h"

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/digits/digits.npy";
    decant_dataset *data = NULL;
    decant_result *result = NULL;
    decant_options options;

    decant_options_init(&options, sizeof options);
    options.k = 10;
    options.finetune_iterations = 100;  // a short training: this is a first look
    options.max_iterations = 100;
    if (decant_dataset_read(&path, 1, NULL, NULL, &data) != DECANT_OK ||
        decant_fit(data, &options, NULL, &result) != DECANT_OK) {
        fprintf(stderr, "quickstart: error: %s\n", decant_last_error());
        decant_dataset_free(data);
        return 1;
    }
    printf("%zu rows of %zu numbers, %zu clusters\n", result->n, result->d, result->k);
    for (size_t i = 0; i < 5 && i < result->n; i++)
        printf("row %zu: cluster %d, confidence %.2f\n", i, (int)result->labels[i],
               (double)result->confidence[i]);

    decant_result_free(result);
    decant_dataset_free(data);
    return 0;
}
