#!/usr/bin/env python3
"""`make bench`: decant beside bare sgemm calls and its rivals, all in one run.

    bench/run.py [--build DIR] [--data DIR] [--images DIR] [--rounds N] [--only NAME] [--threads N]
                 [--limit SECONDS] [--json FILE]

For each table one process a contender is started (worker.c, rival_*.py), and they are asked in
turn, round after round, so that a busy moment falls on all of them. What is printed are medians,
their spread, and the ratios of medians. Rivals run in the Python that DECANT_RIVALS names, else in
the one that bench/install_rivals makes, else in this one; those that are not installed are named
as absent; one that takes longer than the limit for a round is ended, and its ratios are bounds.
--data is a folder with MNIST's gzipped images (or
DECANT_MNIST); without it rows of the same shape are made up. --images is a folder of JPEG files;
without it they are left out.

Only the standard library is needed here."""
import argparse
import json
import os
import platform
import select
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


class Contender:
    """One worker process that runs a round whenever it is asked."""

    def __init__(self, name, command, unit_work, limit):
        self.name, self.work, self.limit, self.late = name, unit_work, limit, False
        self.seconds, self.value, self.absent, self.peak = [], None, None, None
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            errors = self.process.stderr.read().strip().splitlines()
            self.absent = errors[-1] if errors else "it did not start"
            self.process.wait()

    def ask(self):
        if self.absent or self.late:
            return
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], self.limit)[0]:
            self.late, self.seconds = True, [self.limit]
            self.process.kill()
            return
        answer = self.process.stdout.readline()
        if not answer:
            self.absent = "it stopped: " + self.process.stderr.read().strip()[-200:]
            return
        answer = json.loads(answer)
        self.seconds.append(answer["seconds"])
        self.value = answer.get("value")

    def stop(self):
        if self.process.stdin:
            self.process.stdin.close()
        if self.process.returncode is None:
            _, _, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = 0
            self.peak = usage.ru_maxrss * 1024

    def median(self):
        return statistics.median(self.seconds) if self.seconds else None


class Bench:
    def __init__(self, options):
        self.options = options
        self.tables, self.absent = [], {}
        self.folder = os.path.join(options.build, "bench-data")
        os.makedirs(self.folder, exist_ok=True)
        self.worker = os.path.join(options.build, "bench", "decant_bench")
        self.program = os.path.join(options.build, "bin", "decant")
        self.python = self.find_python()

    def find_python(self):
        made = os.path.join(ROOT, "build", "rivals", "bin", "python")
        return os.environ.get("DECANT_RIVALS") or (made if os.path.exists(made) else sys.executable)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make_data(self):
        maker = os.path.join(self.options.build, "bench", "decant_bench_data")
        kind = "mnist" if self.options.data else "made-up"
        self.rows, self.graph_file = self.path(kind + ".npy"), self.path(kind + ".graph")
        if not os.path.exists(self.rows):
            subprocess.check_call([maker, "dense", self.rows, str(self.options.rows)] +
                                  ([self.options.data] if self.options.data else []))
        self.words, self.words_dense = self.path("words.svm"), self.path("words.npy")
        if not os.path.exists(self.words_dense):
            subprocess.check_call([maker, "words", self.words, self.words_dense, "20000"])
        self.model, self.features = self.path(kind + "-model"), self.path(kind + "-features.npy")
        self.words_model = self.path("words-model")
        self.fit(self.rows, self.model)  # anew each time: older models may not be readable
        self.fit(self.words, self.words_model)
        subprocess.check_call([self.program, "embed", self.model, self.rows, "-o", self.features],
                              stderr=subprocess.DEVNULL)

    def fit(self, rows, model):
        subprocess.check_call([self.program, "fit", rows, "-k", "10", "--method", "ae+kmeans",
                               "--finetune-iterations", "300", "--diffuse-iterations", "0",
                               "--scaling", "none", "--layers", "500,500,2000,10", "--restarts",
                               "1", "-o", model, "--force", "--no-report"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def decant(self, name, task, data, work=1.0, **settings):
        command = [self.worker, task, data or "-", "threads=%d" % self.options.threads]
        command += ["%s=%s" % item for item in settings.items()]
        return Contender(name, command, work, self.options.limit)

    def rival(self, name, script, task, data, work=1.0, **settings):
        command = [self.python, os.path.join(HERE, script), task, data,
                   "threads=%d" % self.options.threads]
        command += ["%s=%s" % item for item in settings.items()]
        contender = Contender(name, command, work, self.options.limit)
        if contender.absent:
            self.absent[name.split(",")[0]] = contender.absent
        return contender

    def table(self, title, unit, contenders, rounds, format_value=None, rate=False, aims=()):
        """Runs the rounds and prints a line a contender. rate: work a second instead of seconds.
        aims: (slower, faster, by how many times)."""
        for _ in range(rounds):
            for contender in contenders:
                contender.ask()
        for contender in contenders:
            contender.stop()
        print("\n%s" % title)
        print("  %-44s %10s %18s %9s" % ("", unit, "least .. most", "peak"))
        table = {"title": title, "unit": unit, "rounds": rounds}
        table["contenders"] = [self.line(contender, rate, format_value) for contender in contenders]
        table["ratios"] = self.compare({c.name: c for c in contenders}, aims)
        self.tables.append(table)
        sys.stdout.flush()

    def compare(self, contenders, aims):
        """A contender that ran into the limit is slower than this, nobody knows by how much."""
        ratios = []
        for slower, faster, aim in aims:
            one, other = contenders[slower], contenders[faster]
            if not one.median() or not other.median() or other.late:
                continue
            ratio = one.median() / other.median()
            ratios.append({"slower": slower, "faster": faster, "ratio": ratio, "aim": aim,
                           "at_least": one.late})
            print("  %-44s %10.2f times as fast as %s%s (aim: %.2g)" % (
                faster, ratio, slower, ", or more" if one.late else "", aim))
        return ratios

    def line(self, contender, rate, format_value):
        if contender.median() is None:
            print("  %-44s %10s" % (contender.name, "absent"))
            return {"name": contender.name, "absent": contender.absent}

        def show(seconds):
            return contender.work / seconds if rate else contender.work * seconds

        if contender.late:
            print("  %-44s %10s within %.4g s" % (contender.name, "no answer", contender.limit))
            return {"name": contender.name, "no_answer_within": contender.limit}
        values = sorted(show(seconds) for seconds in contender.seconds)
        extra = format_value(contender) if format_value else ""
        print("  %-44s %10.4g %8.4g..%-8.4g %6.0f MB  %s" % (
            contender.name, show(contender.median()), values[0], values[-1],
            contender.peak / 1e6, extra))
        return {"name": contender.name, "median": show(contender.median()), "least": values[0],
                "most": values[-1], "peak_bytes": contender.peak, "value": contender.value}

    def machine(self):
        """Peaks, best of the rounds: what the shares are taken of."""
        multiply, memory = self.decant("", "multiply-add", None), self.decant("", "memory", None)
        best = {"multiply_add": 0.0, "memory": 0.0}
        for _ in range(5):
            for name, contender in (("multiply_add", multiply), ("memory", memory)):
                contender.ask()
                best[name] = max(best[name], contender.value)
        multiply.stop()
        memory.stop()
        self.peak = best
        print("machine: %s, %.0f GFLOP/s in multiply-adds, %.1f GB/s of memory (%d threads)" % (
            self.processor(), best["multiply_add"] / 1e9, best["memory"] / 1e9,
            self.options.threads))

    def processor(self):
        """The CPU by name, with family and model: hypervisors shorten the name; and the kernel."""
        about = {}
        if os.path.exists("/proc/cpuinfo"):
            with open("/proc/cpuinfo") as file:
                for line in file:
                    key, _, value = line.partition(":")
                    about.setdefault(key.strip(), value.strip())
        kernel = json.loads(subprocess.check_output([self.program, "info", "--json"], text=True))
        return "%s (family %s, model %s), kernel %s" % (
            about.get("model name", platform.processor()), about.get("cpu family", "?"),
            about.get("model", "?"), kernel["kernel"])

    # ---- the tables ----

    def training(self):
        steps = self.options.steps
        torch, bare = "rival_torch.py", "bare sgemm calls, one for each thread"
        registers = self.decant("multiply-adds in registers", "multiply-add", None, 1e3)
        contenders = [
            registers,
            self.decant(bare, "bare", None, 1e3, steps=steps),
            self.decant("decant, SGD", "train", self.rows, 1e3, steps=steps, optimizer="sgd"),
            self.decant("decant, Adam", "train", self.rows, 1e3, steps=steps, optimizer="adam"),
            self.rival("PyTorch, SGD", torch, "train", self.rows, 1e3, steps=steps, optimizer="sgd"),
            self.rival("PyTorch, SGD, fused", torch, "train", self.rows, 1e3, steps=steps,
                       optimizer="sgd", fused=1),
            self.rival("PyTorch, Adam", torch, "train", self.rows, 1e3, steps=steps,
                       optimizer="adam"),
            self.rival("PyTorch, Adam, fused", torch, "train", self.rows, 1e3, steps=steps,
                       optimizer="adam", fused=1),
            self.rival("PyTorch, SGD, compiled", torch, "train", self.rows, 1e3, steps=steps,
                       optimizer="sgd", fused=1, compile=1),
            self.rival("PyTorch, Adam, compiled", torch, "train", self.rows, 1e3, steps=steps,
                       optimizer="adam", fused=1, compile=1),
        ]
        operations = 4904960000  # as bench/machine.c counts them

        def share(contender):
            if contender is registers:  # the best of all rounds, since a moment may be disturbed
                best = registers.value * registers.seconds[-1] / min(registers.seconds)
                self.peak["multiply_add"] = max(self.peak["multiply_add"], best)
                return "%3.0f GFLOP/s at best" % (self.peak["multiply_add"] / 1e9)
            rate = operations / contender.median()
            return "%3.0f %% of the multiply-add peak" % (100 * rate / self.peak["multiply_add"])

        self.table("One training iteration, 784-500-500-2000-10 and back, batch 256", "ms",
                   contenders, self.options.rounds, share,
                   aims=[(bare, "decant, SGD", 1), (bare, "decant, Adam", 1 / 1.1),
                         ("PyTorch, SGD", "decant, SGD", 1.5),
                         ("PyTorch, SGD, fused", "decant, SGD", 1.5),
                         ("PyTorch, SGD, compiled", "decant, SGD", 1.5),
                         ("PyTorch, Adam", "decant, Adam", 1.5),
                         ("PyTorch, Adam, fused", "decant, Adam", 1.5),
                         ("PyTorch, Adam, compiled", "decant, Adam", 1.5)])

    def greedy(self):
        steps = self.options.steps
        self.table("One iteration of each greedy stage, dropout 0.2, SGD", "ms", [
            self.decant("decant", "train", self.rows, 1e3, steps=steps, greedy=1),
            self.rival("PyTorch, fused", "rival_torch.py", "train", self.rows, 1e3, steps=steps,
                       greedy=1, fused=1),
        ], self.options.rounds, aims=[("PyTorch, fused", "decant", 1.5)])

    def refinement(self):
        self.table("One iteration of the refinement", "ms", [
            self.decant("decant", "refine", self.rows, 1e3, steps=self.options.steps)],
            self.options.rounds)

    def sparse(self):
        steps = self.options.steps
        self.table("One training iteration, 2000 columns of which 3 % are not 0, Adam", "ms", [
            self.decant("decant, sparse rows", "train", self.words, 1e3, steps=steps,
                        optimizer="adam"),
            self.decant("decant, the same rows dense", "train", self.words_dense, 1e3, steps=steps,
                        optimizer="adam"),
            self.rival("PyTorch, dense, Adam, fused", "rival_torch.py", "train", self.words_dense,
                       1e3, steps=steps, optimizer="adam", fused=1),
        ], self.options.rounds, aims=[("decant, the same rows dense", "decant, sparse rows", 1),
                                      ("PyTorch, dense, Adam, fused", "decant, sparse rows", 3)])
        model = os.path.join(self.words_model, "model.safetensors")
        self.table("Predict, 2000 columns of which 3 % are not 0", "points/s", [
            self.decant("decant, sparse rows", "predict", self.words, 20000, model=model),
            self.decant("decant, the same rows dense", "predict", self.words_dense, 20000,
                        model=model),
            self.rival("PyTorch, dense, batch 4096", "rival_torch.py", "predict", self.words_dense,
                       20000, batch=4096),
        ], self.options.rounds, rate=True,
            aims=[("decant, the same rows dense", "decant, sparse rows", 1),
                  ("PyTorch, dense, batch 4096", "decant, sparse rows", 3)])

    def predict(self):
        rows, torch = self.options.rows, "rival_torch.py"
        model = os.path.join(self.model, "model.safetensors")
        self.table("Predict %d x 784" % rows, "points/s", [
            self.decant("decant_model_predict", "predict", self.rows, rows, model=model),
            self.rival("PyTorch, batch 256", torch, "predict", self.rows, rows, batch=256),
            self.rival("PyTorch, batch 4096", torch, "predict", self.rows, rows, batch=4096),
            self.rival("PyTorch, batch 16384", torch, "predict", self.rows, rows, batch=16384),
        ], self.options.rounds, rate=True,
            aims=[("PyTorch, batch %d" % batch, "decant_model_predict", 2)
                  for batch in (256, 4096, 16384)])
        began = time.perf_counter()
        process = subprocess.Popen([self.program, "predict", self.model, self.rows],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        seconds = time.perf_counter() - began
        if status != 0:
            sys.exit("bench: decant predict failed")
        print("  %-44s %10.4g %18s %6.0f MB" % ("decant predict MODEL DATA, the whole command",
                                               rows / seconds, "", usage.ru_maxrss / 1e3))
        self.tables[-1]["command"] = {"median": rows / seconds, "peak_bytes": usage.ru_maxrss * 1024}

    def kmeans(self):
        def inertia(contender):
            return "inertia %.8g" % contender.value

        for title, data, rounds, aim in (
                ("10 features", self.features, self.options.rounds, 3),
                ("784 columns", self.rows, self.options.kmeans_rounds, 4)):
            self.table("k-means, %d rows, %s, k = 10, 20 restarts" % (self.options.rows, title),
                       "s", [
                           self.decant("decant", "kmeans", data, restarts=20),
                           self.rival("scikit-learn", "rival_sklearn.py", "kmeans", data,
                                      restarts=20),
                           self.rival("FAISS, 25 iterations", "rival_faiss.py", "kmeans", data,
                                      restarts=20),
                       ], rounds, inertia, aims=[("scikit-learn", "decant", aim),
                                                 ("FAISS, 25 iterations", "decant", 1)])

    def graph(self):
        self.table("Exact graph of 5 neighbours, %d x 784" % self.options.rows, "s", [
            self.decant("decant", "graph", self.rows, graph=self.graph_file),
            self.rival("scikit-learn, brute", "rival_sklearn.py", "graph", self.rows),
            self.rival("FAISS, flat", "rival_faiss.py", "graph", self.rows),
        ], self.options.kmeans_rounds,
            aims=[("scikit-learn, brute", "decant", 2), ("FAISS, flat", "decant", 2)])

    def spectral(self):
        graph = self.graph_file
        if not os.path.exists(graph):
            maker = self.decant("", "graph", self.rows, graph=graph)
            maker.ask()
            maker.stop()
        self.table("Spectral clustering on that graph, 10 eigenvectors, rotation", "s", [
            self.decant("decant", "spectral", self.rows, graph=graph, restarts=20),
            self.rival("scikit-learn, ARPACK", "rival_sklearn.py", "spectral", self.rows,
                       graph=graph, solver="arpack"),
            self.rival("scikit-learn, LOBPCG", "rival_sklearn.py", "spectral", self.rows,
                       graph=graph, solver="lobpcg"),
        ], self.options.kmeans_rounds, aims=[("scikit-learn, ARPACK", "decant", 2),
                                             ("scikit-learn, LOBPCG", "decant", 2)])

    def gmm(self):
        def likelihood(contender):
            return "mean log-likelihood %.6g" % contender.value

        for title, data, kind in (("784 columns", self.rows, "diag"),
                                  ("10 features", self.features, "full")):
            self.table("Gaussian mixture, %s covariance, %s, k = 10, 1 start" % (kind, title), "s", [
                self.decant("decant", "gmm", data, covariance=kind),
                self.rival("scikit-learn", "rival_sklearn.py", "gmm", data, covariance=kind),
            ], self.options.kmeans_rounds, likelihood, aims=[("scikit-learn", "decant", 2)])

    def tsne(self):
        def divergence(contender):
            return "KL divergence %.4g" % contender.value

        few = self.path("few.npy")
        subprocess.check_call([os.path.join(self.options.build, "bench", "decant_bench_data"),
                               "dense", few, "10000"] +
                              ([self.options.data] if self.options.data else []))
        for data, rows in ((few, 10000), (self.rows, self.options.rows)):
            self.table("t-SNE, %d x 784, perplexity 30" % rows, "s", [
                self.decant("decant", "tsne", data),
                self.rival("scikit-learn", "rival_sklearn.py", "tsne", data),
                self.rival("openTSNE", "rival_opentsne.py", "tsne", data),
            ], self.options.kmeans_rounds, divergence,
                aims=[("scikit-learn", "decant", 3), ("openTSNE", "decant", 1)])

    def pictures(self):
        """Contenders have as many processes or threads as there are cores."""
        folder = self.options.images
        if not folder:
            print("\nPhotographs: left out, no --images")
            return
        count = sum(name.endswith(".jpg") for _, _, names in os.walk(folder) for name in names)
        self.table("Photographs decoded and made into HOG features, %d files" % count, "images/s", [
            self.decant("decant", "pictures", folder, count),
            self.rival("OpenCV", "rival_pictures.py", "opencv", folder, count),
            self.rival("scikit-image", "rival_pictures.py", "skimage", folder, count),
        ], self.options.kmeans_rounds, rate=True,
            aims=[("OpenCV", "decant", 1), ("scikit-image", "decant", 1)])

    def run(self):
        self.make_data()
        self.machine()
        for name in ("training", "greedy", "refinement", "predict", "sparse", "kmeans", "graph",
                     "spectral", "gmm", "tsne", "pictures"):
            if not self.options.only or name in self.options.only:
                getattr(self, name)()
        for name, reason in self.absent.items():
            print("\nabsent: %s (%s: %s)" % (name, self.python, reason))

    def versions(self):
        script = ("import json\nfound = {}\n"
                  "for name in 'torch sklearn faiss openTSNE cv2 skimage numpy'.split():\n"
                  "    try: found[name] = __import__(name).__version__\n"
                  "    except ImportError: pass\nprint(json.dumps(found))")
        found = subprocess.run([self.python, "-c", script], capture_output=True, text=True)
        return json.loads(found.stdout or "{}")

    def save(self, path):
        text = subprocess.check_output([self.program, "--version"], text=True).strip()
        with open(path, "w") as file:
            json.dump({"decant": text, "rivals": self.versions(), "machine": platform.platform(), "processor": self.processor(),
                       "threads": self.options.threads, "peak": self.peak, "tables": self.tables},
                      file, indent=1)
        print("\nwritten to %s" % path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--data", default=os.environ.get("DECANT_MNIST"))
    parser.add_argument("--images", help="a folder of JPEG files")
    parser.add_argument("--rows", type=int, default=70000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kmeans-rounds", type=int, default=1,
                        help="of 784 columns, where scikit-learn takes minutes")
    parser.add_argument("--steps", type=int, default=20, help="iterations that a round times")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=900, help="seconds that a round may take")
    parser.add_argument("--only", action="append", help="a table; may be given several times")
    parser.add_argument("--json", help="where the figures go (build folder: bench.json)")
    bench = Bench(parser.parse_args())
    bench.run()
    bench.save(bench.options.json or os.path.join(bench.options.build, "bench.json"))


main()
