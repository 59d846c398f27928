/* A counter; threads wait until it changes. */
#ifndef DECANT_BASE_GATE_H
#define DECANT_BASE_GATE_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct decant__gate {
    atomic_uint value;
    atomic_int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} decant__gate;

/* Leaves the value as it is. */
void decant__gate_init(decant__gate *gate);

/* Changes the value, by 1 or to another one. Only one thread at a time. */
void decant__gate_open(decant__gate *gate);
void decant__gate_set(decant__gate *gate, unsigned value);

/* Waits until the value is not `old`: spins for a while, if it is worth it, and then sleeps. */
void decant__gate_wait(decant__gate *gate, unsigned old, int spins);

/* The two parts of it. spin returns whether the value has changed. */
int decant__gate_spin(decant__gate *gate, unsigned old);
void decant__gate_sleep(decant__gate *gate, unsigned old);

#endif
