#include "store/header.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/memory.h"

/* Files of decant have far fewer; the limit makes the check of a hostile file fast. */
enum { MAX_ENTRIES = 1000 };

/* ---- writing ---- */

void decant__metadata_put(decant__metadata *metadata, const char *key, const char *value) {
    decant__text *text = &metadata->pairs;
    size_t length = strlen(value);
    if (metadata->status != DECANT_OK) return;
    if (decant__utf8_prefix(value, length) != length) {
        metadata->status = decant__fail(
            DECANT_EINVAL, "%s: is not UTF-8 and cannot be saved: '%.50s'", key, value);
        return;
    }
    if (text->length > 0) decant__text_put(text, ",", 1);
    decant__text_put_json(text, key, strlen(key));
    decant__text_put(text, ":", 1);
    decant__text_put_json(text, value, length);
    if (text->failed) metadata->status = decant__fail(DECANT_ENOMEM, "memory ran out for metadata");
}

void decant__metadata_free(decant__metadata *metadata) {
    decant__text_free(&metadata->pairs);
    *metadata = (decant__metadata){0};
}

void decant__header_put_tensor(decant__text *text, const decant__header_tensor *tensor) {
    decant__text_put(text, ",", 1);
    decant__text_put_json(text, tensor->name, strlen(tensor->name));
    decant__text_print(text, ":{\"dtype\":\"%s\",\"shape\":[%zu", tensor->dtype, tensor->shape[0]);
    if (tensor->rank == 2) decant__text_print(text, ",%zu", tensor->shape[1]);
    decant__text_print(text, "],\"data_offsets\":[%zu,%zu]}", tensor->begin, tensor->end);
}

/* ---- parsing: recursive descent ---- */

typedef struct parser {
    decant__scan scan;
    const char *path;
} parser;

static decant_status refuse_header(const parser *p) {
    return decant__fail(DECANT_EFORMAT, "%s: its header is not valid at byte %zu", p->path,
                        (size_t)(p->scan.at - p->scan.begin));
}

static int take(parser *p, char c) { return decant__scan_take(&p->scan, c); }

static decant_status parse_text(parser *p, const char **text) {
    char *found;
    size_t length;
    if (!decant__scan_text(&p->scan, &found, &length)) return refuse_header(p);
    *text = found;
    return DECANT_OK;
}

/* An array of one or two counts. */
static decant_status parse_counts(parser *p, size_t counts[2], size_t *rank) {
    *rank = 0;
    if (!take(p, '[')) return refuse_header(p);
    do {
        if (*rank == 2 || !decant__scan_count(&p->scan, &counts[*rank])) return refuse_header(p);
        ++*rank;
    } while (take(p, ','));
    return take(p, ']') ? DECANT_OK : refuse_header(p);
}

static decant_status parse_tensor(parser *p, decant__header_tensor *tensor) {
    decant_status status = DECANT_OK;
    size_t offsets[2], offset_count = 0;
    const char *key = NULL;
    if (!take(p, '{')) return refuse_header(p);
    do {
        TRY(parse_text(p, &key));
        if (!take(p, ':')) return refuse_header(p);
        if (strcmp(key, "dtype") == 0 && tensor->dtype == NULL)
            TRY(parse_text(p, &tensor->dtype));
        else if (strcmp(key, "shape") == 0 && tensor->rank == 0)
            TRY(parse_counts(p, tensor->shape, &tensor->rank));
        else if (strcmp(key, "data_offsets") == 0 && offset_count == 0)
            TRY(parse_counts(p, offsets, &offset_count));
        else
            return refuse_header(p);
    } while (take(p, ','));
    if (!take(p, '}') || tensor->dtype == NULL || tensor->rank == 0 || offset_count != 2)
        return refuse_header(p);
    tensor->begin = offsets[0];
    tensor->end = offsets[1];
done:
    return status;
}

static decant_status parse_metadata(parser *p, decant__header *header) {
    decant_status status = DECANT_OK;
    if (header->metadata != NULL || !take(p, '{')) return refuse_header(p);
    NEW_ARRAY(header->metadata, MAX_ENTRIES);
    if (take(p, '}')) return DECANT_OK;
    do {
        decant__header_pair pair;
        if (header->metadata_count == MAX_ENTRIES) return refuse_header(p);
        TRY(parse_text(p, &pair.key));
        if (!take(p, ':') || decant__header_text(header, pair.key) != NULL) return refuse_header(p);
        TRY(parse_text(p, &pair.value));
        header->metadata[header->metadata_count++] = pair;
    } while (take(p, ','));
    if (!take(p, '}')) status = refuse_header(p);
done:
    return status;
}

static decant_status parse_entry(parser *p, decant__header *header) {
    decant_status status = DECANT_OK;
    decant__header_tensor tensor = {0};
    TRY(parse_text(p, &tensor.name));
    if (!take(p, ':')) return refuse_header(p);
    if (strcmp(tensor.name, "__metadata__") == 0) return parse_metadata(p, header);
    if (header->tensor_count == MAX_ENTRIES ||
        decant__header_tensor_of(header, tensor.name) != NULL)
        return refuse_header(p);
    TRY(parse_tensor(p, &tensor));
    header->tensors[header->tensor_count++] = tensor;
done:
    return status;
}

decant_status decant__header_parse(decant__header *header, char *bytes, size_t length,
                                   const char *path) {
    decant_status status = DECANT_OK;
    parser p = {{bytes, bytes, bytes + length}, path};
    *header = (decant__header){0};
    NEW_ARRAY(header->tensors, MAX_ENTRIES);
    if (!take(&p, '{')) TRY(refuse_header(&p));
    if (!take(&p, '}')) {
        do TRY(parse_entry(&p, header));
        while (take(&p, ','));
        if (!take(&p, '}')) TRY(refuse_header(&p));
    }
    if (!decant__scan_ended(&p.scan)) TRY(refuse_header(&p));
done:
    if (status != DECANT_OK) decant__header_free(header);
    return status;
}

void decant__header_free(decant__header *header) {
    decant__free(header->metadata);
    decant__free(header->tensors);
    *header = (decant__header){0};
}

const char *decant__header_text(const decant__header *header, const char *key) {
    for (size_t i = 0; i < header->metadata_count; i++)
        if (strcmp(header->metadata[i].key, key) == 0) return header->metadata[i].value;
    return NULL;
}

const decant__header_tensor *decant__header_tensor_of(const decant__header *header,
                                                      const char *name) {
    for (size_t i = 0; i < header->tensor_count; i++)
        if (strcmp(header->tensors[i].name, name) == 0) return &header->tensors[i];
    return NULL;
}
