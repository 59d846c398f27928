/* A user's program: k-means on two heaps of points, which no method can get wrong. It sets the
 * locale of its user first, as programs with a window do. */
#include <decant/decant.h>
#include <locale.h>
#include <stdio.h>

#define N 40

int main(void) {
    float x[N][2];
    setlocale(LC_ALL, "");
    for (int i = 0; i < N; i++) {
        x[i][0] = (float)(i % 2 * 100) + (float)(i % 5);
        x[i][1] = (float)(i % 3);
    }
    decant_dataset *data = NULL;
    decant_result *result = NULL;
    decant_options options;
    decant_options_init(&options, sizeof options);
    options.k = 2;
    options.method = DECANT_METHOD_KMEANS;
    if (decant_dataset_from_dense(&x[0][0], DECANT_FLOAT32, N, 2, 0, &data) != DECANT_OK ||
        decant_fit(data, &options, NULL, &result) != DECANT_OK) {
        fprintf(stderr, "%s\n", decant_last_error());
        decant_dataset_free(data);
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += result->labels[i] != result->labels[i % 2];
    printf("decant %s: %d wrong\n", decant_version(), wrong);
    wrong += result->labels[0] == result->labels[1];
    decant_result_free(result);
    decant_dataset_free(data);
    return wrong != 0;
}
