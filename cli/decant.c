/* decant: the program. */
#include "cmd.h"
#include "signals.h"

int main(int argc, char **argv) {
    int code = program_run(argc, argv);
    if (code == EXIT_PIPE) signals_end_by_pipe();
    return code;
}
