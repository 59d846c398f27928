/* Each cluster remembers the best partner among those behind it. A merge of a and b changes the
 * gains of pairs with a, and ends those with b. Who has lost its partner by that keeps the gain as
 * a bound, which no other partner exceeds, and looks for a new one only when the bound is the
 * highest gain of all. */
#include "cluster/merge.h"

#include "base/memory.h"

enum { NOBODY = -1, LOST = -2 };

/* A merged cluster keeps its index; `into` is the one it was merged into. */
typedef struct merger {
    size_t count;
    decant__merge_by by;
    double two_m;
    double *between;  /* count x count: total weight of the edges between two clusters */
    double *degree;   /* count */
    int32_t *into;    /* count: the cluster that this one was merged into; itself: not merged */
    int32_t *partner; /* count: the best of the clusters behind it, of equal ones the first; LOST */
    double *gain;     /* count: of merging with it; where it is lost, no other gains more */
} merger;

static void merger_free(merger *m) {
    decant__free(m->between);
    decant__free(m->degree);
    decant__free(m->into);
    decant__free(m->partner);
    decant__free(m->gain);
}

static decant_status merger_new(merger *m, const decant__links *clusters) {
    decant_status status = DECANT_OK;
    size_t c = m->count = clusters->n;
    NEW_ZEROED(m->between, c * c);
    NEW_ARRAY(m->degree, c);
    NEW_ARRAY(m->into, c);
    NEW_ARRAY(m->partner, c);
    NEW_ARRAY(m->gain, c);
    for (size_t a = 0; a < c; a++) {
        m->into[a] = (int32_t)a;
        m->degree[a] = clusters->degree[a];
        m->two_m += m->degree[a];
        for (size_t e = clusters->start[a]; e < clusters->start[a + 1]; e++)
            m->between[a * c + clusters->to[e]] += (double)clusters->weight[e];
    }
done:
    return status;
}

static int is_alive(const merger *m, size_t a) { return m->into[a] == (int32_t)a; }

static double gain_of(const merger *m, size_t a, size_t b) {
    double between = m->between[a * m->count + b], x = m->degree[a], y = m->degree[b];
    if (m->by == DECANT__MERGE_BY_MODULARITY) return between - x * y / m->two_m;
    double smaller = x < y ? x : y;
    return smaller > 0 ? between / smaller : 0;
}

static void find_partner(merger *m, size_t a) {
    m->partner[a] = NOBODY;
    for (size_t b = a + 1; b < m->count; b++) {
        if (!is_alive(m, b)) continue;
        double gain = gain_of(m, a, b);
        if (m->partner[a] != NOBODY && !(gain > m->gain[a])) continue;
        m->gain[a] = gain;
        m->partner[a] = (int32_t)b;
    }
}

/* The first of the clusters that gain most. */
static size_t best_of(merger *m) {
    for (;;) {
        size_t best = m->count;
        for (size_t a = 0; a < m->count; a++)
            if (is_alive(m, a) && m->partner[a] != NOBODY &&
                (best == m->count || m->gain[a] > m->gain[best]))
                best = a;
        if (m->partner[best] != LOST) return best;
        find_partner(m, best);
    }
}

static void merge_pair(merger *m, size_t a, size_t b) {
    size_t c = m->count;
    for (size_t x = 0; x < c; x++) {
        m->between[a * c + x] += m->between[b * c + x];
        m->between[x * c + a] += m->between[x * c + b];
        if (m->into[x] == (int32_t)b) m->into[x] = (int32_t)a;
    }
    m->degree[a] += m->degree[b];
}

/* After b was merged into a, which is before it. */
static void renew_partners(merger *m, size_t a, size_t b) {
    find_partner(m, a);
    for (size_t x = 0; x < b; x++) {
        if (x == a || !is_alive(m, x)) continue;
        int known = m->partner[x] != LOST;
        int gone = m->partner[x] == (int32_t)a || m->partner[x] == (int32_t)b;
        double gain = x < a ? gain_of(m, x, a) : 0;
        /* of equal ones the first: all before a partner that is gone gained less */
        int first = gain == m->gain[x] && known && (gone || (int32_t)a < m->partner[x]);
        if (x < a && (gain > m->gain[x] || first)) {
            m->gain[x] = gain;
            m->partner[x] = (int32_t)a;
        } else if (gone) {
            m->partner[x] = LOST;
        }
    }
}

decant_status decant__merge_clusters(const decant__links *clusters, size_t k, decant__merge_by by,
                                     size_t n, int32_t *labels) {
    decant_status status = DECANT_OK;
    merger m = {.by = by};
    int32_t *number = NULL, next = 0; /* number: new label of each cluster that is left */
    TRY(merger_new(&m, clusters));
    NEW_ZEROED(number, m.count);
    for (size_t a = 0; a < m.count; a++) find_partner(&m, a);
    for (size_t left = m.count; left > k; left--) {
        size_t a = best_of(&m), b = (size_t)m.partner[a];
        merge_pair(&m, a, b);
        renew_partners(&m, a, b);
    }
    for (size_t a = 0; a < m.count; a++)
        if (is_alive(&m, a)) number[a] = next++;
    for (size_t i = 0; i < n; i++) labels[i] = number[m.into[labels[i]]];
done:
    merger_free(&m);
    decant__free(number);
    return status;
}
