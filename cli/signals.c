#include "signals.h"

#include <signal.h>
#include <unistd.h>

#include "args.h"

static volatile sig_atomic_t stop_requested, pipe_closed;

static void note_stop(int number) {
    (void)number;
    if (stop_requested) _exit(EXIT_INTERRUPTED);
    stop_requested = 1;
}

static void note_pipe(int number) {
    (void)number;
    pipe_closed = 1;
}

/* A signal that was ignored when the program started stays ignored. */
static void handle(int number, void (*handler)(int)) {
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&new.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &new, NULL);
}

void signals_watch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) handle(numbers[i], note_stop);
}

int signals_stop(void) { return stop_requested; }

void signals_watch_output(void) {
    handle(SIGPIPE, note_pipe);
    signal(SIGXFSZ, SIG_IGN);
}

int signals_pipe_closed(void) { return pipe_closed; }

void signals_end_by_pipe(void) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

decant_monitor signals_monitor(void) {
    signals_watch();
    return (decant_monitor){.struct_size = sizeof(decant_monitor), .progress = stop_on_signal};
}

int stop_on_signal(const decant_progress *report, void *user) {
    (void)report, (void)user;
    return signals_stop();
}
