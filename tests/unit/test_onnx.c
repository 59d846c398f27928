/* The bytes of a graph; that onnxruntime computes the same from them is a test of the Python
 * package. */
#include "blobs.h"
#include "drawings.h"
#include "store/model.h"
#include "store/protobuf.h"

enum { N = 60 };

/* The wire format, by the examples of its specification. */
static void test_protobuf_bytes(void **state) {
    (void)state;
    decant__text message = {0}, inner = {0};
    decant__pb_int(&message, 1, 150);
    decant__pb_string(&message, 2, "testing");
    decant__pb_int(&inner, 1, 150);
    decant__pb_message(&message, 3, &inner);
    decant__pb_float(&message, 4, 1.0F);
    static const char expected[] =
        "\x08\x96\x01"
        "\x12\x07testing"
        "\x1a\x03\x08\x96\x01"
        "\x25\x00\x00\x80\x3f";
    assert_int_equal(message.length, sizeof expected - 1);
    assert_memory_equal(message.bytes, expected, sizeof expected - 1);
    decant__text_free(&message);
}

/* One field: a number, or the bytes of a text or of a message. */
typedef struct field {
    uint64_t number, value;
    const unsigned char *bytes;
} field;

static uint64_t next_number(field message, size_t *at) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(*at < message.value);
        value |= (uint64_t)(message.bytes[*at] & 127) << shift;
        if (message.bytes[(*at)++] < 128) return value;
    }
}

static int next_field(field message, size_t *at, field *out) {
    if (*at >= message.value) {
        assert_int_equal(*at, message.value);
        return 0;
    }
    uint64_t key = next_number(message, at);
    assert_true((key & 7) == 0 || (key & 7) == 2);
    *out = (field){key >> 3, next_number(message, at), NULL};
    if ((key & 7) == 2) {
        out->bytes = message.bytes + *at;
        *at += out->value;
    }
    return 1;
}

static size_t count_fields(field message, uint64_t number) {
    size_t at = 0, count = 0;
    for (field f; next_field(message, &at, &f);) count += number == 0 || f.number == number;
    return count;
}

static field field_of(field message, uint64_t number) {
    size_t at = 0;
    for (field f; next_field(message, &at, &f);)
        if (f.number == number) return f;
    fail_msg("no field %d", (int)number);
    return message;
}

static int same_text(field a, field b) {
    return a.value == b.value && memcmp(a.bytes, b.bytes, a.value) == 0;
}

/* The graph of a model. *bytes is to be given back. */
static field graph_of(const decant_model *model, void **bytes) {
    size_t count;
    assert_ok(decant_model_to_onnx(model, bytes, &count));
    field file = {0, count, *bytes};
    assert_int_equal(count_fields(file, 0), 6);
    return field_of(file, 7);
}

static int is_input(field graph, field name) {
    size_t at = 0;
    for (field node; next_field(graph, &at, &node);) {
        size_t inner = 0;
        if (node.number != 1) continue;
        for (field f; next_field(node, &inner, &f);)
            if (f.number == 1 && same_text(f, name)) return 1;
    }
    return 0;
}

/* Constants and results of nodes have names, and each its own; no constant is there in vain. */
static void check_names(field graph) {
    enum { MOST = 300 };
    field names[MOST];
    size_t at = 0, count = 0;
    for (field f; next_field(graph, &at, &f);) {
        if (f.number != 1 && f.number != 5) continue;
        assert_true(count < MOST);
        names[count] = field_of(f, f.number == 1 ? 2 : 8);
        for (size_t i = 0; i < count; i++) assert_false(same_text(names[i], names[count]));
        assert_true(f.number == 1 || is_input(graph, names[count]));
        count++;
    }
    assert_true(count > 10);
}

static void check_graph(const blobs *b, const decant_options *options) {
    decant_result *r = NULL;
    void *bytes = NULL;
    assert_ok(decant_fit(b->dense, options, NULL, &r));
    field graph = graph_of(r->model, &bytes);
    assert_true(graph.value > 500);
    check_names(graph);
    decant_bytes_free(bytes);
    decant_result_free(r);
}

static void test_to_onnx_is_a_message(void **state) {
    (void)state;
    static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_KMEANS,
                                            DECANT_METHOD_GMM, DECANT_METHOD_SEC};
    blobs b;
    blobs_new(&b, N);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        decant_options o = blobs_options(methods[m]);
        check_graph(&b, &o);
        o.scaling = DECANT_SCALING_COUNTS;
        check_graph(&b, &o);
    }
    blobs_free(&b);
}

static void check_allocation_failures(const decant_model *model) {
    for (size_t n = 1;; n++) {
        void *bytes = NULL;
        size_t count;
        decant__alloc_fail_at(n);
        decant_status status = decant_model_to_onnx(model, &bytes, &count);
        size_t made = decant__alloc_fail_at(0);
        assert_int_equal(status, made < n ? DECANT_OK : DECANT_ENOMEM);
        decant_bytes_free(bytes);
        if (made < n) break;
    }
}

/* ---- images by their gradients ---- */

enum { WIDE = 17, HIGH = 12, PIXELS = WIDE * HIGH, NUMBERS = DECANT__GRADIENT_NUMBERS };
enum { CELLS = DECANT__GRADIENT_CELLS, BINS = DECANT__ORIENTATIONS };

/* A constant of the graph; the caller frees it. */
static void *constant(field graph, const char *name, size_t bytes) {
    const field wanted = {0, strlen(name), (const unsigned char *)name};
    size_t at = 0;
    for (field f; next_field(graph, &at, &f);) {
        if (f.number != 5 || !same_text(field_of(f, 8), wanted)) continue;
        field data = field_of(f, 9);
        assert_int_equal(data.value, bytes);
        void *copy = malloc(bytes);
        memcpy(copy, data.bytes, bytes);
        return copy;
    }
    fail_msg("no constant %s", name);
    return NULL;
}

/* a: n x m, b: m x k. */
static void multiply(const float *a, const float *b, size_t n, size_t m, size_t k, float *out) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++) {
            out[i * k + j] = 0;
            for (size_t c = 0; c < m; c++) out[i * k + j] += a[i * m + c] * b[c * k + j];
        }
}

static float number(field graph, const char *name) {
    float *found = constant(graph, name, sizeof *found), value = *found;
    free(found);
    return value;
}

/* The differences of the neighbours along a side, by the graph's tables of neighbours. */
static void find_differences(field graph, const float *x, int across, float *out) {
    size_t bytes = (across ? WIDE : HIGH) * sizeof(int64_t);
    int64_t *next = constant(graph, across ? "next2" : "next1", bytes);
    int64_t *before = constant(graph, across ? "before2" : "before1", bytes);
    float unit = number(graph, "unit");
    for (int p = 0; p < PIXELS; p++) {
        int row = p / WIDE * WIDE, column = p % WIDE;
        const float *line = across ? x + row : x + column;
        int64_t at = across ? column : p / WIDE, step = across ? 1 : WIDE;
        out[p] = (line[next[at] * step] - line[before[at] * step]) * unit;
    }
    free(next);
    free(before);
}

/* The sums of one orientation's edges over the cells, by the graph's shares. */
static void sum_cells(field graph, const float *x, int b, float *out) {
    float *columns = constant(graph, "cell_columns", sizeof(float) * WIDE * CELLS);
    float *rows = constant(graph, "cell_rows", sizeof(float) * HIGH * CELLS);
    float limit = number(graph, "limit"), dx[PIXELS], dy[PIXELS], sums[HIGH * CELLS];
    find_differences(graph, x, 1, dx);
    find_differences(graph, x, 0, dy);
    for (int p = 0; p < PIXELS; p++) {
        float size = fabsf(dx[p] * decant__gradients_cosine[b] + dy[p] * decant__gradients_sine[b]);
        dx[p] = fmaxf(0, size - limit * sqrtf(dx[p] * dx[p] + dy[p] * dy[p]));
    }
    multiply(dx, columns, HIGH, WIDE, CELLS, sums);
    for (int c = 0; c < CELLS * CELLS; c++) {
        out[c] = 0;
        for (int y = 0; y < HIGH; y++)
            out[c] += rows[y * CELLS + c / CELLS] * sums[y * CELLS + c % CELLS];
    }
    free(columns);
    free(rows);
}

/* The numbers of one image, by the graph's constants. */
static void make_by_constants(field graph, const float *x, float *out) {
    enum { ALL = CELLS * CELLS };
    float *near = constant(graph, "cell_neighbours", sizeof(float) * ALL * ALL);
    float least = number(graph, "floor"), clip = number(graph, "clip");
    float cell[ALL], energy[ALL] = {0}, around[ALL];
    for (int b = 0; b < BINS; b++) {
        sum_cells(graph, x, b, cell);
        for (int c = 0; c < ALL; c++) {
            out[c * BINS + b] = cell[c];
            energy[c] += cell[c] * cell[c];
        }
    }
    multiply(energy, near, 1, ALL, ALL, around);
    for (int j = 0; j < NUMBERS; j++)
        out[j] = fminf(clip, out[j] / sqrtf(around[j / BINS] + least));
    free(near);
}

/* The graph takes pixels, and its constants give the numbers that the network was trained on. */
static void test_to_onnx_of_images(void **state) {
    (void)state;
    enum { IMAGES = 120, SHOWN = 20 };
    float *x = drawings_new(IMAGES, WIDE, HIGH), expected[NUMBERS], found[NUMBERS];
    decant_options o = drawings_options();
    decant_dataset *data = NULL;
    decant_result *r = NULL;
    void *bytes = NULL;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, IMAGES, PIXELS, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_int_equal(r->scaling, DECANT_SCALING_GRADIENTS);
    field graph = graph_of(r->model, &bytes);
    check_names(graph);
    assert_int_equal(count_fields(graph, 11), 1);
    assert_int_equal(count_fields(graph, 12), 4);
    for (int i = 0; i < SHOWN; i++) {
        decant__gradients_make(&r->model->scale.gradients, x + i * PIXELS, expected);
        make_by_constants(graph, x + i * PIXELS, found);
        for (int j = 0; j < NUMBERS; j++) assert_near(found[j], expected[j], 1e-5);
    }
    decant_bytes_free(bytes);
    check_allocation_failures(r->model);
    decant_result_free(r);
    decant_dataset_free(data);
    free(x);
}

/* ---- what cannot be exported ---- */

static void test_to_onnx_refuses_what_cannot_predict(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, N);
    decant_options o = blobs_options(DECANT_METHOD_SPECTRAL);
    decant_result *r = NULL;
    void *bytes = NULL;
    size_t count = 7;
    assert_ok(decant_fit(b.dense, &o, NULL, &r));
    assert_fails(decant_model_to_onnx(r->model, &bytes, &count), DECANT_EINVAL,
                 "spectral cannot assign rows");
    assert_null(bytes);
    assert_int_equal(count, 7);
    assert_fails(decant_model_to_onnx(NULL, &bytes, &count), DECANT_EINVAL, "model");
    decant_result_free(r);
    blobs_free(&b);
}

static void test_to_onnx_allocation_failures(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, N);
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    assert_ok(decant_fit(b.dense, &o, NULL, &r));
    check_allocation_failures(r->model);
    decant_result_free(r);
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protobuf_bytes),
        cmocka_unit_test(test_to_onnx_is_a_message),
        cmocka_unit_test(test_to_onnx_of_images),
        cmocka_unit_test(test_to_onnx_refuses_what_cannot_predict),
        cmocka_unit_test(test_to_onnx_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
