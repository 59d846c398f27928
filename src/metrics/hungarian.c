/* The assignment problem by shortest augmenting paths (Jonker and Volgenant, Computing 38, 1987;
 * the rectangular form of Crouse, IEEE TAES 52, 2016), O(r^2 c) for r <= c.
 *
 * Gains become costs, c_ij = -gain_ij. Potentials u_i, v_j keep every reduced cost
 * c_ij - u_i - v_j >= 0 and matched pairs at 0. Rows enter one at a time: a Dijkstra search over
 * reduced costs finds the cheapest path to a free column, the pairs on it are swapped, and the
 * potentials follow. All in integers, so that the result is exact. A wide table needs no padding;
 * a tall one is read as its transpose. */
#include "metrics/hungarian.h"

#include "base/memory.h"

#define FREE SIZE_MAX

typedef struct matching {
    const size_t *gain;
    size_t r, c;                           /* short side, long side */
    size_t row_stride, column_stride;      /* of gain, seen with r <= c */
    int64_t *u, *v;                        /* potentials: r, c */
    int64_t *distance;                     /* c: cost of the cheapest path so far */
    size_t *row_of;                        /* c: matched row, or FREE */
    size_t *column_of;                     /* r: matched column, or FREE */
    size_t *before;                        /* c: the row before this column on the path */
    unsigned char *row_seen, *column_done; /* r, c: in the search tree */
} matching;

static int64_t reduced_cost(const matching *m, size_t i, size_t j) {
    return -(int64_t)m->gain[i * m->row_stride + j * m->column_stride] - m->u[i] - m->v[j];
}

static void start_search(matching *m) {
    for (size_t j = 0; j < m->c; j++) {
        m->distance[j] = INT64_MAX;
        m->column_done[j] = 0;
    }
    for (size_t i = 0; i < m->r; i++) m->row_seen[i] = 0;
}

/* The nearest column outside the tree once row i, reached at cost `reached`, has joined it. */
static size_t nearest_column(matching *m, size_t i, int64_t reached) {
    size_t nearest = FREE;
    for (size_t j = 0; j < m->c; j++) {
        if (m->column_done[j]) continue;
        int64_t cost = reached + reduced_cost(m, i, j);
        if (cost < m->distance[j]) {
            m->distance[j] = cost;
            m->before[j] = i;
        }
        // Among equals a free column ends the search at once.
        if (nearest == FREE || m->distance[j] < m->distance[nearest] ||
            (m->distance[j] == m->distance[nearest] && m->row_of[j] == FREE &&
             m->row_of[nearest] != FREE))
            nearest = j;
    }
    return nearest;
}

/* Finds the cheapest path from row `first` to a free column and corrects the potentials. */
static size_t shortest_path(matching *m, size_t first) {
    size_t i = first, sink = FREE;
    int64_t reached = 0;
    start_search(m);
    while (sink == FREE) {
        m->row_seen[i] = 1;
        size_t j = nearest_column(m, i, reached);
        reached = m->distance[j];
        m->column_done[j] = 1;
        if (m->row_of[j] == FREE)
            sink = j;
        else
            i = m->row_of[j];
    }
    m->u[first] += reached;
    for (i = 0; i < m->r; i++)
        if (m->row_seen[i] && i != first) m->u[i] += reached - m->distance[m->column_of[i]];
    for (size_t j = 0; j < m->c; j++)
        if (m->column_done[j]) m->v[j] -= reached - m->distance[j];
    return sink;
}

static void augment(matching *m, size_t first, size_t sink) {
    size_t j = sink, i;
    do {
        i = m->before[j];
        m->row_of[j] = i;
        size_t given_up = m->column_of[i];
        m->column_of[i] = j;
        j = given_up;
    } while (i != first);
}

static void write_match(const matching *m, int transposed, size_t rows, int32_t *match) {
    for (size_t i = 0; i < rows; i++) {
        size_t partner = transposed ? m->row_of[i] : m->column_of[i];
        match[i] = partner == FREE ? -1 : (int32_t)partner;
    }
}

decant_status decant__hungarian_match(const size_t *gain, size_t rows, size_t columns,
                                      int32_t *match) {
    decant_status status = DECANT_OK;
    int transposed = rows > columns;
    matching m = {.gain = gain,
                  .r = transposed ? columns : rows,
                  .c = transposed ? rows : columns,
                  .row_stride = transposed ? 1 : columns,
                  .column_stride = transposed ? columns : 1};
    NEW_ZEROED(m.u, m.r);
    NEW_ZEROED(m.v, m.c);
    NEW_ARRAY(m.distance, m.c);
    NEW_ARRAY(m.row_of, m.c);
    NEW_ARRAY(m.column_of, m.r);
    NEW_ARRAY(m.before, m.c);
    NEW_ARRAY(m.row_seen, m.r);
    NEW_ARRAY(m.column_done, m.c);
    for (size_t j = 0; j < m.c; j++) m.row_of[j] = FREE;
    for (size_t i = 0; i < m.r; i++) m.column_of[i] = FREE;
    for (size_t i = 0; i < m.r; i++) augment(&m, i, shortest_path(&m, i));
    write_match(&m, transposed, rows, match);
done:
    decant__free(m.column_done);
    decant__free(m.row_seen);
    decant__free(m.before);
    decant__free(m.column_of);
    decant__free(m.row_of);
    decant__free(m.distance);
    decant__free(m.v);
    decant__free(m.u);
    return status;
}
