/* What documents are about: the relevance file of RCV1-v2, lines "TOPIC DOCUMENT 1".
 *
 * The paper keeps the documents with exactly one of the four roots of the tree of topics, and takes
 * the root for the class. */
#ifndef DECANT_DATA_TOPICS_H
#define DECANT_DATA_TOPICS_H

#include "base/status.h"

enum { DECANT__ROOTS = 4 };

/* CCAT, GCAT, MCAT, ECAT: the classes in the authors' order. */
extern const char *const decant__root_name[DECANT__ROOTS];

/* Zero-initialise. */
typedef struct decant__topics {
    uint8_t *roots; /* of each document: a bit for each root, and whether it is listed at all */
    size_t capacity;
    size_t listed; /* documents with any topic */
} decant__topics;

decant_status decant__topics_read(decant__topics *topics, const char *path);

/* The only root of a document; -1: it has none or several; -2: it is not in the file. */
int decant__topics_root(const decant__topics *topics, uint64_t document);
void decant__topics_free(decant__topics *topics);

#endif
