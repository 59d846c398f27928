/* The bytes of a graph; that onnxruntime computes the same from them is a test of the Python
 * package. */
#include "blobs.h"
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

/* Walks over the fields of a message; returns how many there are, or fails. */
static size_t count_fields(const unsigned char *bytes, size_t count, size_t *graph) {
    size_t at = 0, fields = 0;
    while (at < count) {
        uint64_t key = 0, value = 0;
        for (unsigned shift = 0;; shift += 7) {
            assert_true(at < count);
            key |= (uint64_t)(bytes[at] & 127) << shift;
            if (bytes[at++] < 128) break;
        }
        assert_true((key & 7) == 0 || (key & 7) == 2);
        for (unsigned shift = 0;; shift += 7) {
            assert_true(at < count);
            value |= (uint64_t)(bytes[at] & 127) << shift;
            if (bytes[at++] < 128) break;
        }
        if (key >> 3 == 7) *graph = (size_t)value;
        if ((key & 7) == 2) at += value;
        fields++;
    }
    assert_int_equal(at, count);
    return fields;
}

static void test_to_onnx_is_a_message(void **state) {
    (void)state;
    static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_KMEANS,
                                            DECANT_METHOD_GMM, DECANT_METHOD_SEC};
    blobs b;
    blobs_new(&b, N);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        decant_options o = blobs_options(methods[m]);
        decant_result *r = NULL;
        void *bytes = NULL;
        size_t count = 0, graph = 0;
        assert_ok(decant_fit(b.dense, &o, NULL, &r));
        assert_ok(decant_model_to_onnx(r->model, &bytes, &count));
        assert_int_equal(count_fields(bytes, count, &graph), 6);
        assert_true(graph > 500 && graph < count);
        decant_bytes_free(bytes);
        decant_result_free(r);
    }
    blobs_free(&b);
}

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
    for (size_t n = 1;; n++) {
        void *bytes = NULL;
        size_t count;
        decant__alloc_fail_at(n);
        decant_status status = decant_model_to_onnx(r->model, &bytes, &count);
        size_t made = decant__alloc_fail_at(0);
        assert_int_equal(status, made < n ? DECANT_OK : DECANT_ENOMEM);
        decant_bytes_free(bytes);
        if (made < n) break;
    }
    decant_result_free(r);
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protobuf_bytes),
        cmocka_unit_test(test_to_onnx_is_a_message),
        cmocka_unit_test(test_to_onnx_refuses_what_cannot_predict),
        cmocka_unit_test(test_to_onnx_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
