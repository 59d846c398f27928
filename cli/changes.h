/* What changed between an earlier run and one that started from it. */
#ifndef DECANT_CLI_CHANGES_H
#define DECANT_CLI_CHANGES_H

/* Prints how many rows stayed, moved, are new or gone, and which clusters grew, shrank, appeared or
 * died. by_id: rows have ids; without, only the sizes can be compared. 0, or an exit code after an
 * error message. */
int print_changes(const char *before, const char *after, int by_id);

#endif
