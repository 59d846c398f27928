#include "scores.h"

void print_scores(FILE *file, const decant_scores *scores) {
    fprintf(file, "ACC %.4f  NMI %.4f  ARI %.4f  purity %.4f\n", scores->acc, scores->nmi,
            scores->ari, scores->purity);
}

void print_scores_json(FILE *file, const decant_scores *scores) {
    fprintf(file, "  \"acc\": %.15g,\n  \"nmi\": %.15g,\n  \"ari\": %.15g,\n  \"purity\": %.15g",
            scores->acc, scores->nmi, scores->ari, scores->purity);
}

void print_json_text(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}
