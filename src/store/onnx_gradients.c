/* The gradients of images (features/gradients.h) as nodes of an ONNX graph. Border rule, shares and
 * sums of neighbours are products with constant matrices:
 *
 *   X_x = X S_w, X_y = S_h^T X     differences of the neighbours of each pixel, X: height x width
 *   V_b = max(0, |X_x cos b + X_y sin b| - limit sqrt(X_x^2 + X_y^2))   for each orientation b
 *   H_b = A_h^T V_b A_w            sums over pixels by their shares of the cells
 *   min(clip, H / sqrt(4/9 N e + floor)),  e: sum of H_b^2 over b,  N: which cells are neighbours
 *
 * V_b is one orientation after the other, and is summed over the pixels of a row at once, so that
 * rows need little more than some copies of their pixels. In float, as in gradients.c. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "store/onnx_graph.h"

enum {
    CELLS = DECANT__GRADIENT_CELLS,
    BINS = DECANT__ORIENTATIONS,
    ALL_CELLS = CELLS * CELLS,
    NAME = 16
};

static void add_number(decant__onnx *g, const char *name, float value) {
    decant__onnx_tensor(g, name, DECANT__ONNX_FLOAT, 0, 0, &value);
}

/* As many rows as there are, each of this shape; c = 0: of two dimensions. */
static void add_reshape(decant__onnx *g, const char *from, size_t b, size_t c, const char *out) {
    const int64_t shape[] = {-1, (int64_t)b, (int64_t)c};
    char name[32];
    snprintf(name, sizeof name, "%s.shape", out);
    decant__onnx_tensor(g, name, DECANT__ONNX_INT64, c > 0 ? 3 : 2, 0, shape);
    decant__onnx_op(g, "Reshape", from, name, out);
}

/* ---- matrices ---- */

/* Entry (from, to): whether pixel `from` is the next neighbour of `to`, 1, or the one before, -1.
 * At the border a pixel is its own neighbour. out: side x side. down: the transpose. */
static decant_status add_steps(decant__onnx *g, const char *name, size_t side, int down) {
    decant_status status = DECANT_OK;
    float *step = NULL;
    NEW_ZEROED(step, side * side);
    for (size_t to = 0; to < side; to++) {
        size_t next = to + 1 < side ? to + 1 : to, before = to > 0 ? to - 1 : to;
        step[down ? to * side + next : next * side + to] += 1;
        step[down ? to * side + before : before * side + to] -= 1;
    }
    decant__onnx_tensor(g, name, DECANT__ONNX_FLOAT, side, side, step);
done:
    decant__free(step);
    return status;
}

/* From the rows of pixels to those of cells; and from columns to columns, with the factor. */
static void add_shares(decant__onnx *g, const decant__gradients *image) {
    float share[DECANT__MAX_SIDE * CELLS], across[CELLS * DECANT__MAX_SIDE];
    size_t h = image->height, w = image->width;
    float factor = decant__gradients_factor(image);
    decant__gradients_shares(h, share);
    for (size_t y = 0; y < h; y++)
        for (size_t c = 0; c < CELLS; c++) across[c * h + y] = share[y * CELLS + c];
    decant__onnx_tensor(g, "cell_rows", DECANT__ONNX_FLOAT, CELLS, h, across);
    decant__gradients_shares(w, share);
    for (size_t i = 0; i < w * CELLS; i++) share[i] *= factor;
    decant__onnx_tensor(g, "cell_columns", DECANT__ONNX_FLOAT, w, CELLS, share);
}

static void add_neighbours(decant__onnx *g) {
    float near[ALL_CELLS][ALL_CELLS] = {{0}};
    for (int a = 0; a < ALL_CELLS; a++)
        for (int b = 0; b < ALL_CELLS; b++)
            if (abs(a / CELLS - b / CELLS) <= 1 && abs(a % CELLS - b % CELLS) <= 1)
                near[a][b] = 4.0f / 9;
    decant__onnx_tensor(g, "cell_neighbours", DECANT__ONNX_FLOAT, ALL_CELLS, ALL_CELLS, near);
}

/* ---- from "x" to "gradients" ---- */

/* The differences dx and dy in units, and what an edge's length along a direction must exceed. */
static decant_status add_edges(decant__onnx *g, const decant__gradients *image) {
    decant_status status = DECANT_OK;
    TRY(add_steps(g, "step_right", image->width, 0));
    TRY(add_steps(g, "step_down", image->height, 1));
    add_number(g, "unit", image->unit);
    add_number(g, "limit", DECANT__GRADIENT_LIMIT);
    add_reshape(g, "x", image->height, image->width, "pixels");
    decant__onnx_op(g, "MatMul", "pixels", "step_right", "right");
    decant__onnx_op(g, "Mul", "right", "unit", "dx");
    decant__onnx_op(g, "MatMul", "step_down", "pixels", "down");
    decant__onnx_op(g, "Mul", "down", "unit", "dy");
    decant__onnx_op(g, "Mul", "dx", "dx", "dx2");
    decant__onnx_op(g, "Mul", "dy", "dy", "dy2");
    decant__onnx_op(g, "Add", "dx2", "dy2", "length2");
    decant__onnx_op(g, "Sqrt", "length2", NULL, "length");
    decant__onnx_op(g, "Mul", "length", "limit", "least");
done:
    return status;
}

/* One orientation's sums over the pixels of each row, as "votes<b>": n x height x CELLS x 1. */
static void add_orientation(decant__onnx *g, int b, char *votes) {
    enum { COSINE, SINE, IN_X, IN_Y, ALONG, SIZE, OVER, EDGES, SUMS, STEPS };
    static const char *const stem[STEPS] = {"cosine", "sine", "in_x",  "in_y", "along",
                                            "size",   "over", "edges", "sums"};
    char name[STEPS][NAME];
    for (int i = 0; i < STEPS; i++) snprintf(name[i], NAME, "%s%d", stem[i], b);
    snprintf(votes, NAME, "votes%d", b);
    add_number(g, name[COSINE], decant__gradients_cosine[b]);
    add_number(g, name[SINE], decant__gradients_sine[b]);
    decant__onnx_op(g, "Mul", "dx", name[COSINE], name[IN_X]);
    decant__onnx_op(g, "Mul", "dy", name[SINE], name[IN_Y]);
    decant__onnx_op(g, "Add", name[IN_X], name[IN_Y], name[ALONG]);
    decant__onnx_op(g, "Abs", name[ALONG], NULL, name[SIZE]);
    decant__onnx_op(g, "Sub", name[SIZE], "least", name[OVER]);
    decant__onnx_op(g, "Relu", name[OVER], NULL, name[EDGES]);
    decant__onnx_op(g, "MatMul", name[EDGES], "cell_columns", name[SUMS]);
    decant__onnx_op(g, "Unsqueeze", name[SUMS], "third", votes);
}

/* All orientations' numbers of each cell, as "histograms": n x ALL_CELLS x BINS. */
static void add_histograms(decant__onnx *g, const decant__gradients *image) {
    const int64_t third = 3;
    char votes[BINS][NAME];
    decant__onnx_node all = {
        .op = "Concat", .output = "votes", .int_name = "axis", .int_value = third};
    add_shares(g, image);
    decant__onnx_tensor(g, "third", DECANT__ONNX_INT64, 1, 0, &third);
    for (int b = 0; b < BINS; b++) {
        add_orientation(g, b, votes[b]);
        all.inputs[b] = votes[b];
    }
    decant__onnx_add(g, all);
    add_reshape(g, "votes", image->height, (size_t)CELLS * BINS, "vote_rows");
    decant__onnx_op(g, "MatMul", "cell_rows", "vote_rows", "cell_sums");
    add_reshape(g, "cell_sums", ALL_CELLS, BINS, "histograms");
}

static void add_normalised(decant__onnx *g) {
    add_neighbours(g);
    add_number(g, "floor", DECANT__GRADIENT_FLOOR);
    add_number(g, "clip", DECANT__GRADIENT_CLIP);
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceSumSquare",
                                            .inputs = {"histograms"},
                                            .output = "energy",
                                            .ints_name = "axes",
                                            .ints_value = 2,
                                            .int_name = "keepdims",
                                            .int_value = 0});
    decant__onnx_op(g, "MatMul", "energy", "cell_neighbours", "around");
    decant__onnx_op(g, "Add", "around", "floor", "floored");
    decant__onnx_op(g, "Sqrt", "floored", NULL, "cell_length");
    add_reshape(g, "cell_length", ALL_CELLS, 1, "divisors");
    decant__onnx_op(g, "Div", "histograms", "divisors", "relatives");
    decant__onnx_op(g, "Min", "relatives", "clip", "clipped");
    add_reshape(g, "clipped", DECANT__GRADIENT_NUMBERS, 0, "gradients");
}

decant_status decant__onnx_gradients(decant__onnx *g) {
    const decant__gradients *image = &g->model->scale.gradients;
    decant_status status = add_edges(g, image);
    if (status != DECANT_OK) return status;
    add_histograms(g, image);
    add_normalised(g);
    return DECANT_OK;
}
