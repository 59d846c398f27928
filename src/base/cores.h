/* The cores that a thread may use, and the one that it is on, where the system tells. */
#ifndef DECANT_BASE_CORES_H
#define DECANT_BASE_CORES_H

typedef struct decant__cores {
    unsigned long bits[1024 / (8 * sizeof(unsigned long))]; /* as in Linux's cpu_set_t */
    int count;                                              /* 0: not known */
} decant__cores;

/* How many this process may use; at least 1. */
int decant__cores_count(void);

/* Those that the calling thread may use. */
decant__cores decant__cores_allowed(void);

/* The core that the calling thread is on; -1: not known. */
int decant__cores_here(void);

void decant__cores_remove(decant__cores *cores, int core);

/* Lets the calling thread use these only. 0: it cannot be done, or there are none. */
int decant__cores_use(const decant__cores *cores);

#endif
