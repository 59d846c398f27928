/* A frame whose rows several ranks (base/comm.h) have read, each its own.
 *
 * The frame of a rank has chunks for all rows, but cells in its own only. While a column is looked
 * at as a whole, it is lent the cells of the other ranks: so what is found is what one process
 * would find, and a rank needs memory for its own rows and for a column or two of all. */
#ifndef DECANT_TABLE_FRAME_RANKS_H
#define DECANT_TABLE_FRAME_RANKS_H

#include "base/comm.h"
#include "table/frame.h"

/* All ranks, after each has read its rows, which follow those of the rank before. */
decant_status decant__frame_spread(decant__frame *frame, const decant__comm *comm);

/* All ranks: the cells of a column, and its words, numbered as in one process. Until returned.
 * A rank may fail where others do not: the caller agrees. */
decant_status decant__frame_lend(decant__frame *frame, size_t column, const decant__comm *comm);
void decant__frame_return(decant__frame *frame, size_t column);

#endif
