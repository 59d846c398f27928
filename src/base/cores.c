#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity and others */
#endif
#include "base/cores.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__

decant__cores decant__cores_allowed(void) {
    decant__cores cores = {.count = 0};
    cpu_set_t set;
    _Static_assert(sizeof set <= sizeof cores.bits, "a cpu_set_t has room");
    if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
    memcpy(cores.bits, &set, sizeof set);
    cores.count = CPU_COUNT(&set);
    return cores;
}

int decant__cores_here(void) { return sched_getcpu(); }

void decant__cores_remove(decant__cores *cores, int core) {
    cpu_set_t set;
    memcpy(&set, cores->bits, sizeof set);
    if (core < 0 || !CPU_ISSET((size_t)core, &set)) return;
    CPU_CLR((size_t)core, &set);
    memcpy(cores->bits, &set, sizeof set);
    cores->count--;
}

int decant__cores_use(const decant__cores *cores) {
    cpu_set_t set;
    memcpy(&set, cores->bits, sizeof set);
    return cores->count > 0 && sched_setaffinity(0, sizeof set, &set) == 0;
}

#else

decant__cores decant__cores_allowed(void) { return (decant__cores){.count = 0}; }
int decant__cores_here(void) { return -1; }
void decant__cores_remove(decant__cores *cores, int core) { (void)cores, (void)core; }
int decant__cores_use(const decant__cores *cores) { return cores->count > 0; }

#endif

int decant__cores_count(void) {
    int allowed = decant__cores_allowed().count;
    long online = allowed > 0 ? allowed : sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}
