/* The gradients of images (features/gradients.h) as nodes of an ONNX graph, in float, too:
 *
 *   dx, dy                         differences of the neighbours of each pixel, in units
 *   V_b = max(0, |dx cos b + dy sin b| - limit sqrt(dx^2 + dy^2))   for each orientation b
 *   H_b = A_h^T V_b A_w            sums over pixels by the cells' shares of them, A: side x CELLS
 *   min(clip, H / sqrt(4/9 N e + floor)),  e: sum of H_b^2 over b,  N: which cells are neighbours
 *
 * One V_b is made after the other, and is summed over the pixels of a row at once, so that rows
 * need little more than some copies of their pixels. Matrices are on the right of products, and
 * what is transposed is made flat before: else onnxruntime refuses a batch of 0 rows. */
#include <stdio.h>
#include <stdlib.h>

#include "store/onnx_graph.h"

enum {
    CELLS = DECANT__GRADIENT_CELLS,
    BINS = DECANT__ORIENTATIONS,
    ALL_CELLS = CELLS * CELLS,
    NAME = 24
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

/* The last two of three dimensions change places. */
static void add_transposed(decant__onnx *g, const char *from, const char *out) {
    decant__onnx_add(g, (decant__onnx_node){.op = "Transpose",
                                            .inputs = {from},
                                            .output = out,
                                            .ints_name = "perm",
                                            .ints = {0, 2, 1},
                                            .ints_count = 3});
}

/* ---- constants ---- */

/* The next pixel of each pixel of a side, and the one before; at the border a pixel is its own
 * neighbour. */
static void add_neighbour_pixels(decant__onnx *g, const char *next, const char *before,
                                 size_t side) {
    int64_t one[DECANT__MAX_SIDE], other[DECANT__MAX_SIDE];
    for (size_t i = 0; i < side; i++) {
        one[i] = (int64_t)(i + 1 < side ? i + 1 : i);
        other[i] = (int64_t)(i > 0 ? i - 1 : i);
    }
    decant__onnx_tensor(g, next, DECANT__ONNX_INT64, side, 0, one);
    decant__onnx_tensor(g, before, DECANT__ONNX_INT64, side, 0, other);
}

/* The cells' shares of the pixels of each side; with the factor. */
static void add_shares(decant__onnx *g, const decant__gradients *image) {
    float share[DECANT__MAX_SIDE * CELLS];
    float factor = decant__gradients_factor(image);
    decant__gradients_shares(image->height, share);
    decant__onnx_tensor(g, "cell_rows", DECANT__ONNX_FLOAT, image->height, CELLS, share);
    decant__gradients_shares(image->width, share);
    for (size_t i = 0; i < image->width * CELLS; i++) share[i] *= factor;
    decant__onnx_tensor(g, "cell_columns", DECANT__ONNX_FLOAT, image->width, CELLS, share);
}

static void add_neighbour_cells(decant__onnx *g) {
    float near[ALL_CELLS][ALL_CELLS] = {{0}};
    for (int a = 0; a < ALL_CELLS; a++)
        for (int b = 0; b < ALL_CELLS; b++)
            if (abs(a / CELLS - b / CELLS) <= 1 && abs(a % CELLS - b % CELLS) <= 1)
                near[a][b] = 4.0f / 9;
    decant__onnx_tensor(g, "cell_neighbours", DECANT__ONNX_FLOAT, ALL_CELLS, ALL_CELLS, near);
}

/* ---- from "x" to "gradients" ---- */

/* The differences of the neighbours along a dimension of "pixels", in units. */
static void add_difference(decant__onnx *g, int axis, size_t side, const char *out) {
    char name[5][NAME];
    static const char *const stem[] = {"next", "before", "pixel_next", "pixel_before", "step"};
    for (int i = 0; i < 5; i++) snprintf(name[i], NAME, "%s%d", stem[i], axis);
    add_neighbour_pixels(g, name[0], name[1], side);
    for (int i = 0; i < 2; i++)
        decant__onnx_add(g, (decant__onnx_node){.op = "Gather",
                                                .inputs = {"pixels", name[i]},
                                                .output = name[2 + i],
                                                .int_name = "axis",
                                                .int_value = axis});
    decant__onnx_op(g, "Sub", name[2], name[3], name[4]);
    decant__onnx_op(g, "Mul", name[4], "unit", out);
}

/* The differences dx and dy, and what an edge's length along a direction must exceed. */
static void add_edges(decant__onnx *g, const decant__gradients *image) {
    add_number(g, "unit", image->unit);
    add_number(g, "limit", DECANT__GRADIENT_LIMIT);
    add_reshape(g, "x", image->height, image->width, "pixels");
    add_difference(g, 2, image->width, "dx");
    add_difference(g, 1, image->height, "dy");
    decant__onnx_op(g, "Mul", "dx", "dx", "dx2");
    decant__onnx_op(g, "Mul", "dy", "dy", "dy2");
    decant__onnx_op(g, "Add", "dx2", "dy2", "length2");
    decant__onnx_op(g, "Sqrt", "length2", NULL, "length");
    decant__onnx_op(g, "Mul", "length", "limit", "least");
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
    add_transposed(g, "vote_rows", "vote_columns");
    add_reshape(g, "vote_columns", image->height, 0, "flat_columns");
    decant__onnx_op(g, "MatMul", "flat_columns", "cell_rows", "column_sums");
    add_reshape(g, "column_sums", (size_t)CELLS * BINS, CELLS, "by_columns");
    add_transposed(g, "by_columns", "cell_sums");
    add_reshape(g, "cell_sums", ALL_CELLS, BINS, "histograms");
}

static void add_normalised(decant__onnx *g) {
    add_neighbour_cells(g);
    add_number(g, "floor", DECANT__GRADIENT_FLOOR);
    add_number(g, "clip", DECANT__GRADIENT_CLIP);
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceSumSquare",
                                            .inputs = {"histograms"},
                                            .output = "energy",
                                            .ints_name = "axes",
                                            .ints = {2},
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

void decant__onnx_gradients(decant__onnx *g) {
    const decant__gradients *image = &g->model->scale.gradients;
    add_edges(g, image);
    add_histograms(g, image);
    add_normalised(g);
}
