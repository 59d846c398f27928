#include "base/gate.h"

#include "base/watch.h"

enum { SPIN_ROUND = 32 /* pauses between two looks at the clock */ };

/* A wait spins this long before it sleeps: longer than most waits at the end of a loop, and much
 * shorter than a time slice of another process that needs the core. */
static const double SPIN_SECONDS = 200e-6;

void decant__gate_init(decant__gate *gate) {
    atomic_store(&gate->sleepers, 0);
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->changed, NULL);
}

void decant__gate_set(decant__gate *gate, unsigned value) {
    atomic_store(&gate->value, value);
    if (atomic_load(&gate->sleepers) == 0) return;
    pthread_mutex_lock(&gate->mutex);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

void decant__gate_open(decant__gate *gate) {
    decant__gate_set(gate, atomic_load(&gate->value) + 1);
}

static void pause_core(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    __asm__ volatile("yield");
#endif
}

int decant__gate_spin(decant__gate *gate, unsigned old) {
    double began = decant__seconds();
    do {
        for (int i = 0; i < SPIN_ROUND; i++) {
            if (atomic_load_explicit(&gate->value, memory_order_acquire) != old) return 1;
            pause_core();
        }
    } while (decant__seconds() - began < SPIN_SECONDS);
    return 0;
}

/* No wakeup is lost: the waiter increments sleepers before it reads the value, and set changes the
 * value before it reads sleepers. */
void decant__gate_sleep(decant__gate *gate, unsigned old) {
    pthread_mutex_lock(&gate->mutex);
    atomic_fetch_add(&gate->sleepers, 1);
    while (atomic_load(&gate->value) == old) pthread_cond_wait(&gate->changed, &gate->mutex);
    atomic_fetch_sub(&gate->sleepers, 1);
    pthread_mutex_unlock(&gate->mutex);
}

void decant__gate_wait(decant__gate *gate, unsigned old, int spins) {
    if (!spins || !decant__gate_spin(gate, old)) decant__gate_sleep(gate, old);
}
