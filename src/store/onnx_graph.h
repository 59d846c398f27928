/* The pieces of an ONNX graph: nodes, constants, inputs and outputs. */
#ifndef DECANT_STORE_ONNX_GRAPH_H
#define DECANT_STORE_ONNX_GRAPH_H

#include "store/model.h"
#include "store/protobuf.h"

enum { DECANT__ONNX_FLOAT = 1, DECANT__ONNX_INT64 = 7, DECANT__ONNX_DOUBLE = 11 };
enum { DECANT__ONNX_INPUT = 11, DECANT__ONNX_OUTPUT = 12 };

typedef struct decant__onnx {
    const decant_model *model;
    decant__text body; /* GraphProto: nodes and initializers as they come */
    int has_last;      /* is there a constant "last"? */
} decant__onnx;

/* A constant: a matrix, a vector (columns = 0), or one number (rows = 0, too). */
void decant__onnx_tensor(decant__onnx *g, const char *name, int type, size_t rows, size_t columns,
                         const void *data);
/* A number, in double. */
void decant__onnx_number(decant__onnx *g, const char *name, double value);

typedef struct decant__onnx_node {
    const char *op, *inputs[9], *output;
    const char *ints_name, *int_name, *second_name; /* attributes: a list, and numbers */
    int64_t ints[3], int_value, second_value;
    size_t ints_count; /* 0: one number */
} decant__onnx_node;

void decant__onnx_add(decant__onnx *g, decant__onnx_node node);

/* A node without attributes; b may be NULL. */
void decant__onnx_op(decant__onnx *g, const char *op, const char *a, const char *b,
                     const char *out);
void decant__onnx_cast(decant__onnx *g, const char *from, int type, const char *out);

/* An input or output: the unknown number of rows, each of so many numbers; columns = 0: of one. */
void decant__onnx_value(decant__onnx *g, unsigned field, const char *name, int type,
                        size_t columns);

/* From the pixels "x" to "gradients" (features/gradients.h). */
void decant__onnx_gradients(decant__onnx *g);

#endif
