#include "tensor_edit.h"

#include <string.h>

#include <jansson.h>
#include <xxhash.h>

enum { PREFIX = 8, CHECKSUM = 32 };
static const char CHECKSUM_KEY[] = "\"checksum\":\"";

void tensor_add_base(tensor_bases *bases, const char *path) {
    FUZZ_CHECK(bases->count < TENSOR_BASES, "too many bases");
    bases->bytes[bases->count] = fuzz_read(path, &bases->size[bases->count]);
    bases->count++;
    fuzz_remove(path);
}

static uint64_t header_length(const char *bytes) {
    uint64_t length = 0;
    for (int i = 0; i < PREFIX; i++) length |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return length;
}

/* Sets the checksum right, if the header has one. */
static void seal(char *bytes, size_t size) {
    uint64_t length = size >= PREFIX ? header_length(bytes) : 0;
    size_t key = sizeof CHECKSUM_KEY - 1;
    if (size < PREFIX || length > size - PREFIX) return;
    for (size_t i = PREFIX; i + key + CHECKSUM <= PREFIX + length; i++) {
        if (memcmp(bytes + i, CHECKSUM_KEY, key) != 0) continue;
        char text[CHECKSUM + 1];
        memset(bytes + i + key, '0', CHECKSUM);
        XXH128_hash_t hash = XXH3_128bits(bytes, size);
        snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash.high64,
                 (unsigned long long)hash.low64);
        memcpy(bytes + i + key, text, CHECKSUM);
        return;
    }
}

/* A file in parts: edits change them one by one. */
typedef struct parts {
    json_t *header, *metadata;
    char *data;
    size_t size;
} parts;

static parts take_apart(const char *bytes, size_t size) {
    parts p = {0};
    size_t length = (size_t)header_length(bytes);
    p.header = json_loadb(bytes + PREFIX, length, 0, NULL);
    p.metadata = json_object_get(p.header, "__metadata__");
    p.size = size - PREFIX - length;
    p.data = malloc(p.size + 1);
    FUZZ_CHECK(p.metadata != NULL && p.data != NULL, "a base cannot be taken apart");
    memcpy(p.data, bytes + PREFIX + length, p.size);
    return p;
}

static void write_parts(const parts *p, const char *path) {
    char *header = json_dumps(p->header, JSON_COMPACT);
    FUZZ_CHECK(header != NULL, "a header cannot be written");
    size_t length = strlen(header), size = PREFIX + length + p->size;
    char *bytes = malloc(size);
    FUZZ_CHECK(bytes != NULL, "no memory");
    for (int i = 0; i < PREFIX; i++) bytes[i] = (char)(unsigned char)((uint64_t)length >> (8 * i));
    memcpy(bytes + PREFIX, header, length);
    memcpy(bytes + PREFIX + length, p->data, p->size);
    seal(bytes, size);
    fuzz_write(path, bytes, size);
    free(bytes);
    free(header);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* name+offset=hex, all of them 0-terminated. */
static void patch_data(parts *p, char *name, const char *hex) {
    char *plus = strrchr(name, '+');
    unsigned long long from = 0;
    if (plus != NULL) {
        *plus = '\0';
        from = strtoull(plus + 1, NULL, 10);
    }
    json_t *offsets = json_object_get(json_object_get(p->header, name), "data_offsets");
    from += (unsigned long long)json_integer_value(json_array_get(offsets, 0));
    for (; hex_digit(hex[0]) >= 0 && hex_digit(hex[1]) >= 0 && from < p->size; hex += 2)
        p->data[from++] = (char)(hex_digit(hex[0]) * 16 + hex_digit(hex[1]));
}

static void set_tensor(parts *p, const char *name, const char *text) {
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    if (value != NULL) json_object_set_new(p->header, name, value);
}

static void apply(parts *p, char *line) {
    if (line[0] == '-' && line[1] == '@') json_object_del(p->header, line + 2);
    if (line[0] == '-' && line[1] != '@') json_object_del(p->metadata, line + 1);
    char *value = strchr(line, '=');
    if (value == NULL || line[0] == '-') return;
    *value++ = '\0';
    if (line[0] == '#')
        patch_data(p, line + 1, value);
    else if (line[0] == '@')
        set_tensor(p, line + 1, value);
    else
        json_object_set_new(p->metadata, line, json_string(value)); /* refused if not UTF-8 */
}

size_t tensor_edit(const tensor_bases *bases, const uint8_t *input, size_t size, const char *path) {
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL, "no memory");
    if (size > 0) memcpy(text, input, size);
    text[size] = '\0';
    if (size > PREFIX && text[PREFIX] == '{') {
        seal(text, size);
        fuzz_write(path, text, size);
        free(text);
        return 0;
    }
    size_t base = text[0] >= '0' && text[0] <= '9' ? strtoul(text, NULL, 10) % bases->count : 0;
    parts p = take_apart(bases->bytes[base], bases->size[base]);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        apply(&p, line);
        p.metadata = json_object_get(p.header, "__metadata__");
    }
    write_parts(&p, path);
    json_decref(p.header);
    free(p.data);
    free(text);
    return base;
}

/* Words of all bases; libFuzzer does not mind that some come twice. */
void tensor_print_words(const tensor_bases *bases, FILE *file) {
    char word[128];
    const char *key;
    json_t *value;
    for (size_t b = 0; b < bases->count; b++) {
        parts p = take_apart(bases->bytes[b], bases->size[b]);
        json_object_foreach(p.metadata, key, value) {
            snprintf(word, sizeof word, "\n%.60s=", key);
            fuzz_print_word(file, word);
        }
        json_object_foreach(p.header, key, value) {
            snprintf(word, sizeof word, "\n#%.60s+", key);
            fuzz_print_word(file, word);
            snprintf(word, sizeof word, "\n@%.60s={\"data_offsets\":[", key);
            fuzz_print_word(file, word);
        }
        json_decref(p.header);
        free(p.data);
    }
}
