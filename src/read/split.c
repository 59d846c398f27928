#include "read/split.h"

#include <string.h>

#include "base/memory.h"
#include "table/record.h"

enum { SMALLEST = 1 << 12, LARGEST = 1 << 20, BLOCKS = 256 }; /* bytes; blocks of a medium file */

/* FRESH: nothing of the record so far; RETURN: the same after a CR, which is perhaps that of CRLF.
 */
enum { FRESH, RETURN, BEGIN, PLAIN, QUOTED, CLOSED, COMMENT };
enum { COUNTED = 0x80 }; /* the row begins */

/* ---- the automaton ---- */

static int is_blank(int c) { return c == ' ' || c == '\t'; }

static int inside(const decant__row_rules *rules, int state, int c) {
    int separator = (unsigned char)rules->separator;
    if (state == QUOTED) return c == '"' ? CLOSED : QUOTED;
    if (c == '\n') return FRESH;
    if (state == COMMENT || separator == 0) return state == COMMENT ? COMMENT : PLAIN;
    if (c == '"' && state != PLAIN) return QUOTED;
    if (c == separator || (separator == DECANT__BLANKS && is_blank(c))) return BEGIN;
    return PLAIN;
}

static int at_beginning(const decant__row_rules *rules, int state, int c) {
    if (c == '\n') return rules->empty ? FRESH | COUNTED : FRESH;
    if (c == '\r' && state == FRESH && !rules->empty) return RETURN;
    if (rules->indented && is_blank(c) && state == FRESH) return FRESH;
    if (rules->comment != 0 && c == rules->comment && state == FRESH) return COMMENT;
    return inside(rules, state == RETURN ? PLAIN : BEGIN, c) | COUNTED;
}

static void make_automaton(const decant__row_rules *rules, decant__split *split) {
    for (int state = 0; state < DECANT__SPLIT_STATES; state++)
        for (int c = 0; c < 256; c++)
            split->next[state][c] = (uint8_t)(state <= RETURN ? at_beginning(rules, state, c)
                                                              : inside(rules, state, c));
}

typedef struct trace {
    int state;
    uint64_t rows;
} trace;

static void step(const decant__split *split, trace *t, char c) {
    uint8_t next = split->next[t->state][(unsigned char)c];
    t->rows += next >> 7;
    t->state = next & 0x7f;
}

/* Follows bytes to their end. Without quotes the rest of a line says nothing. */
static void follow(const decant__split *split, trace *t, const char *p, const char *end) {
    int quotes = memchr(p, '"', (size_t)(end - p)) != NULL;
    while (p < end) {
        const char *line = t->state > RETURN && t->state != QUOTED && !quotes
                               ? memchr(p, '\n', (size_t)(end - p))
                               : NULL;
        if (line != NULL) p = line;
        step(split, t, *p++);
    }
}

/* What a block makes of each state that it could begin in. Two that meet are one from there on. */
static void follow_all(const decant__split *split, const char *p, const char *end,
                       trace out[DECANT__SPLIT_STATES]) {
    int same_as[DECANT__SPLIT_STATES], alive = DECANT__SPLIT_STATES;
    uint64_t more[DECANT__SPLIT_STATES] = {0}; /* rows than those of the one that it met */
    for (int s = 0; s < DECANT__SPLIT_STATES; s++) out[s] = (trace){.state = same_as[s] = s};
    for (; p < end && alive > 1; p++) {
        if (alive == 2 && memchr(p, '"', (size_t)(end - p)) == NULL) break;
        for (int s = 0; s < DECANT__SPLIT_STATES; s++)
            if (same_as[s] == s) step(split, &out[s], *p);
        for (int s = 1; s < DECANT__SPLIT_STATES; s++)
            for (int t = 0; t < s && same_as[s] == s; t++) {
                if (same_as[t] != t || out[t].state != out[s].state) continue;
                more[s] = out[s].rows - out[t].rows; /* may wrap, and back */
                same_as[s] = t;
                alive--;
            }
    }
    for (int s = 0; s < DECANT__SPLIT_STATES; s++)
        if (same_as[s] == s) follow(split, &out[s], p, end);
    for (int s = 0; s < DECANT__SPLIT_STATES; s++)
        if (same_as[s] != s) /* it met one before it, which is done */
            out[s] = (trace){out[same_as[s]].state, out[same_as[s]].rows + more[s]};
}

static uint64_t count_lines(const char *p, const char *end) {
    uint64_t lines = 0;
    for (; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++) lines++;
    return lines;
}

/* ---- all blocks ---- */

/* What the rank that has read a block tells the others. */
typedef struct finding {
    trace trace[DECANT__SPLIT_STATES];
    uint64_t lines;
} finding;

static void look_at(const decant__split *split, const char *bytes, size_t count, finding *found) {
    follow_all(split, bytes, bytes + count, found->trace);
    found->lines = count_lines(bytes, bytes + count);
}

/* Blocks of a file whose size is known, each by one rank. */
static decant_status scan_together(const decant__split *split, decant__input *input, uint64_t begin,
                                   size_t block, const decant__comm *comm, size_t blocks,
                                   finding *found) {
    decant_status status = DECANT_OK;
    size_t bytes[DECANT__MAX_RANKS + 1], got;
    char *buffer = NULL;
    for (int r = 0; r <= comm->size; r++) bytes[r] = blocks * (size_t)r / (size_t)comm->size;
    NEW_ARRAY(buffer, block);
    if (bytes[comm->rank] < bytes[comm->rank + 1])
        TRY(decant__input_go(input, begin + bytes[comm->rank] * block));
    for (size_t b = bytes[comm->rank]; b < bytes[comm->rank + 1]; b++) {
        TRY(decant__input_read(input, buffer, block, &got));
        look_at(split, buffer, got, &found[b]);
    }
done:
    decant__free(buffer);
    status = decant__comm_agree(comm, status);
    for (int r = 0; r <= comm->size; r++) bytes[r] *= sizeof *found;
    if (status == DECANT_OK) decant__comm_gather(comm, found, bytes);
    return status;
}

/* A size that is not known: to the end, by every rank. */
static decant_status scan_alone(const decant__split *split, decant__input *input, uint64_t begin,
                                finding **out, size_t *blocks, uint64_t *end) {
    decant_status status = DECANT_OK;
    size_t capacity = 0, got = LARGEST;
    char *buffer = NULL;
    *blocks = 0;
    *end = begin;
    NEW_ARRAY(buffer, (size_t)LARGEST);
    TRY(decant__input_go(input, begin));
    while (got == LARGEST) {
        TRY(decant__input_read(input, buffer, LARGEST, &got));
        if (*blocks == capacity) {
            capacity = 2 * capacity + 64;
            finding *grown = decant__realloc_array(*out, capacity, sizeof *grown);
            if (grown == NULL) TRY(DECANT_ENOMEM);
            *out = grown;
        }
        look_at(split, buffer, got, &(*out)[(*blocks)++]);
        *end += got;
    }
done:
    decant__free(buffer);
    return status;
}

static decant_status join(decant__split *split, const finding *found, size_t blocks,
                          const decant__split_block *first, uint64_t block_bytes) {
    decant_status status = DECANT_OK;
    decant__split_block at = *first;
    NEW_ARRAY(split->block, blocks + 1);
    for (size_t b = 0; b < blocks; b++) {
        const trace *t = &found[b].trace[at.state];
        split->block[b] = at;
        at = (decant__split_block){at.row + t->rows, at.line + found[b].lines,
                                   at.offset + block_bytes, t->state};
    }
    split->block[blocks] = at;
    split->count = blocks;
    split->rows = (size_t)at.row;
done:
    return status;
}

decant_status decant__split_new(decant__split *split, decant__input *input, uint64_t begin,
                                size_t line, const decant__row_rules *rules,
                                const decant__comm *comm) {
    decant_status status = DECANT_OK;
    finding *found = NULL;
    size_t blocks, block = LARGEST;
    *split = (decant__split){0};
    make_automaton(rules, split);
    if (input->exact) {
        uint64_t size = input->max_bytes > begin ? input->max_bytes - begin : 0;
        split->end = begin + size;
        while (block > SMALLEST && size / block < BLOCKS) block /= 2;
        blocks = (size_t)((size + block - 1) / block);
        NEW_ZEROED(found, blocks + 1);
    }
    if (input->exact)
        TRY(scan_together(split, input, begin, block, comm, blocks, found));
    else
        TRY(scan_alone(split, input, begin, &found, &blocks, &split->end));
    const decant__split_block first = {.line = line, .offset = begin, .state = FRESH};
    TRY(join(split, found, blocks, &first, block));
    /* a last line that is one CR is a cell, unless line ends are taken off first */
    if (split->block[blocks].state == RETURN && rules->separator != 0) split->rows++;
done:
    decant__free(found);
    return status;
}

void decant__split_free(decant__split *split) {
    decant__free(split->block);
    *split = (decant__split){0};
}

/* ---- one row ---- */

/* The last block with so many rows before it or fewer: the row begins in it. */
static const decant__split_block *find_block(const decant__split *split, size_t row) {
    size_t low = 0, high = split->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (split->block[middle].row <= row)
            low = middle;
        else
            high = middle;
    }
    return &split->block[low];
}

decant_status decant__split_find(const decant__split *split, decant__input *input, size_t row,
                                 decant__row_place *place) {
    decant_status status = DECANT_OK;
    const decant__split_block *block = find_block(split, row);
    trace t = {block->state, block->row};
    uint64_t at = block->offset, line = block->line;
    const char *bytes;
    size_t count;
    *place = (decant__row_place){split->end, (size_t)split->block[split->count].line};
    if (row >= split->rows) return DECANT_OK;
    /* the CR in front of the block is a part of the row */
    *place = (decant__row_place){at - (t.state == RETURN), (size_t)line};
    TRY(decant__input_go(input, at));
    for (;;) {
        TRY(decant__input_peek(input, SMALLEST, &bytes, &count));
        if (count == 0) return DECANT_OK;
        for (size_t i = 0; i < count; i++) {
            step(split, &t, bytes[i]);
            if (t.rows > row) return DECANT_OK;
            line += bytes[i] == '\n';
            if (t.state == FRESH && bytes[i] == '\n')
                *place = (decant__row_place){at + i + 1, (size_t)line};
        }
        decant__input_skip(input, count);
        at += count;
    }
done:
    return status;
}
