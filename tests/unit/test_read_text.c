/* Reading texts: folders, lines, CSV columns, token files, and broken files. */
#include "files.h"

#include <sys/stat.h>

#include "base/memory.h"
#include "data/dataset.h"

static decant_options plain_words(void) {
    decant_options options;
    decant_options_init(&options, sizeof options);
    assert_ok(decant_options_set(&options, "language", "none"));
    return options;
}

static decant_status read_with(const char *path, decant_read_options wanted,
                               decant_dataset **data) {
    decant_options options = plain_words();
    wanted.struct_size = sizeof wanted;
    if (wanted.options == NULL) wanted.options = &options;
    *data = NULL;
    return decant_dataset_read(&path, 1, &wanted, NULL, data);
}

/* The stems of a row, in the order of the columns. */
static const char *words_of(const decant_dataset *data, size_t row) {
    static char list[256];
    list[0] = '\0';
    for (size_t e = data->start[row]; e < data->start[row + 1]; e++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? " " : "",
                 decant_features_stem(data->features, data->column[e]));
    }
    return list;
}

static void assert_note(const decant_dataset *data, const char *text) {
    for (size_t i = 0; decant_dataset_note(data, i) != NULL; i++)
        if (strstr(decant_dataset_note(data, i), text) != NULL) return;
    print_error("no note says: %s\n", text);
    fail();
}

static const char *make_corpus(const char *name) {
    char path[96];
    mkdir(in_folder(name), 0700);
    static const char *const folders[] = {"sport", "money", ".hidden"};
    static const char *const texts[][2] = {
        {"ball game goal", "team goal"}, {"bank money", "share price bank"}, {"never seen", "no"}};
    for (size_t f = 0; f < 3; f++) {
        snprintf(path, sizeof path, "%s/%s", name, folders[f]);
        mkdir(in_folder(path), 0700);
        for (size_t i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s/%s/%zu.txt", name, folders[f], i);
            write_text(path, texts[f][i]);
        }
    }
    return in_folder(name);
}

static void test_read_folder(void **state) {
    (void)state;
    decant_dataset *data;
    assert_ok(read_with(make_corpus("corpus"), (decant_read_options){.folder_labels = 1}, &data));
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 8); /* the hidden folder is not read */
    assert_string_equal(decant_dataset_id(data, 0), "money/0.txt");
    assert_string_equal(words_of(data, 1), "bank price share");
    assert_string_equal(words_of(data, 2), "ball game goal");
    assert_int_equal(data->class_count, 2);
    assert_string_equal(decant_dataset_class_name(data, (size_t)data->labels[3]), "sport");
    assert_non_null(strstr(decant_dataset_format(data), "a folder of texts"));
    double squares = 0;
    for (size_t e = data->start[0]; e < data->start[1]; e++)
        squares += (double)data->value[e] * (double)data->value[e];
    assert_near(squares / 8, 1, 1e-6);
    decant_dataset_free(data);
}

static void test_read_lines(void **state) {
    (void)state;
    decant_dataset *data;
    const char *path =
        write_text("lines", "the first line of words\n\nthe third of lines\n  ...\n");
    assert_ok(read_with(path, (decant_read_options){0}, &data));
    assert_int_equal(data->n, 4); /* an empty line is a document too: nothing is lost */
    assert_string_equal(words_of(data, 2), "lines of the third");
    assert_string_equal(words_of(data, 1), "");
    assert_null(decant_dataset_id(data, 0));
    assert_note(data, "2 documents have no known stem, so their rows are 0");
    assert_note(data, "lines: line 2");
    assert_int_equal(decant_dataset_skipped(data), 0);
    decant_dataset_free(data);
}

static void test_read_lines_with_labels(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    decant_options options = plain_words();
    const char *path = write_text("lines", "one two three\nfour five six\nseven eight nine\n");
    const char *labels = write_text("labels", "b\na\nb\n");
    decant_read_options wanted = {.struct_size = sizeof wanted,
                                  .options = &options,
                                  .label_paths = &labels,
                                  .label_path_count = 1};
    assert_ok(decant_dataset_read(&path, 1, &wanted, NULL, &data));
    assert_int_equal(data->labels[0], 1);
    assert_int_equal(data->labels[1], 0);
    decant_dataset_free(data);
    data = NULL;
    write_text("labels", "b\na\n");
    assert_fails(decant_dataset_read(&path, 1, &wanted, NULL, &data), DECANT_EFORMAT,
                 "2 labels, but");
    write_text("labels", "b\na\nb\nb\n");
    assert_fails(decant_dataset_read(&path, 1, &wanted, NULL, &data), DECANT_EFORMAT,
                 "4 labels, but 3 documents");
}

static void test_read_csv_column(void **state) {
    (void)state;
    decant_dataset *data;
    const char *path = write_text("posts.csv",
                                  "id,text,kind\n7,\"Words, with a comma\",x\n"
                                  "8,\"two\nlines of words\",y\n9,,x\n");
    decant_read_options wanted = {.text_column = "text", .id_column = "id", .label_column = "kind"};
    assert_ok(read_with(path, wanted, &data));
    assert_int_equal(data->n, 3);
    assert_string_equal(words_of(data, 0), "comma with words");
    assert_string_equal(words_of(data, 1), "lines of two words");
    assert_string_equal(decant_dataset_id(data, 2), "9");
    assert_int_equal(data->labels[1], 1);
    assert_note(data, "posts.csv: line 5");
    decant_dataset_free(data);
    wanted.text_column = "2";
    wanted.id_column = wanted.label_column = NULL;
    path = write_text("bare.csv", "1,some words\n2,more words\n");
    assert_ok(read_with(path, wanted, &data));
    assert_int_equal(data->n, 2);
    decant_dataset_free(data);
    wanted.text_column = "body";
    assert_fails(read_with(path, wanted, &data), DECANT_EINVAL, "for the documents");
}

static const char TOKENS[] =
    ".I 1\n.W\nbank money\nmoney rate\n\n"
    ".I 2\n.W\ngoal team\n\n"
    ".I 3\n.W\nrate goal\n\n"
    ".I 4\n.W\nteam match\n\n";
static const char TOPICS[] =
    "CCAT 1 1\nC15 1 1\nGCAT 2 1\nECAT 3 1\nCCAT 3 1\nGCAT 9 1\nGSPO 2 1\n";

static void test_read_tokens(void **state) {
    (void)state;
    decant_dataset *data;
    const char *path = write_text("tokens.dat", TOKENS);
    decant_options options;
    decant_options_init(&options,
                        sizeof options); /* tokens are never stemmed, whatever the language */
    assert_ok(read_with(path, (decant_read_options){.options = &options}, &data));
    assert_int_equal(data->n, 4);
    assert_string_equal(words_of(data, 0), "bank money rate");
    assert_string_equal(decant_dataset_id(data, 3), "4");
    assert_null(data->labels);
    decant_dataset_free(data);

    const char *topics = write_text("topics.qrels", TOPICS);
    assert_ok(read_with(path, (decant_read_options){.topics = topics}, &data));
    assert_int_equal(data->n, 2); /* 3 has two roots, 4 has no topics */
    assert_int_equal(data->d, 5); /* and the vocabulary is that of the others */
    assert_string_equal(decant_dataset_id(data, 1), "2");
    assert_string_equal(decant_dataset_class_name(data, (size_t)data->labels[1]), "GCAT");
    assert_note(data, "1 documents without exactly one root");
    assert_note(data, "1 documents without topics");
    assert_note(data, "1 documents that have topics were not found");
    decant_dataset_free(data);
}

/* The folder as its authors pack it: all token files in order, and the topics beside them. */
static void test_read_tokens_folder(void **state) {
    (void)state;
    decant_dataset *data;
    char folder[256];
    snprintf(folder, sizeof folder, "%s", in_folder("rcv1"));
    mkdir(folder, 0700);
    write_text("rcv1/lyrl2004_tokens_train.dat", ".I 2\n.W\ngoal team\n\n");
    write_text("rcv1/lyrl2004_tokens_test_pt0.dat", ".I 1\n.W\nbank money\n\n");
    write_text("rcv1/rcv1-v2.topics.qrels", TOPICS);
    assert_ok(read_with(folder, (decant_read_options){0}, &data));
    assert_int_equal(data->n, 2);
    assert_string_equal(decant_dataset_id(data, 0), "1");
    assert_string_equal(decant_dataset_class_name(data, 0), "CCAT");
    assert_non_null(strstr(decant_dataset_format(data), "LYRL2004"));
    decant_dataset_free(data);
}

/* Any end that is not the end of a record is noticed; with skipping, the records before stay. */
static void test_read_tokens_cut(void **state) {
    (void)state;
    decant_dataset *data;
    static const size_t ends[] = {4, 5, 7, 9, 12, 25};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[128];
        snprintf(text, sizeof text, ".I 8\n.W\nfirst one\n\n%.*s", (int)ends[i], TOKENS);
        const char *path = write_text("cut.dat", text);
        assert_fails(read_with(path, (decant_read_options){0}, &data), DECANT_EFORMAT,
                     "in the middle of document 1");
        assert_ok(read_with(path, (decant_read_options){.skip_broken = 1}, &data));
        assert_int_equal(data->n, 1);
        assert_int_equal(decant_dataset_skipped(data), 1);
        assert_note(data, "in the middle of document 1");
        decant_dataset_free(data);
    }
    const char *path = write_text("odd.dat", ".I 1\n.W\nwords\n\n.I x\n.W\nwords\n");
    assert_fails(read_with(path, (decant_read_options){0}, &data), DECANT_EFORMAT,
                 "line 5: expected \".I\"");
    path = write_text("odd.dat", ".I 1\nwords\n.W\n");
    assert_fails(read_with(path, (decant_read_options){0}, &data), DECANT_EFORMAT,
                 "line 2: expected \".W\"");
}

static void test_read_topics_broken(void **state) {
    (void)state;
    decant_dataset *data;
    char path[128];
    snprintf(path, sizeof path, "%s", write_text("tokens.dat", TOKENS));
    static const char *const bad[] = {"CCAT\n",   "CCAT x 1\n",     "CCAT 1 0\n",
                                      "CCAT 1\n", "CCAT 1 1 1 1\n", "CCAT 99999999999999999999 1\n",
                                      " 1 1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *topics = write_text("bad.qrels", bad[i]);
        assert_fails(read_with(path, (decant_read_options){.topics = topics}, &data),
                     DECANT_EFORMAT, "bad.qrels: line 1: expected \"TOPIC DOCUMENT 1\"");
    }
    const char *topics = write_text("bad.qrels", "\n");
    assert_fails(read_with(path, (decant_read_options){.topics = topics}, &data), DECANT_EFORMAT,
                 "names no document");
    topics = write_text("bad.qrels", "CCAT 77 1\n"); /* of other documents */
    assert_fails(read_with(path, (decant_read_options){.topics = topics}, &data), DECANT_EFORMAT,
                 "none of them has a word");
}

static void test_read_not_utf8(void **state) {
    (void)state;
    decant_dataset *data;
    const char *folder = make_corpus("latin");
    char path[256];
    snprintf(path, sizeof path, "%s", folder);
    write_text("latin/money/0.txt", "caf\xe9 bank");
    assert_ok(read_with(path, (decant_read_options){0}, &data));
    assert_int_equal(data->n, 4);
    assert_string_equal(words_of(data, 0), "bank caf\xc3\xa9");
    assert_note(data, "1 document is not UTF-8 and read as Windows-1252");
    decant_dataset_free(data);
    write_text("latin/money/0.txt", "caf\x81 bank");
    assert_fails(read_with(path, (decant_read_options){0}, &data), DECANT_EFORMAT,
                 "latin/money/0.txt: expected UTF-8 text, found the byte 0x81 at place 4");
    assert_ok(read_with(path, (decant_read_options){.skip_broken = 1}, &data));
    assert_int_equal(data->n, 3);
    assert_int_equal(decant_dataset_skipped(data), 1);
    assert_note(data, "skipped: ");
    decant_dataset_free(data);
}

/* The vocabulary of one dataset makes the rows of another. */
static void test_stream_with_features(void **state) {
    (void)state;
    decant_dataset *data, *block;
    decant_stream *stream;
    assert_ok(read_with(make_corpus("corpus"), (decant_read_options){0}, &data));
    const char *path = write_text("new", "bank of money\nnothing known\nbank\n");
    decant_read_options wanted = {
        .struct_size = sizeof wanted, .features = data->features, .columns = data->d};
    assert_ok(decant_stream_open(&path, 1, &wanted, NULL, &stream));
    assert_ok(decant_stream_next(stream, 2, &block));
    assert_int_equal(block->n, 2);
    assert_int_equal(block->d, data->d);
    assert_string_equal(words_of(block, 0), "bank money");
    assert_note(block, "1 document has no known stem");
    decant_dataset_free(block);
    assert_ok(decant_stream_next(stream, 2, &block));
    assert_int_equal(block->n, 1);
    decant_dataset_free(block);
    assert_ok(decant_stream_next(stream, 2, &block));
    assert_null(block);
    decant_stream_close(stream);
    decant_dataset_free(data);
}

static void test_read_mixed_kinds(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *paths[] = {write_text("numbers.csv", "1,2\n3,4\n"),
                           write_text("prose", "these are many words in a line\n")};
    assert_fails(decant_dataset_read(paths, 2, NULL, NULL, &data), DECANT_EFORMAT,
                 "prose: is text, one document a line, but");
}

static void test_read_without_memory(void **state) {
    (void)state;
    char folder[256], tokens[256];
    snprintf(folder, sizeof folder, "%s", make_corpus("corpus"));
    snprintf(tokens, sizeof tokens, "%s", write_text("tokens.dat", TOKENS));
    const char *topics = write_text("topics.qrels", TOPICS);
    for (int which = 0; which < 2; which++) {
        decant_read_options wanted = {.folder_labels = 1, .topics = which ? topics : NULL};
        for (size_t n = 1;; n++) {
            decant_dataset *data;
            decant__alloc_fail_at(n);
            decant_status status = read_with(which ? tokens : folder, wanted, &data);
            size_t made = decant__alloc_fail_at(0);
            decant_dataset_free(data);
            /* An allocation that only gives memory back may fail without harm. */
            if (status != DECANT_OK) assert_int_equal(status, DECANT_ENOMEM);
            if (made < n) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_folder),
        cmocka_unit_test(test_read_lines),
        cmocka_unit_test(test_read_lines_with_labels),
        cmocka_unit_test(test_read_csv_column),
        cmocka_unit_test(test_read_tokens),
        cmocka_unit_test(test_read_tokens_folder),
        cmocka_unit_test(test_read_tokens_cut),
        cmocka_unit_test(test_read_topics_broken),
        cmocka_unit_test(test_read_not_utf8),
        cmocka_unit_test(test_stream_with_features),
        cmocka_unit_test(test_read_mixed_kinds),
        cmocka_unit_test(test_read_without_memory),
    };
    return run_with_folder(tests);
}
