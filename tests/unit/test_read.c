/* What all formats have in common: labels, several files, folders, streams, and no memory. */
#include <fcntl.h>
#include <sys/stat.h>

#include "files.h"

#include "base/memory.h"
#include "base/watch.h"
#include "data/dataset.h"
#include "decant/file.h"

static decant_status read_labelled(const char *path, const char *labels, decant_dataset **data) {
    decant_read_options options = {
        .struct_size = sizeof options, .label_paths = &labels, .label_path_count = 1};
    return decant_dataset_read(&path, 1, &options, NULL, data);
}

static const unsigned char idx_labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 7, 5, 7};

static void test_label_files_of_all_formats(void **state) {
    (void)state;
    const float numbers[] = {7, 5, 7};
    const char *data_path = write_text("rows.csv", "1,2\n3,4\n5,6\n");
    decant_npy_write(in_folder("labels.npy"), numbers, 3, 1);
    const char *files[] = {
        write_bytes("labels.idx", idx_labels, sizeof idx_labels),
        write_gzip("labels.gz", idx_labels, sizeof idx_labels),
        in_folder("labels.npy"),
        write_text("labels.txt", "7\n5.0\n7\n"),
        write_text("labels.csv", "label\r\n7\r\n5\r\n7\r\n"),
        write_text("labels.svm", "7 1:1\n5 1:1\n+7 1:2\n"),
        write_text("labels.mtx",
                   "%%MatrixMarket matrix coordinate integer general\n"
                   "3 1 3\n3 1 7\n1 1 7\n2 1 5\n"),
    };
    const int32_t expected[] = {1, 0, 1};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        decant_dataset *data;
        assert_ok(read_labelled(data_path, files[i], &data));
        assert_int_equal(decant_dataset_class_count(data), 2);
        assert_string_equal(decant_dataset_class_name(data, 0), "5");
        assert_string_equal(decant_dataset_class_name(data, 1), "7");
        assert_memory_equal(decant_dataset_labels(data), expected, sizeof expected);
        decant_dataset_free(data);
    }
}

static void test_label_file_with_names(void **state) {
    (void)state;
    decant_dataset *data;
    assert_ok(read_labelled(write_text("rows", "1 1:1\n2 1:2\n3 2:3\n"),
                            write_text("names", "tea\n\"a, b\"\ntea\n"), &data));
    const int32_t expected[] = {1, 0, 1}; /* and not the 1, 2, 3 inside the file */
    assert_int_equal(data->class_count, 2);
    assert_string_equal(decant_dataset_class_name(data, 0), "a, b");
    assert_memory_equal(data->labels, expected, sizeof expected);
    decant_dataset_free(data);
}

static void test_mapped_data_gets_labels(void **state) {
    (void)state;
    const float x[] = {1, 2, 3};
    decant_dataset *data = NULL;
    decant_npy_write(in_folder("m.npy"), x, 3, 1);
    assert_ok(read_labelled(in_folder("m.npy"), write_text("m.txt", "b\na\nb\n"), &data));
    assert_int_equal(data->labels[0], 1);
    decant_dataset_free(data);
    data = NULL;
    assert_fails(read_labelled(in_folder("m.npy"), write_text("m.txt", "b\na\n"), &data),
                 DECANT_EFORMAT, "m.txt: has 2 labels, but ");
    assert_null(data);
}

static void test_labels_broken(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *rows = write_text("rows.csv", "1\n2\n3\n");
    assert_fails(read_labelled(rows, write_text("l", "1\n2\n"), &data), DECANT_EFORMAT,
                 "l: has 2 labels, but ");
    assert_fails(read_labelled(rows, write_text("l", "1\n2\n3\n4\n"), &data), DECANT_EFORMAT,
                 "rows.csv has 3 rows");
    assert_fails(read_labelled(rows, write_text("l", "1,2\n3,4\n5,6\n"), &data), DECANT_EFORMAT,
                 "l: line 1: expected one label, found 2 cells");
    assert_fails(read_labelled(rows, write_text("l", "1\n\n3\n"), &data), DECANT_EFORMAT,
                 "line 2: expected a row, found an empty line");
    assert_fails(read_labelled(rows, write_text("l", ""), &data), DECANT_EFORMAT, "is empty");
    assert_fails(read_labelled(rows, in_folder("absent"), &data), DECANT_EIO, "absent: cannot be");
    const float halves[] = {1, .5f, 2}, large[] = {1, 3e7f, 2}, two[] = {1, 2, 3, 4, 5, 6};
    decant_npy_write(in_folder("l.npy"), halves, 3, 1);
    assert_fails(read_labelled(rows, in_folder("l.npy"), &data), DECANT_EFORMAT,
                 "l.npy: row 2: expected a whole number below 2^24 for a label, found 0.5");
    decant_npy_write(in_folder("l.npy"), large, 3, 1);
    assert_fails(read_labelled(rows, in_folder("l.npy"), &data), DECANT_EFORMAT, "found 3e+07");
    decant_npy_write(in_folder("l.npy"), two, 3, 2);
    assert_fails(read_labelled(rows, in_folder("l.npy"), &data), DECANT_EFORMAT,
                 "l.npy: expected one label for each row, found 2 columns");
    assert_null(data);
}

static void test_arguments_broken(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *paths[] = {write_text("a.csv", "1,2\n"), write_text("b.csv", "3,4\n")};
    const char *svm = write_text("c.svm", "1 1:1\n");
    decant_read_options options = {.struct_size = sizeof options, .label_paths = paths};
    options.label_path_count = 1;
    assert_fails(decant_dataset_read(paths, 2, &options, NULL, &data), DECANT_EINVAL,
                 "expected a label file for each of the 2 data files, found 1");
    options.label_path_count = 2;
    options.label_column = "1";
    assert_fails(decant_dataset_read(paths, 2, &options, NULL, &data), DECANT_EINVAL, "not both");
    options.label_paths = NULL;
    assert_fails(decant_dataset_read(&svm, 1, &options, NULL, &data), DECANT_EINVAL,
                 "c.svm: id and label columns are for tables, this is svmlight");
    options.struct_size = 0;
    assert_fails(decant_dataset_read(paths, 2, &options, NULL, &data), DECANT_EINVAL,
                 "struct_size");
    assert_fails(decant_dataset_read(paths, 0, NULL, NULL, &data), DECANT_EINVAL, "no data file");
    options = (decant_read_options){.struct_size = sizeof options, .columns = 5};
    assert_fails(decant_dataset_read(paths, 2, &options, NULL, &data), DECANT_EFORMAT,
                 "a.csv: expected 5 columns, found 2");
    assert_null(data);
}

static void test_several_files(void **state) {
    (void)state;
    const float x[] = {7, 8};
    decant_dataset *data = NULL;
    decant_npy_write(in_folder("b.npy"), x, 1, 2);
    const char *paths[] = {write_text("a.csv", "1,2\n3,4\n"), in_folder("b.npy"),
                           write_text("c.csv", "x,y\n5,6\n")};
    const float expected[] = {1, 2, 3, 4, 7, 8, 5, 6};
    assert_ok(decant_dataset_read(paths, 3, NULL, NULL, &data));
    assert_int_equal(data->n, 4);
    assert_memory_equal(data->dense, expected, sizeof expected);
    decant_dataset_free(data);
    data = NULL;
    paths[1] = write_text("b.csv", "1,2,3\n");
    assert_fails(decant_dataset_read(paths, 3, NULL, NULL, &data), DECANT_EFORMAT,
                 "b.csv: has 3 columns, but ");
    paths[1] = write_text("b.svm", "1 1:1 2:2\n");
    assert_fails(decant_dataset_read(paths, 3, NULL, NULL, &data), DECANT_EFORMAT,
                 "b.svm: is svmlight (sparse), but ");
    const char *sparse[] = {paths[1], DECANT_TEST_DATA "/formats/coordinate.mtx"};
    assert_fails(decant_dataset_read(sparse, 2, NULL, NULL, &data), DECANT_EFORMAT,
                 "is Matrix Market");
    assert_null(data);
}

static void test_files_of_other_kinds_are_named(void **state) {
    (void)state;
    assert_refused(write_bytes("x.xlsx",
                               "PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\23\0\0\0[Content_Types].xml",
                               49),
                   "x.xlsx: is a sheet or document of an office program; to convert it: python -c "
                   "\"import pandas; pandas.read_excel('");
    assert_refused(write_bytes("x.bin", "ab\0cd", 5), "is a binary file of an unknown kind");
    assert_refused(write_bytes("x.parquet", "PAR1\0\0", 6), "is a Parquet file; to convert it: ");
    assert_refused(write_bytes("x.mat", "MATLAB 7.3 MAT-file, Platform", 29), "MATLAB 7.3");
    assert_refused(write_bytes("x.db", "SQLite format 3\0", 16), "x.db 'select * from NAME'");
    assert_refused(write_gzip("x.rds", "X\n\0\0\0\3\0\4", 8), "is a file of R (saveRDS)");
    assert_refused(write_bytes("x.pkl", "\x80\x05\x95\0", 4),
                   "can run code of its author when it is read; to convert it: python");
    assert_refused(write_text("x.json", "[{\"a\": 1}, {\"a\": 2}]"), "not one object on each line");
    assert_refused(write_text("y.json", "{\n \"a\": 1\n}\n"), "not one object on each line");
    assert_refused(write_bytes("x.gif", "GIF89a\1\0\1\0\0\0", 12), "neither PNG nor JPEG");
}

/* Letters that a table may begin with as well. */
static void test_magic_letters_may_begin_a_table(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    assert_ok(read_one(write_text("par.csv", "PAR1,PAR2\n1,2\n"), &data));
    assert_string_equal(decant_dataset_column_name(data, 0), "PAR1");
    decant_dataset_free(data);
    assert_ok(read_one(write_text("bz.csv", "BZh,x\n1,2\n"), &data));
    decant_dataset_free(data);
}

static void assert_format_table_in(const char *path) {
    char row[512];
    static char text[1 << 17];
    text[read_bytes(path, (unsigned char *)text, sizeof text - 1)] = '\0';
    for (size_t i = 0; i < decant_format_count(); i++) {
        const decant_format_info *info = decant_format_at(i);
        snprintf(row, sizeof row, "\n| %s | %s | %s |\n", info->name, info->recognised, info->help);
        if (strstr(text, row) == NULL) fail_msg("%s lacks the row:%s", path, row);
    }
}

/* The public table names every format that is read, each once. */
static void test_format_table(void **state) {
    (void)state;
    size_t count = decant_format_count();
    assert_int_equal(count, 16);
    for (size_t i = 0; i < count; i++) {
        const decant_format_info *info = decant_format_at(i);
        assert_true(strlen(info->name) > 0 && strlen(info->recognised) > 0 && info->help != NULL);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(info->name, decant_format_at(j)->name);
    }
    assert_null(decant_format_at(count));
    assert_format_table_in(DECANT_TEST_DATA "/../../docs/format.md");
    assert_string_equal(decant_format_at(count - 1)->name, "text");
}

/* Three train and two test images of 1 x 2, in all spellings. */
static void write_mnist(const char *mark, int packed) {
    static const unsigned char train[] = {0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0,
                                          1, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6};
    static const unsigned char test[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0,
                                         0, 1, 0, 0, 0, 2, 7, 8, 9, 10};
    static const unsigned char test_labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 5};
    const struct {
        const char *part;
        int dimensions;
        const unsigned char *bytes;
        size_t count;
    } files[] = {{"train-images", 3, train, sizeof train},
                 {"train-labels", 1, idx_labels, sizeof idx_labels},
                 {"t10k-images", 3, test, sizeof test},
                 {"t10k-labels", 1, test_labels, sizeof test_labels}};
    for (size_t i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "mnist/%s%sidx%d-ubyte%s", files[i].part, mark,
                 files[i].dimensions, packed ? ".gz" : "");
        if (packed)
            write_gzip(name, files[i].bytes, files[i].count);
        else
            write_bytes(name, files[i].bytes, files[i].count);
    }
}

static void test_folder_of_mnist_kind(void **state) {
    (void)state;
    char folder[64];
    decant_dataset *data = NULL;
    const int32_t labels[] = {2, 1, 2, 0, 1}; /* of 1, 5, 7 */
    snprintf(folder, sizeof folder, "%s", in_folder("mnist"));
    mkdir(folder, 0700);
    assert_fails(read_one(folder, &data), DECANT_EIO,
                 "of MNIST's four files train-images-idx3-ubyte");
    for (int way = 0; way < 4; way++) {
        write_mnist(way / 2 ? "." : "-", way % 2);
        assert_ok(read_one(folder, &data));
        assert_int_equal(data->n, 5);
        assert_int_equal(data->d, 2);
        for (size_t i = 0; i < 10; i++) assert_true(data->dense[i] == (float)(i + 1));
        assert_memory_equal(data->labels, labels, sizeof labels);
        decant_dataset_free(data);
        remove_folder_at(folder);
        mkdir(folder, 0700);
    }
    write_mnist("-", 1);
    remove(in_folder("mnist/t10k-labels-idx1-ubyte.gz"));
    data = NULL;
    assert_fails(read_one(folder, &data), DECANT_EIO, "t10k-labels-idx1-ubyte");
    assert_fails(read_labelled(folder, in_folder("x"), &data), DECANT_EINVAL, "labels of its own");
}

/* Streaming gives the same rows as reading at once, for any size of block. */
static void assert_streams_like_whole(const char *const *paths, size_t count,
                                      const decant_read_options *options) {
    decant_dataset *whole, *block;
    assert_ok(decant_dataset_read(paths, count, options, NULL, &whole));
    for (size_t size = 1; size < 9; size++) {
        decant_stream *stream;
        size_t row = 0;
        assert_ok(decant_stream_open(paths, count, options, NULL, &stream));
        for (;;) {
            assert_ok(decant_stream_next(stream, size, &block));
            if (block == NULL) break;
            assert_true(block->n <= size && block->d == whole->d);
            assert_int_equal(decant_dataset_is_sparse(block), decant_dataset_is_sparse(whole));
            for (size_t i = 0; i < block->n; i++, row++) {
                if (whole->dense != NULL) {
                    assert_memory_equal(block->dense + i * block->d, whole->dense + row * whole->d,
                                        whole->d * sizeof(float));
                } else {
                    size_t length = whole->start[row + 1] - whole->start[row];
                    assert_int_equal(block->start[i + 1] - block->start[i], length);
                    assert_memory_equal(block->column + block->start[i],
                                        whole->column + whole->start[row], 4 * length);
                    assert_memory_equal(block->value + block->start[i],
                                        whole->value + whole->start[row], 4 * length);
                }
                if (whole->labels != NULL)
                    assert_string_equal(
                        decant_dataset_class_name(block, (size_t)block->labels[i]),
                        decant_dataset_class_name(whole, (size_t)whole->labels[row]));
            }
            decant_dataset_free(block);
        }
        assert_int_equal(row, whole->n);
        assert_ok(decant_stream_next(stream, size, &block));
        assert_null(block);
        decant_stream_close(stream);
    }
    decant_dataset_free(whole);
}

static void test_stream_like_whole(void **state) {
    (void)state;
#define FORMATS DECANT_TEST_DATA "/formats/"
    decant_read_options options = {.struct_size = sizeof options, .columns = 6};
    const char *npy[] = {FORMATS "f4_le.npy", FORMATS "fortran.npy", FORMATS "i2_be.npy"};
    const char *mtx[] = {FORMATS "coordinate.mtx", FORMATS "coordinate.mtx"};
    const char *svm = FORMATS "one.svm", *array = FORMATS "array.mtx";
    assert_streams_like_whole(npy, 3, &options);
    assert_streams_like_whole(mtx, 2, &options);
    assert_streams_like_whole(&svm, 1, &options);
    assert_streams_like_whole(&array, 1, NULL);
    const char *csv[] = {write_text("s1.csv", "a,b\n1,b\n2,a\n3,c\n"),
                         write_text("s2.csv", "4,a\n")};
    options = (decant_read_options){.struct_size = sizeof options, .label_column = "2"};
    assert_streams_like_whole(csv, 2, &options);
    const char *labels[] = {write_text("s1.txt", "5\n6\n5\n"), write_text("s2.txt", "9\n")};
    const char *rows[] = {write_text("s1.csv", "1\n2\n3\n"), write_text("s2.csv", "4\n")};
    options = (decant_read_options){
        .struct_size = sizeof options, .label_paths = labels, .label_path_count = 2};
    assert_streams_like_whole(rows, 2, &options);
}

static void test_stream_broken(void **state) {
    (void)state;
    decant_stream *stream = NULL;
    decant_dataset *block = NULL;
    const char *path = write_text("late.csv", "1,2\n2,4\n5\n");
    const char *labels = write_text("late.txt", "a\n");
    decant_read_options options = {
        .struct_size = sizeof options, .label_paths = &labels, .label_path_count = 1};
    assert_fails(decant_stream_open(NULL, 0, NULL, NULL, &stream), DECANT_EINVAL, "no data file");
    assert_fails(decant_stream_open(&path, 1, NULL, NULL, &stream), DECANT_EFORMAT,
                 "late.csv: line 3: expected 2 cells, found 1");
    path = write_text("fine.csv", "1,2\n2,4\n5,8\n");
    assert_ok(decant_stream_open(&path, 1, NULL, NULL, &stream));
    assert_fails(decant_stream_next(stream, 0, &block), DECANT_EINVAL, "at least one row");
    assert_ok(decant_stream_next(stream, 2, &block));
    assert_int_equal(decant_dataset_rows(block), 2);
    decant_dataset_free(block);
    decant_stream_close(stream);
    assert_ok(decant_stream_open(&path, 1, &options, NULL, &stream));
    assert_fails(decant_stream_next(stream, 2, &block), DECANT_EFORMAT,
                 "late.txt: has 1 labels, but ");
    decant_stream_close(stream);
    path = in_folder("absent.csv");
    assert_fails(decant_stream_open(&path, 1, NULL, NULL, &stream), DECANT_EIO,
                 "absent.csv: cannot be opened");
    decant_stream_close(NULL);
}

/* Reading with each allocation failing in turn: an error, never a leak (the sanitizers look), and
 * at the end it works. */
static void fail_each_allocation(const char *const *paths, size_t count,
                                 const decant_read_options *options) {
    for (size_t n = 1;; n++) {
        decant_dataset *data = NULL;
        decant__alloc_fail_at(n);
        decant_status status = decant_dataset_read(paths, count, options, NULL, &data);
        size_t allocations = decant__alloc_fail_at(0);
        /* An allocation that only gives memory back may fail without harm. */
        if (status == DECANT_OK) {
            decant_dataset_free(data);
            if (allocations < n) break;
        } else {
            assert_int_equal(status, DECANT_ENOMEM);
            assert_non_null(strstr(decant_last_error(), "memory"));
            assert_null(data);
        }
    }
}

static void test_allocation_failures(void **state) {
    (void)state;
    const char *files[] = {FORMATS "f4_le.npy",        FORMATS "f8_be.npy",
                           FORMATS "cube_fortran.npy", FORMATS "one.svm",
                           FORMATS "coordinate.mtx",   FORMATS "array.mtx",
                           FORMATS "f4.npy.gz",        FORMATS "symmetric.mtx"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fail_each_allocation(&files[i], 1, NULL);
    const char *csv = write_text("m.csv", "i,x,l\n\"a\nb\",1,p\nc,2,q\nd,3,p\n");
    decant_read_options options = {
        .struct_size = sizeof options, .id_column = "i", .label_column = "l"};
    fail_each_allocation(&csv, 1, &options);
    mkdir(in_folder("mnist"), 0700);
    write_mnist("-", 1);
    const char *folder = in_folder("mnist");
    fail_each_allocation(&folder, 1, NULL);
    const char *labels = write_text("m.txt", "kind\n1\n2\n1\n2\n");
    options = (decant_read_options){
        .struct_size = sizeof options, .label_paths = &labels, .label_path_count = 1};
    fail_each_allocation(&files[0], 1, &options);
    fail_each_allocation(&files[3], 1, &options);
}

static void test_allocation_failures_in_a_stream(void **state) {
    (void)state;
    const char *path = FORMATS "one.svm";
    for (size_t n = 1, done = 0; !done; n++) {
        decant_stream *stream = NULL;
        decant_dataset *block = NULL;
        decant__alloc_fail_at(n);
        decant_status status = decant_stream_open(&path, 1, NULL, NULL, &stream);
        while (status == DECANT_OK) {
            status = decant_stream_next(stream, 3, &block);
            done = status == DECANT_OK && block == NULL;
            if (status != DECANT_OK || done) break;
            decant_dataset_free(block);
        }
        done = decant__alloc_fail_at(0) < n;
        if (!done) assert_int_equal(status, DECANT_ENOMEM);
        decant_stream_close(stream);
    }
}

/* ---- the monitor ---- */

typedef struct watcher {
    size_t calls, stop_at;
    decant_progress last;
} watcher;

static int watch_reading(const decant_progress *progress, void *user) {
    watcher *self = user;
    self->last = *progress;
    return ++self->calls == self->stop_at;
}

static const char *write_rows(const char *name, size_t rows) {
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    for (size_t i = 0; i < rows; i++) fprintf(file, "%zu,%zu.5\n", i, i % 10);
    fclose(file);
    return path;
}

static void test_reading_reports(void **state) {
    (void)state;
    watcher self = {0};
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = watch_reading, .user = &self};
    decant_dataset *data = NULL;
    const char *path = write_rows("many.csv", 200000);
    assert_ok(decant_dataset_read(&path, 1, NULL, &monitor, &data));
    assert_true(self.calls > 0);
    assert_string_equal(self.last.phase, "read");
    assert_true(self.last.steps > 1000000 && self.last.step >= self.last.steps / 2);
    assert_true(self.last.step <= self.last.steps);
    decant_dataset_free(data);
}

static void test_reading_is_cancelled(void **state) {
    (void)state;
    watcher self = {.stop_at = 1};
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = watch_reading, .user = &self};
    decant_dataset *data = NULL;
    decant_stream *stream = NULL;
    const char *path = write_rows("many.csv", 1000);
    assert_fails(decant_dataset_read(&path, 1, NULL, &monitor, &data), DECANT_ECANCELLED,
                 "reading was cancelled");
    assert_null(data);
    self.calls = 0;
    assert_fails(decant_labels_read(path, "1", &monitor, &data), DECANT_ECANCELLED, "cancelled");
    self.calls = 0;
    self.stop_at = 0;
    assert_ok(decant_stream_open(&path, 1, NULL, &monitor, &stream));
    self.stop_at = self.calls + 1;
    assert_fails(decant_stream_next(stream, 10, &data), DECANT_ECANCELLED, "cancelled");
    decant_stream_close(stream);
}

/* A pipe whose writer writes nothing. */
static void test_waiting_for_a_pipe_is_cancelled(void **state) {
    (void)state;
    watcher self = {.stop_at = 2};
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = watch_reading, .user = &self};
    decant_dataset *data = NULL;
    const char *path = in_folder("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    int writer = open(path, O_RDWR);
    assert_true(writer >= 0);
    double began = decant__seconds();
    assert_fails(decant_dataset_read(&path, 1, NULL, &monitor, &data), DECANT_ECANCELLED,
                 "cancelled");
    assert_true(decant__seconds() - began < 0.5);
    close(writer);
}

/* A header alone is no label; it used to give a dataset without rows. */
static void test_labels_of_header_alone(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *path = write_text("header.csv", "id,class\n");
    assert_fails(decant_labels_read(path, "class", NULL, &data), DECANT_EFORMAT, "has no labels");
    assert_fails(decant_labels_read(path, "2", NULL, &data), DECANT_EFORMAT, "has no labels");
    assert_null(data);
}

static void test_null_arguments(void **state) {
    (void)state;
    const char *path = write_text("a.csv", "1,2\n");
    decant_dataset *data = NULL;
    decant_stream *stream = NULL;
    assert_fails(decant_dataset_read(&path, 1, NULL, NULL, NULL), DECANT_EINVAL, "output");
    assert_fails(decant_dataset_read(NULL, 1, NULL, NULL, &data), DECANT_EINVAL, "no data file");
    assert_fails(decant_labels_read(NULL, NULL, NULL, &data), DECANT_EINVAL, "path");
    assert_fails(decant_labels_read(path, NULL, NULL, NULL), DECANT_EINVAL, "output");
    assert_fails(decant_stream_open(&path, 1, NULL, NULL, NULL), DECANT_EINVAL, "output");
    assert_fails(decant_stream_next(NULL, 1, &data), DECANT_EINVAL, "stream");
    assert_ok(decant_stream_open(&path, 1, NULL, NULL, &stream));
    assert_fails(decant_stream_next(stream, 1, NULL), DECANT_EINVAL, "output");
    decant_stream_close(stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_files_of_all_formats),
        cmocka_unit_test(test_label_file_with_names),
        cmocka_unit_test(test_mapped_data_gets_labels),
        cmocka_unit_test(test_labels_broken),
        cmocka_unit_test(test_arguments_broken),
        cmocka_unit_test(test_several_files),
        cmocka_unit_test(test_files_of_other_kinds_are_named),
        cmocka_unit_test(test_magic_letters_may_begin_a_table),
        cmocka_unit_test(test_format_table),
        cmocka_unit_test(test_folder_of_mnist_kind),
        cmocka_unit_test(test_stream_like_whole),
        cmocka_unit_test(test_stream_broken),
        cmocka_unit_test(test_reading_reports),
        cmocka_unit_test(test_reading_is_cancelled),
        cmocka_unit_test(test_waiting_for_a_pipe_is_cancelled),
        cmocka_unit_test(test_labels_of_header_alone),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_allocation_failures_in_a_stream),
    };
    return run_with_folder(tests);
}
