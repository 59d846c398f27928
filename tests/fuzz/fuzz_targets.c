/* The table of targets, and the entry point of libFuzzer. The target is given by --target=NAME, an
 * argument that libFuzzer ignores. */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define JSON_WORDS " \" : , [ ] { } null true false 1e400 -1 0.5 9223372036854775808 "
#define NUMBERS " nan inf -inf 1e999 1e-999 -0 0x1p3 4294967296 18446744073709551616 "

const fuzz_target fuzz_targets[] = {
    {.name = "csv",
     .run = fuzz_table,
     .words = NUMBERS
     ", ; \t | \"\" \" \r\n label id class \xef\xbb\xbf NA yes no 2024-03-01 12:30 5% $1,000 "
     "0,5 sep=; #"},
    {.name = "svmlight", .run = fuzz_table, .words = NUMBERS "1: 0: 4294967295: qid:1 # -1"},
    {.name = "mtx",
     .run = fuzz_table,
     .words = NUMBERS "%%MatrixMarket matrix coordinate array real integer pattern complex general "
                      "symmetric skew-symmetric hermitian %"},
    {.name = "npy",
     .run = fuzz_table,
     .words = "'descr': 'fortran_order': 'shape': <f4 >f8 |u1 |b1 <i8 <f2 True False (1,) (4,6) "
              "(4294967296,4294967296)"},
    {.name = "idx", .run = fuzz_table},
    {.name = "gzip", .run = fuzz_table},
    {.name = "packed", .run = fuzz_table},
    {.name = "npz", .run = fuzz_table, .words = "PK arr_0.npy format.npy shape.npy indptr.npy"},
    {.name = "zip", .run = fuzz_table, .words = "PK a.png a/b.txt a.csv"},
    {.name = "pipe",
     .run = fuzz_pipe,
     .words = NUMBERS ", ; \" \r\n text label id PK {\"a\":1} \x93NUMPY \xff\xfe \x1f\x8b"},
    {.name = "hdf5", .run = fuzz_hdf5},
    {.name = "jsonl", .run = fuzz_json_lines, .words = JSON_WORDS "\n {\"a\": {\"text\": \\u00e9"},
    {.name = "texts",
     .run = fuzz_column_of_texts,
     .words = ", ; \"\" \" \r\n text label id \xc3\xa9 \xe2\x80\x99"},
    {.name = "lines",
     .run = fuzz_lines,
     .words = "the running \r\n \xc3\xa9 \xe2\x80\x99 \xf0\x9f\x98\x80"},
    {.name = "tokens", .run = fuzz_tokens, .words = ".I .W \n\n"},
    {.name = "topics", .run = fuzz_topics, .words = "CCAT ECAT GCAT MCAT C15 1"},
    {.name = "image",
     .run = fuzz_image,
     .words = "IHDR IDAT PLTE tRNS IEND gAMA iCCP Exif JFIF Adobe"},
    {.name = "stl10", .run = fuzz_stl10},
    {.name = "labels", .run = fuzz_labels, .words = NUMBERS ", label class cluster"},
    {.name = "folder",
     .run = fuzz_folder,
     .words = "=== .png .jpg .txt .csv _X.bin _y.bin .qrels .dat -idx3-ubyte -idx1-ubyte .gz .npy"},
    {.name = "model",
     .run = fuzz_model,
     .setup = fuzz_model_setup,
     .words = NUMBERS,
     .print_words = fuzz_model_words},
    {.name = "checkpoint",
     .run = fuzz_checkpoint,
     .setup = fuzz_checkpoint_setup,
     .words = NUMBERS,
     .print_words = fuzz_checkpoint_words},
    {.name = "network",
     .run = fuzz_network,
     .setup = fuzz_network_setup,
     .words = NUMBERS,
     .print_words = fuzz_network_words},
    {.name = "graph",
     .run = fuzz_graph,
     .setup = fuzz_graph_setup,
     .words = NUMBERS,
     .print_words = fuzz_graph_words},
    {.name = "manifest", .run = fuzz_manifest, .setup = fuzz_run_setup, .words = JSON_WORDS},
    {.name = "clusters", .run = fuzz_clusters, .setup = fuzz_run_setup, .words = JSON_WORDS},
    {.name = "history",
     .run = fuzz_history,
     .setup = fuzz_run_setup,
     .words = NUMBERS ", refine finetune"},
    {.name = "runlabels",
     .run = fuzz_run_labels,
     .setup = fuzz_run_setup,
     .words = NUMBERS ", id cluster confidence"},
    {.name = "embedding",
     .run = fuzz_embedding,
     .setup = fuzz_run_setup,
     .words = "'descr': <f4 (12,2) True False"},
    {.name = "trace",
     .run = fuzz_trace,
     .setup = fuzz_run_setup,
     .words = NUMBERS,
     .print_words = fuzz_trace_words},
    {.name = "options",
     .run = fuzz_options,
     .words = NUMBERS "= 1K 1M 1G , yes no",
     .print_words = fuzz_options_words},
    {.name = NULL}};

const fuzz_target *fuzz_find(const char *name) {
    for (const fuzz_target *target = fuzz_targets; target->name != NULL; target++)
        if (strcmp(target->name, name) == 0) return target;
    return NULL;
}

/* ---- the scratch folder ---- */

static char scratch[256];
static pid_t owner;

static void leave(void) {
    if (getpid() == owner && chdir("/") == 0) fuzz_remove(scratch);
}

void fuzz_start(const fuzz_target *target) {
    const char *folder = getenv("TMPDIR");
    if (folder == NULL) folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(scratch, sizeof scratch, "%.200s/decant-fuzz-XXXXXX", folder);
    FUZZ_CHECK(mkdtemp(scratch) != NULL && chdir(scratch) == 0, "%s cannot be made", scratch);
    owner = getpid();
    atexit(leave);
    if (target->setup != NULL) target->setup();
}

#ifdef DECANT_LIBFUZZER
int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const fuzz_target *chosen;

/* libhdf5 does not free all memory of a broken file when it is closed. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5\n"; }

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    for (int i = 1; i < *count; i++)
        if (strncmp((*arguments)[i], "--target=", 9) == 0) chosen = fuzz_find((*arguments)[i] + 9);
    FUZZ_CHECK(chosen != NULL, "usage: decant_fuzz --target=NAME [libFuzzer's arguments]");
    fuzz_start(chosen);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    chosen->run(bytes, size);
    return 0;
}
#endif
