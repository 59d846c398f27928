#include "dec/tensors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/file.h"
#include "base/memory.h"

/* The checksum is XXH3-128 of the whole file with these 32 zeros in its own place. */
static const char NO_CHECKSUM[] = "00000000000000000000000000000000";
static const char CHECKSUM_KEY[] = "\"checksum\":\"";
enum { CHECKSUM_LENGTH = 32, PREFIX = 8, MOST_HEADER = 100000000 };

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

static json_t *describe_tensor(const decant__tensor *tensor, size_t begin, size_t end) {
    json_t *shape = json_array();
    json_array_append_new(shape, json_integer((json_int_t)tensor->rows));
    if (tensor->columns > 0)
        json_array_append_new(shape, json_integer((json_int_t)tensor->columns));
    return json_pack("{s:s, s:o, s:[I,I]}", "dtype", dtype_name[tensor->dtype], "shape", shape,
                     "data_offsets", (json_int_t)begin, (json_int_t)end);
}

/* The header as text, padded with blanks to a multiple of 8; NULL when memory ran out. */
static char *build_header(json_t *metadata, const decant__tensor *tensors, size_t count) {
    json_t *header = json_object(), *all = json_copy(metadata);
    size_t offset = 0;
    int failed = json_object_set_new(all, "checksum", json_string(NO_CHECKSUM));
    failed |= json_object_set_new(header, "__metadata__", all);
    for (size_t i = 0; i < count; i++) {
        size_t end = offset + item_count(&tensors[i]) * dtype_size[tensors[i].dtype];
        failed |=
            json_object_set_new(header, tensors[i].name, describe_tensor(&tensors[i], offset, end));
        offset = end;
    }
    char *plain = failed ? NULL : json_dumps(header, JSON_COMPACT), *padded = NULL;
    if (plain != NULL) {
        size_t length = strlen(plain), rounded = (length + PREFIX - 1) / PREFIX * PREFIX;
        padded = decant__alloc_array(rounded + 1, 1);
        if (padded != NULL) {
            memset(padded, ' ', rounded);
            memcpy(padded, plain, length);
            padded[rounded] = '\0';
        }
    }
    decant__free(plain); /* jansson allocates with malloc, as we do */
    json_decref(header);
    return padded;
}

static void print_checksum(XXH128_hash_t hash, char text[CHECKSUM_LENGTH + 1]) {
    snprintf(text, CHECKSUM_LENGTH + 1, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

/* Finds where the checksum stands in a header text; NULL if it is not there. */
static char *checksum_place(char *header, size_t length) {
    size_t key = sizeof CHECKSUM_KEY - 1;
    for (size_t i = 0; i + key + CHECKSUM_LENGTH <= length; i++)
        if (memcmp(header + i, CHECKSUM_KEY, key) == 0) return header + i + key;
    return NULL;
}

static decant_status seal_header(char *header, const decant__tensor *tensors, size_t count) {
    unsigned char prefix[PREFIX];
    size_t length = strlen(header);
    put_length(length, prefix);
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) return decant__fail(DECANT_ENOMEM, "out of memory for a checksum");
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, prefix, PREFIX);
    XXH3_128bits_update(state, header, length);
    for (size_t i = 0; i < count; i++)
        XXH3_128bits_update(state, tensors[i].data,
                            item_count(&tensors[i]) * dtype_size[tensors[i].dtype]);
    char text[CHECKSUM_LENGTH + 1];
    print_checksum(XXH3_128bits_digest(state), text);
    XXH3_freeState(state);
    memcpy(checksum_place(header, length), text, CHECKSUM_LENGTH);
    return DECANT_OK;
}

decant_status decant__tensors_write(const char *path, json_t *metadata,
                                    const decant__tensor *tensors, size_t count) {
    decant_status status = DECANT_OK;
    decant__writer writer = {0};
    char *header = build_header(metadata, tensors, count);
    if (header == NULL)
        return decant__fail(DECANT_ENOMEM, "%s: out of memory for its header", path);
    TRY(seal_header(header, tensors, count));
    TRY(decant__writer_open(&writer, path));
    unsigned char prefix[PREFIX];
    put_length(strlen(header), prefix);
    decant__writer_put(&writer, prefix, PREFIX);
    decant__writer_put(&writer, header, strlen(header));
    for (size_t i = 0; i < count; i++)
        decant__writer_put(&writer, tensors[i].data,
                           item_count(&tensors[i]) * dtype_size[tensors[i].dtype]);
    TRY(decant__writer_commit(&writer));
done:
    decant__writer_abandon(&writer);
    decant__free(header);
    return status;
}

static decant_status read_whole(decant__tensor_file *file) {
    decant_status status = DECANT_OK;
    struct stat info;
    FILE *stream = fopen(file->path, "rb");
    if (stream == NULL)
        return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", file->path, strerror(errno));
    if (fstat(fileno(stream), &info) != 0 || !S_ISREG(info.st_mode)) {
        status = decant__fail(DECANT_EIO, "%s: is not a regular file", file->path);
        goto done;
    }
    file->size = (size_t)info.st_size;
    NEW_ARRAY(file->bytes, file->size);
    if (fread(file->bytes, 1, file->size, stream) != file->size)
        status = decant__fail(DECANT_EIO, "%s: could not be read to its end", file->path);
done:
    fclose(stream);
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

static decant_status parse_header(decant__tensor_file *file) {
    if (file->size < PREFIX + 2)
        return decant__fail(DECANT_EFORMAT,
                            "%s: has only %zu bytes, which is no model or checkpoint", file->path,
                            file->size);
    uint64_t length = get_length(file->bytes);
    if (length > MOST_HEADER || length > file->size - PREFIX || file->bytes[PREFIX] != '{')
        return decant__fail(DECANT_EFORMAT,
                            "%s: is not a safetensors file, or is cut off in its header",
                            file->path);
    file->data_start = PREFIX + (size_t)length;
    decant_status status = check_sum(file, (size_t)length);
    if (status != DECANT_OK) return status;
    json_error_t error;
    file->header = json_loadb(file->bytes + PREFIX, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(file->header))
        return decant__fail(DECANT_EFORMAT, "%s: its header is not valid JSON: %s", file->path,
                            error.text);
    return DECANT_OK;
}

decant_status decant__tensors_read(decant__tensor_file *file, const char *path, const char *format,
                                   const char *version) {
    decant_status status = DECANT_OK;
    *file = (decant__tensor_file){.path = path};
    TRY(read_whole(file));
    TRY(parse_header(file));
    const char *found = decant__tensors_text(file, "format");
    const char *found_version = decant__tensors_text(file, "format_version");
    if (found == NULL || found_version == NULL) {
        status = DECANT_EFORMAT;
    } else if (strcmp(found, format) != 0) {
        status = decant__fail(DECANT_EFORMAT, "%s: expected a %s, found a %s", path, format, found);
    } else if (strcmp(found_version, version) != 0) {
        status =
            decant__fail(DECANT_EFORMAT, "%s: has format version %s, this decant reads version %s",
                         path, found_version, version);
    }
done:
    if (status != DECANT_OK) decant__tensors_close(file);
    return status;
}

void decant__tensors_close(decant__tensor_file *file) {
    decant__free(file->bytes);
    json_decref(file->header);
    *file = (decant__tensor_file){0};
}

int decant__tensors_has(const decant__tensor_file *file, const char *key) {
    return json_object_get(json_object_get(file->header, "__metadata__"), key) != NULL;
}

const char *decant__tensors_find_text(const decant__tensor_file *file, const char *key) {
    json_t *metadata = json_object_get(file->header, "__metadata__");
    return json_string_value(json_object_get(metadata, key));
}

const char *decant__tensors_text(const decant__tensor_file *file, const char *key) {
    const char *text = decant__tensors_find_text(file, key);
    if (text == NULL) decant__fail(DECANT_EFORMAT, "%s: its metadata has no '%s'", file->path, key);
    return text;
}

static int same_shape(json_t *shape, size_t rows, size_t columns) {
    size_t rank = columns > 0 ? 2 : 1;
    if (json_array_size(shape) != rank) return 0;
    if (json_integer_value(json_array_get(shape, 0)) != (json_int_t)rows) return 0;
    return rank == 1 || json_integer_value(json_array_get(shape, 1)) == (json_int_t)columns;
}

decant_status decant__tensors_get(const decant__tensor_file *file, const decant__tensor *tensor) {
    json_t *entry = json_object_get(file->header, tensor->name);
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    json_t *offsets = json_object_get(entry, "data_offsets");
    if (type == NULL || strcmp(type, dtype_name[tensor->dtype]) != 0 ||
        !same_shape(json_object_get(entry, "shape"), tensor->rows, tensor->columns))
        return decant__fail(DECANT_EFORMAT, "%s: tensor '%s' is missing or not %s of %zu x %zu",
                            file->path, tensor->name, dtype_name[tensor->dtype], tensor->rows,
                            tensor->columns > 0 ? tensor->columns : 1);
    size_t begin = (size_t)json_integer_value(json_array_get(offsets, 0));
    size_t end = (size_t)json_integer_value(json_array_get(offsets, 1));
    size_t bytes = item_count(tensor) * dtype_size[tensor->dtype];
    if (begin > end || end > file->size - file->data_start || end - begin != bytes)
        return decant__fail(DECANT_EFORMAT, "%s: tensor '%s' lies outside of the file", file->path,
                            tensor->name);
    if (bytes > 0) memcpy(tensor->data, file->bytes + file->data_start + begin, bytes);
    return DECANT_OK;
}

int decant__tensors_recognise(const char *path) {
    char start[PREFIX + 1];
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return 0;
    size_t count = fread(start, 1, sizeof start, stream);
    fclose(stream);
    return count == sizeof start && start[PREFIX] == '{' && get_length(start) <= MOST_HEADER;
}
