#include "signals.h"

#include <signal.h>
#include <unistd.h>

#include "args.h"

static volatile sig_atomic_t arrived;

static void note(int number) {
    (void)number;
    if (arrived) _exit(EXIT_INTERRUPTED);
    arrived = 1;
}

void signals_watch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old, new = {.sa_handler = note, .sa_flags = SA_RESTART};
        sigemptyset(&new.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &new, NULL);
    }
}

int signals_stop(void) { return arrived; }
