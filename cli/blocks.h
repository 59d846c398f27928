/* Data files read block by block: memory does not grow with the number of rows. */
#ifndef DECANT_CLI_BLOCKS_H
#define DECANT_CLI_BLOCKS_H

#include "args.h"

enum { BLOCK_ROWS = 8192 };

/* Processes a block; an exit code other than 0 ends the reading. */
typedef int (*block_fn)(const decant_dataset *block, void *user);

/* Reads all inputs but the first (which names the model, or the kind of features) and passes on
 * their rows, at most BLOCK_ROWS at a time. 0, or an exit code after an error message;
 * EXIT_INTERRUPTED after a signal.
 */
int each_block(const cli_arguments *given, const decant_model *model, block_fn work, void *user);

#endif
