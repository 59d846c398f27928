#include "print_scores.h"

void print_scores(FILE *file, const decant_scores *scores) {
    fprintf(file, "ACC %.4f  NMI %.4f  ARI %.4f  purity %.4f\n", scores->acc, scores->nmi,
            scores->ari, scores->purity);
}
