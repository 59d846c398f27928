#include "linalg/shards.h"

size_t decant__shards_part(size_t n, size_t p) {
    size_t longer = n % DECANT__SHARDS;
    return n / DECANT__SHARDS * p + (p < longer ? p : longer);
}

decant__parts decant__shards_parts(int rank, int size) {
    size_t count = DECANT__SHARDS / (size_t)size;
    return (decant__parts){count * (size_t)rank, count};
}

decant__shards decant__shards_even(size_t n) {
    decant__shards shards;
    for (size_t s = 0; s <= DECANT__SHARDS; s++)
        shards.begin[s] = n / DECANT__SHARDS * s + n % DECANT__SHARDS * s / DECANT__SHARDS;
    return shards;
}

/* A tree while its runs are added, from left to right. */
typedef struct builder {
    decant__sum_tree tree;
    size_t shard; /* of the last run */
    unsigned depth;
    size_t split[DECANT__SHARD_LEVELS]; /* of each sum that waits for its right side */
} builder;

/* Shards a < b are on two sides of a node of the tree: the higher it is, the larger a ^ b. */
static size_t node_between(size_t a, size_t b) {
    size_t node = DECANT__SHARDS;
    while (((a ^ b) & node) == 0) node /= 2;
    return node;
}

/* The next run is of shard `next`, to the right: sums below the node between are complete. */
static void split_before(builder *b, size_t next) {
    size_t node = node_between(b->shard, next);
    while (b->depth > 0 && b->split[b->depth - 1] < node) {
        b->depth--;
        b->tree.merges[b->tree.runs - 1]++;
    }
    b->split[b->depth++] = node;
}

static void add_run(builder *b, size_t shard, size_t end) {
    if (b->tree.runs > 0) split_before(b, shard);
    b->shard = shard;
    b->tree.end[b->tree.runs] = end;
    b->tree.merges[b->tree.runs++] = 0;
}

static decant__sum_tree finish(builder *b) {
    if (b->tree.runs > 0) b->tree.merges[b->tree.runs - 1] = (unsigned char)b->depth;
    return b->tree;
}

decant__sum_tree decant__shards_tree(const decant__shards *shards) {
    builder b = {.depth = 0};
    for (size_t s = 0; s < DECANT__SHARDS; s++)
        if (shards->begin[s + 1] > shards->begin[s]) add_run(&b, s, shards->begin[s + 1]);
    return finish(&b);
}

decant__sum_tree decant__shards_tree_of(const decant__shards *shards, const uint32_t *row,
                                        size_t count) {
    builder b = {.depth = 0};
    for (size_t s = 0, e = 0; e < count; s++) {
        size_t first = e;
        while (e < count && row[e] < shards->begin[s + 1]) e++;
        if (e > first) add_run(&b, s, e);
    }
    return finish(&b);
}

double decant__sum_tree_double(const decant__sum_tree *tree, const double *x) {
    double sum = 0, left[DECANT__SHARD_LEVELS];
    size_t depth = 0, e = 0;
    for (size_t r = 0; r < tree->runs; r++) {
        if (r > 0) left[depth++] = sum;
        for (sum = 0; e < tree->end[r]; e++) sum += x[e];
        for (int m = 0; m < tree->merges[r]; m++) sum = left[--depth] + sum;
    }
    return sum;
}
