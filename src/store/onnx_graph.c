/* The numbers of ONNX's messages are those of onnx.proto. */
#include "store/onnx_graph.h"

void decant__onnx_tensor(decant__onnx *g, const char *name, int type, size_t rows, size_t columns,
                         const void *data) {
    decant__text tensor = {0};
    size_t size = type == DECANT__ONNX_FLOAT ? sizeof(float) : 8;
    size_t count = (rows > 0 ? rows : 1) * (columns > 0 ? columns : 1);
    if (rows > 0) decant__pb_int(&tensor, 1, rows);
    if (columns > 0) decant__pb_int(&tensor, 1, columns);
    decant__pb_int(&tensor, 2, (uint64_t)type);
    decant__pb_string(&tensor, 8, name);
    decant__pb_bytes(&tensor, 9, data, count * size);
    decant__pb_message(&g->body, 5, &tensor);
}

void decant__onnx_number(decant__onnx *g, const char *name, double value) {
    decant__onnx_tensor(g, name, DECANT__ONNX_DOUBLE, 0, 0, &value);
}

static void add_int(decant__text *message, const char *name, int64_t value) {
    enum { KIND_INT = 2 };
    decant__text attribute = {0};
    if (name == NULL) return;
    decant__pb_string(&attribute, 1, name);
    decant__pb_int(&attribute, 3, (uint64_t)value);
    decant__pb_int(&attribute, 20, KIND_INT);
    decant__pb_message(message, 5, &attribute);
}

static void add_ints(decant__text *message, const decant__onnx_node *n) {
    enum { KIND_INTS = 7 };
    decant__text attribute = {0};
    if (n->ints_name == NULL) return;
    decant__pb_string(&attribute, 1, n->ints_name);
    for (size_t i = 0; i == 0 || i < n->ints_count; i++)
        decant__pb_int(&attribute, 8, (uint64_t)n->ints[i]);
    decant__pb_int(&attribute, 20, KIND_INTS);
    decant__pb_message(message, 5, &attribute);
}

void decant__onnx_add(decant__onnx *g, decant__onnx_node n) {
    decant__text message = {0};
    for (size_t i = 0; i < sizeof n.inputs / sizeof *n.inputs && n.inputs[i] != NULL; i++)
        decant__pb_string(&message, 1, n.inputs[i]);
    decant__pb_string(&message, 2, n.output);
    decant__pb_string(&message, 3, n.output);
    decant__pb_string(&message, 4, n.op);
    add_ints(&message, &n);
    add_int(&message, n.int_name, n.int_value);
    add_int(&message, n.second_name, n.second_value);
    decant__pb_message(&g->body, 1, &message);
}

void decant__onnx_op(decant__onnx *g, const char *op, const char *a, const char *b,
                     const char *out) {
    decant__onnx_add(g, (decant__onnx_node){.op = op, .inputs = {a, b}, .output = out});
}

void decant__onnx_cast(decant__onnx *g, const char *from, int type, const char *out) {
    decant__onnx_add(
        g, (decant__onnx_node){
               .op = "Cast", .inputs = {from}, .output = out, .int_name = "to", .int_value = type});
}

void decant__onnx_value(decant__onnx *g, unsigned field, const char *name, int type,
                        size_t columns) {
    decant__text value = {0}, kind = {0}, tensor = {0}, shape = {0}, first = {0}, second = {0};
    decant__pb_string(&first, 2, "rows");
    decant__pb_message(&shape, 1, &first);
    if (columns > 0) {
        decant__pb_int(&second, 1, columns);
        decant__pb_message(&shape, 1, &second);
    }
    decant__pb_int(&tensor, 1, (uint64_t)type);
    decant__pb_message(&tensor, 2, &shape);
    decant__pb_message(&kind, 1, &tensor);
    decant__pb_string(&value, 1, name);
    decant__pb_message(&value, 2, &kind);
    decant__pb_message(&g->body, field, &value);
}
