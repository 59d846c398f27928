/* The table of commands, and how one is run; each command is in cmd_*.c. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "ranks.h"
#include "signals.h"
#include "suggest.h"

#define MANY SIZE_MAX

/* Commands that several ranks run together. */
enum {
    RANKED = COMMAND_FIT | COMMAND_PREDICT | COMMAND_EMBED | COMMAND_FEATURES | COMMAND_HELP |
             COMMAND_VERSION
};

static const cli_command table[] = {
    {COMMAND_FIT, "fit", NULL, "DATA... -k N|auto [-o RUN] [--labels FILE] [options]",
     "cluster data and keep the result in a run folder",
     "DATA is a table (CSV, TSV, NPY, JSON lines; sparse: svmlight, Matrix Market), a folder\n"
     "or zip archive of images (PNG, JPEG) or of texts, or a text file with one document a\n"
     "line. Columns of a table may be numbers, categories, dates, yes and no, ids or texts,\n"
     "and cells may be missing; each column gets a type, which --types, --columns and --drop\n"
     "correct. The format is recognised by content, also of compressed files; `decant info\n"
     "DATA` shows what would be read, and `decant help files` lists all formats.\n\n"
     "Learns features and clusters together and writes into the run folder (default:\n"
     "decant-run) report.html to look at, labels.csv, model.safetensors for predict,\n"
     "embedding.npy, clusters.json, history.csv, trace.safetensors and manifest.json.\n\n"
     "Labels, if given, are only used to print scores.\n"
     "Ctrl-C keeps a checkpoint; `decant fit --resume -o RUN` continues from it to the\n"
     "same result. DATA - is standard input.",
     1, MANY, OPTIONS_ALL, cmd_fit},
    {COMMAND_SELECT_K, "select-k", NULL, "DATA... [-k 5..15] [-o FOLDER] [options]",
     "try several numbers of clusters and recommend one",
     "Pretrains once, then clusters and refines with every k of the range (default: auto,\n"
     "2 to 20). Prints for each k: the stability (do two halves of the rows give the same\n"
     "clusters?), the paper's generalizability G (loss of four fifths of the rows over the\n"
     "loss of the rest), the silhouette, and with labels ACC and NMI. Recommends the k with\n"
     "the most stable clusters; labels are not used for that.\n\n"
     "With -o also writes select-k.json, figure6.svg and figure6.png. Ctrl-C keeps what is\n"
     "done, --resume continues. `decant fit -k auto` makes the same choice by itself.",
     1, MANY, OPTIONS_ALL, cmd_select_k},
    {COMMAND_SWEEP, "sweep", NULL, "DATA... -k N --method M [-o FOLDER] [options]",
     "fit with nine values of a method's main option",
     "The protocol of the paper's comparisons: dec with update-interval 10 to 2560,\n"
     "ldmgi with lambda and sec with mu 1e-8 to 1e8, other methods with nine seeds.\n"
     "Each value is a run in FOLDER (default: decant-sweep); they share pretraining and\n"
     "neighbour graph. Prints a line for each value and writes sweep.csv. --resume\n"
     "continues an interrupted sweep and repeats nothing that is done.",
     1, MANY, OPTIONS_ALL, cmd_sweep},
    {COMMAND_PREDICT, "predict", NULL, "MODEL DATA... [-o FILE]",
     "assign new rows to the clusters of a model",
     "MODEL is a model file or a run folder. Writes id, cluster, confidence, novelty and\n"
     "outlier as CSV to stdout, or to FILE, and the clusters' names if they have some.\n"
     "Novelty is the distance from the centroid, in units of what is far for the cluster:\n"
     "beyond 1 (outlier 1) the row is as far as the share --outliers of the fitted rows.\n"
     "--soft adds the soft assignments, --append puts all of it behind the columns of the\n"
     "CSV file. With --json each row is a JSON object on a line of its own. With labels, scores go "
     "to stderr; with --json and FILE, as JSON to stdout.",
     2, MANY, OPTIONS_MACHINE, cmd_predict},
    {COMMAND_EMBED, "embed", NULL, "MODEL DATA... -o FILE.npy",
     "map rows into the feature space of a model",
     "MODEL is a model file or a run folder. Writes a float32 array in NPY format.", 2, MANY,
     OPTIONS_MACHINE, cmd_embed},
    {COMMAND_EXPORT, "export", NULL, "MODEL -o FILE.onnx", "write a model as an ONNX graph",
     "MODEL is a model file or a run folder. The graph (opset 17) takes rows of numbers as\n"
     "float32 and gives label, confidence, probabilities and, with a network, features.\n"
     "For models of images, text or tables it begins after their features; grey images that\n"
     "are compared by their gradients enter as their pixels.",
     1, 1, OPTIONS_NONE, cmd_export},
    {COMMAND_FEATURES, "features", NULL, "KIND DATA... -o FILE",
     "turn raw images or text into a matrix",
     "KIND is pixels, hog, hog31, colormap or hog+colormap for a folder of PNG and JPEG\n"
     "files or STL-10's binary files, and FILE becomes an NPY array. KIND is tfidf for\n"
     "a folder of texts, a text file with one document a line, CSV files with\n"
     "--text-column, or LYRL2004 token files, and FILE becomes svmlight rows (sparse).\n"
     "Beside FILE come the ids and classes of its rows (FILE.rows.csv) and for text\n"
     "the columns (FILE.stems.csv). `decant fit` does the same by itself.",
     2, MANY, OPTIONS_RAW, cmd_features},
    {COMMAND_NAME, "name", NULL, "RUN [CLUSTER NAME] [--names FILE]", "give names to clusters",
     "Keeps the names in the model of the run, and writes labels.csv and the report again\n"
     "with them; predict shows them, too. FILE is a CSV file with lines of a cluster and\n"
     "its name. An empty name removes one. Without a name, prints those that there are.",
     1, 3, OPTIONS_NONE, cmd_name},
    {COMMAND_MERGE, "merge", NULL, "RUN CLUSTER CLUSTER... [-o NEW]",
     "put clusters of a run together, as a new run",
     "The merged cluster has the lowest of the numbers, and exactly the rows of those it was\n"
     "made of, also for predict; clusters behind it move up. Names are put together, too.\n"
     "RUN stays as it is. Its rows are read again from where they were, or from --data.",
     3, MANY, OPTIONS_NONE, cmd_merge},
    {COMMAND_MATCH, "match", NULL, "RUN OLD [-o NEW]",
     "give a run the cluster numbers and names of an earlier one",
     "For a refit without --like. Clusters are paired by the rows that they share: rows with\n"
     "the same id, or the same rows in the same order; else OLD's model assigns the rows of\n"
     "RUN. Writes RUN with the numbers and names of OLD as a new run, and says which rows\n"
     "moved and which clusters grew, shrank, appeared or died. RUN stays as it is.",
     2, 2, OPTIONS_NONE, cmd_match},
    {COMMAND_COMPARE, "compare", NULL, "RUN OTHER", "compare the clusters of two runs",
     "RUN and OTHER are run folders, or files like labels.csv. Rows are joined by their\n"
     "ids. Prints how well the clusters agree, which clusters correspond, how many rows\n"
     "they share, and which rows are only in one of the two.",
     2, 2, OPTIONS_NONE, cmd_compare},
    {COMMAND_EVAL, "eval", NULL, "LABELS TRUTH [--label-column NAME] [--id-column NAME]",
     "score clusters against known classes",
     "Both may be in any format: a run, IDX, NPY, plain text, a CSV column or a data\n"
     "file with labels. Prints ACC, NMI, ARI, purity and the confusion matrix with\n"
     "matched classes on the diagonal. Rows are taken in their order, or joined by id\n"
     "if both are CSV files with the same ids in a column id. With --id-column, the\n"
     "name of the ids in TRUTH, they are joined by id in any case.",
     2, 2, OPTIONS_NONE, cmd_eval},
    {COMMAND_INFO, "info", NULL, "[FILE] [--id-column NAME] [--label-column NAME]",
     "describe a data file, a model file or a run folder",
     "FILE is recognised by its content. For data, prints what a fit with the same flags\n"
     "would read: rows, numbers, classes. Without FILE: the version, and which kernel\n"
     "(inner loops for one kind of vectors) computes on this processor, and why.",
     0, 1, OPTIONS_RAW, cmd_info},
    {COMMAND_TSNE, "tsne", NULL, "DATA... -o map.npy|map.svg|map.png [--labels FILE]",
     "draw a map of the rows in two dimensions",
     "t-SNE of the rows as they are read (for the features of a run, give its\n"
     "embedding.npy). Writes the coordinates as NPY, or a drawing, coloured by labels\n"
     "if there are any. Neighbours are found by a tree for up to 16 dense columns, else\n"
     "by comparing all pairs of rows, in O(n^2) time.",
     1, MANY, OPTIONS_MAP, cmd_tsne},
    {COMMAND_REPORT, "report", NULL, "RUN [DATA...] [--figures DIR]",
     "write the report of a finished run again",
     "Writes RUN/report.html: one file for a browser that needs no network, with a map of\n"
     "the rows during training, a card for each cluster, and the settings of the run.\n"
     "Images, texts and labels are read again from the files of the run, or from DATA; if\n"
     "these files no longer exist, the report is written without them.",
     1, MANY, OPTIONS_MACHINE, cmd_report},
    {COMMAND_REPRODUCE, "reproduce", NULL,
     "list | NAME... | all --data DIR [-o FOLDER] [--preset P] [--seeds N]",
     "reproduce the paper's tables and figures",
     "`decant reproduce list` prints their names. Each prints the paper's number beside\n"
     "ours, and writes NAME.json, NAME.md and drawings into FOLDER/PRESET (default:\n"
     "decant-results), and results.html with all results of that folder. Runs, pretrained\n"
     "networks and neighbour graphs are kept and shared; after an interruption the same\n"
     "command continues. DIR holds mnist/, stl10/, reuters/ and fashion-mnist/; missing\n"
     "data sets are named and left out. `decant reproduce page FILE.json` prints a result\n"
     "again.",
     1, MANY, OPTIONS_PRESET, cmd_reproduce},
    {COMMAND_HELP, "help", "--help", "[COMMAND|options|OPTION]", "show help",
     "`decant help options` lists every option with its default and range, `decant help\n"
     "seed` explains one of them.",
     0, 1, OPTIONS_NONE, cmd_help},
    {COMMAND_VERSION, "version", "--version", "", "show the version",
     "The version of the program and of the library it runs with.", 0, 0, OPTIONS_NONE,
     cmd_version},
};

enum { COMMANDS = sizeof table / sizeof table[0] };

size_t command_count(void) { return COMMANDS; }
const cli_command *command_at(size_t index) { return &table[index]; }

const cli_command *command_find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(table[i].name, name) == 0 ||
            (table[i].alias != NULL && strcmp(table[i].alias, name) == 0))
            return &table[i];
    return strcmp(name, "-h") == 0   ? command_find("help")
           : strcmp(name, "-V") == 0 ? command_find("version")
                                     : NULL;
}

static int unknown_command(const char *name) {
    cli_guess guess = {.typed = name};
    for (size_t i = 0; i < COMMANDS; i++) guess_consider(&guess, table[i].name);
    if (guess.best == NULL) return complain_usage(NULL, "there is no command '%s'", name);
    return complain_usage(NULL, "there is no command '%s'; did you mean %s?", name, guess.best);
}

static int run_command(int argc, char **argv) {
    if (argc < 2) return complain_usage(NULL, "usage: decant COMMAND ...");
    const cli_command *command = command_find(argv[1]);
    if (command == NULL) return unknown_command(argv[1]);
    if (ranks_size() > 1 && (command->id & RANKED) == 0)
        return complain_usage(NULL,
                              "%s is for one process: run it by decant without a launcher; only "
                              "fit, predict, embed and features are spread",
                              command->name);
    cli_arguments given;
    int code = arguments_parse(&given, command, argc, argv);
    if (code == 0 && given.help && given.short_help)
        print_short_help(command);
    else if (code == 0 && given.help)
        print_command_help(command);
    else if (code == 0)
        code = command->run(&given);
    arguments_free(&given);
    return code;
}

/* A result that could not be written is a failure, even if everything else went well. */
static int check_stdout(int code) {
    int failed = ferror(stdout);
    errno = 0;
    if (fflush(stdout) != 0) failed = 1;
    if (!failed || code != EXIT_DONE) return code;
    if (signals_pipe_closed()) return EXIT_PIPE;
    complain("standard output: could not be written%s%s", errno ? ": " : "",
             errno ? strerror(errno) : "");
    return EXIT_FAILED;
}

int program_run(int argc, char **argv) {
    signals_watch_output();
    return check_stdout(run_command(argc, argv));
}
