#include "store/tensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/file.h"
#include "base/memory.h"

/* The checksum is XXH3-128 of the whole file, with these 32 zeros instead of the checksum. */
static const char NO_CHECKSUM[] = "00000000000000000000000000000000";
static const char CHECKSUM_KEY[] = "\"checksum\":\"";
enum { CHECKSUM_LENGTH = 32, PREFIX = 8, MAX_HEADER = 100000000 };

static const char *const dtype_name[] = {"F32", "I32", "F64"};
static const size_t dtype_size[] = {4, 4, 8};

static size_t item_count(const decant__tensor *tensor) {
    return tensor->rows * (tensor->columns > 0 ? tensor->columns : 1);
}

static void put_length(uint64_t length, unsigned char out[PREFIX]) {
    for (int i = 0; i < PREFIX; i++) out[i] = (unsigned char)(length >> (8 * i));
}

static uint64_t get_length(const char *bytes) {
    uint64_t length = 0;
    for (int i = 0; i < PREFIX; i++) length |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return length;
}

static size_t byte_count(const decant__tensor *tensor) {
    return item_count(tensor) * dtype_size[tensor->dtype];
}

/* The header as text, padded with blanks to a multiple of 8. */
static decant_status build_header(const decant__metadata *metadata, const decant__tensor *tensors,
                                  size_t count, decant__text *header) {
    static const char blanks[PREFIX] = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '};
    const decant__text *pairs = &metadata->pairs;
    size_t offset = 0;
    if (metadata->status != DECANT_OK) return metadata->status;
    decant__text_print(header, "{\"__metadata__\":{");
    decant__text_put(header, pairs->bytes, pairs->length);
    decant__text_print(header, "%s%s%s\"}", pairs->length > 0 ? "," : "", CHECKSUM_KEY,
                       NO_CHECKSUM);
    for (size_t i = 0; i < count; i++) {
        const decant__tensor *t = &tensors[i];
        size_t end = offset + byte_count(t);
        decant__header_put_tensor(header, &(decant__header_tensor){.name = t->name,
                                                                   .dtype = dtype_name[t->dtype],
                                                                   .rank = t->columns > 0 ? 2 : 1,
                                                                   .shape = {t->rows, t->columns},
                                                                   .begin = offset,
                                                                   .end = end});
        offset = end;
    }
    decant__text_put(header, "}", 1);
    decant__text_put(header, blanks, (PREFIX - header->length % PREFIX) % PREFIX);
    return header->failed ? decant__fail(DECANT_ENOMEM, "memory ran out for a header") : DECANT_OK;
}

static void print_checksum(XXH128_hash_t hash, char text[CHECKSUM_LENGTH + 1]) {
    snprintf(text, CHECKSUM_LENGTH + 1, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

/* Finds the checksum in the text of a header; NULL if it is not there. */
static char *checksum_place(char *header, size_t length) {
    size_t key = sizeof CHECKSUM_KEY - 1;
    for (size_t i = 0; i + key + CHECKSUM_LENGTH <= length; i++)
        if (memcmp(header + i, CHECKSUM_KEY, key) == 0) return header + i + key;
    return NULL;
}

/* Computes the checksum and writes it into the header. */
static decant_status seal_header(decant__text *header, const decant__tensor *tensors,
                                 size_t count) {
    unsigned char prefix[PREFIX];
    put_length(header->length, prefix);
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) return decant__fail(DECANT_ENOMEM, "memory ran out for a checksum");
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, prefix, PREFIX);
    XXH3_128bits_update(state, header->bytes, header->length);
    for (size_t i = 0; i < count; i++)
        XXH3_128bits_update(state, tensors[i].data, byte_count(&tensors[i]));
    char text[CHECKSUM_LENGTH + 1];
    print_checksum(XXH3_128bits_digest(state), text);
    XXH3_freeState(state);
    memcpy(checksum_place(header->bytes, header->length), text, CHECKSUM_LENGTH);
    return DECANT_OK;
}

void decant__tensors_begin(decant__metadata *metadata, const char *format, const char *version) {
    decant__metadata_put(metadata, "format", format);
    decant__metadata_put(metadata, "format_version", version);
}

decant_status decant__tensors_write(const char *path, const decant__metadata *metadata,
                                    const decant__tensor *tensors, size_t count) {
    decant_status status = DECANT_OK;
    decant__writer writer = {0};
    decant__text header = {0};
    unsigned char prefix[PREFIX];
    status = build_header(metadata, tensors, count, &header);
    if (status == DECANT_OK) status = seal_header(&header, tensors, count);
    if (status != DECANT_OK) TRY(decant__fail_in(status, path));
    TRY(decant__writer_open(&writer, path));
    put_length(header.length, prefix);
    decant__writer_put(&writer, prefix, PREFIX);
    decant__writer_put(&writer, header.bytes, header.length);
    for (size_t i = 0; i < count; i++)
        decant__writer_put(&writer, tensors[i].data, byte_count(&tensors[i]));
    TRY(decant__writer_commit(&writer));
done:
    decant__writer_abandon(&writer);
    decant__text_free(&header);
    return status;
}

decant_status decant__tensors_encode(const decant__metadata *metadata,
                                     const decant__tensor *tensors, size_t count, char **bytes,
                                     size_t *size) {
    decant_status status = DECANT_OK;
    decant__text header = {0};
    char *encoded = NULL;
    TRY(build_header(metadata, tensors, count, &header));
    TRY(seal_header(&header, tensors, count));
    size_t total = PREFIX + header.length;
    for (size_t i = 0; i < count; i++) total += byte_count(&tensors[i]);
    NEW_ARRAY(encoded, total);
    put_length(header.length, (unsigned char *)encoded);
    memcpy(encoded + PREFIX, header.bytes, header.length);
    char *at = encoded + PREFIX + header.length;
    for (size_t i = 0; i < count; i++) {
        if (byte_count(&tensors[i]) > 0) memcpy(at, tensors[i].data, byte_count(&tensors[i]));
        at += byte_count(&tensors[i]);
    }
    *bytes = encoded;
    *size = total;
done:
    decant__text_free(&header);
    return status;
}

static decant_status check_sum(decant__tensor_file *file, size_t length) {
    char *place = checksum_place(file->bytes + PREFIX, length);
    if (place == NULL)
        return decant__fail(DECANT_EFORMAT, "%s: has no checksum, so it was not written by decant",
                            file->path);
    char stored[CHECKSUM_LENGTH], found[CHECKSUM_LENGTH + 1];
    memcpy(stored, place, CHECKSUM_LENGTH);
    memcpy(place, NO_CHECKSUM, CHECKSUM_LENGTH);
    print_checksum(XXH3_128bits(file->bytes, file->size), found);
    memcpy(place, stored, CHECKSUM_LENGTH);
    if (memcmp(stored, found, CHECKSUM_LENGTH) != 0)
        return decant__fail(DECANT_EFORMAT, "%s: is damaged: its checksum does not match",
                            file->path);
    return DECANT_OK;
}

/* Checks layout and checksum, and parses the header. */
static decant_status check_layout(decant__tensor_file *file) {
    if (file->size < PREFIX + 2)
        return decant__fail(DECANT_EFORMAT,
                            "%s: has only %zu bytes, too few for a model or checkpoint", file->path,
                            file->size);
    uint64_t length = get_length(file->bytes);
    if (length > MAX_HEADER || length > file->size - PREFIX || file->bytes[PREFIX] != '{')
        return decant__fail(
            DECANT_EFORMAT,
            "%s: is not a safetensors file, as a model is, or its header is truncated", file->path);
    file->data_start = PREFIX + (size_t)length;
    decant_status status = check_sum(file, (size_t)length);
    if (status != DECANT_OK) return status;
    return decant__header_parse(&file->header, file->bytes + PREFIX, (size_t)length, file->path);
}

/* Is the version one of "1 or 2"? */
static int is_listed(const char *version, const char *list) {
    size_t length = strlen(version);
    for (; *list != '\0'; list += strcspn(list, " "), list += strspn(list, " "))
        if (strcspn(list, " ") == length && strncmp(list, version, length) == 0) return length > 0;
    return 0;
}

static decant_status check_format(const decant__tensor_file *file, const char *format,
                                  const char *version) {
    const char *found = decant__tensors_text(file, "format");
    const char *found_version = decant__tensors_text(file, "format_version");
    if (found == NULL || found_version == NULL) return DECANT_EFORMAT;
    if (strcmp(found, format) != 0)
        return decant__fail(DECANT_EFORMAT, "%s: expected a %s, found a %s", file->path, format,
                            found);
    if (!is_listed(found_version, version))
        return decant__fail(DECANT_EFORMAT,
                            "%s: has format version %s, this decant reads version %s", file->path,
                            found_version, version);
    return DECANT_OK;
}

decant_status decant__tensors_read(decant__tensor_file *file, const char *path, const char *format,
                                   const char *version) {
    decant_status status = DECANT_OK;
    *file = (decant__tensor_file){.path = path};
    TRY(decant__file_read(path, &file->bytes, &file->size));
    TRY(check_layout(file));
    TRY(check_format(file, format, version));
done:
    if (status != DECANT_OK) decant__tensors_close(file);
    return status;
}

decant_status decant__tensors_decode(decant__tensor_file *file, const char *path, const void *bytes,
                                     size_t size, const char *format, const char *version) {
    decant_status status = DECANT_OK;
    *file = (decant__tensor_file){.path = path, .size = size};
    NEW_ARRAY(file->bytes, size);
    if (size > 0) memcpy(file->bytes, bytes, size);
    TRY(check_layout(file));
    TRY(check_format(file, format, version));
done:
    if (status != DECANT_OK) decant__tensors_close(file);
    return status;
}

void decant__tensors_close(decant__tensor_file *file) {
    decant__free(file->bytes);
    decant__header_free(&file->header);
    *file = (decant__tensor_file){0};
}

const char *decant__tensors_find_text(const decant__tensor_file *file, const char *key) {
    return decant__header_text(&file->header, key);
}

const char *decant__tensors_text(const decant__tensor_file *file, const char *key) {
    const char *text = decant__tensors_find_text(file, key);
    if (text == NULL) decant__fail(DECANT_EFORMAT, "%s: its metadata has no '%s'", file->path, key);
    return text;
}

static int has_shape(const decant__header_tensor *found, size_t rows, size_t columns) {
    return found->rank == (columns > 0 ? 2 : 1) && found->shape[0] == rows &&
           (columns == 0 || found->shape[1] == columns);
}

decant_status decant__tensors_get(const decant__tensor_file *file, const decant__tensor *tensor) {
    const decant__header_tensor *found = decant__header_tensor_of(&file->header, tensor->name);
    if (found == NULL || strcmp(found->dtype, dtype_name[tensor->dtype]) != 0 ||
        !has_shape(found, tensor->rows, tensor->columns))
        return decant__fail(DECANT_EFORMAT, "%s: tensor '%s' is missing or not %s of %zu x %zu",
                            file->path, tensor->name, dtype_name[tensor->dtype], tensor->rows,
                            tensor->columns > 0 ? tensor->columns : 1);
    size_t bytes = byte_count(tensor);
    if (found->begin > found->end || found->end > file->size - file->data_start ||
        found->end - found->begin != bytes)
        return decant__fail(DECANT_EFORMAT, "%s: tensor '%s' is outside of the file", file->path,
                            tensor->name);
    if (bytes > 0) memcpy(tensor->data, file->bytes + file->data_start + found->begin, bytes);
    return DECANT_OK;
}

int decant__tensors_finite(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

int decant__tensors_recognise(const char *path) {
    char start[PREFIX + 1];
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return 0;
    size_t count = fread(start, 1, sizeof start, stream);
    fclose(stream);
    return count == sizeof start && start[PREFIX] == '{' && get_length(start) <= MAX_HEADER;
}
