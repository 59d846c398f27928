# clusters.json, compared with numbers that another program computes from rows, labels and model.
command -v python3 >/dev/null || skip "needs python3 to compare with"
awk 'BEGIN {
    seed = 5
    split("goal team match player coach league referee stadium", sport, " ")
    split("bank share price market profit trade broker fund", money, " ")
    for (i = 0; i < 150; i++) {
        line = ""
        for (j = 0; j < 9; j++) {
            seed = (seed * 1103515245 + 12345) % 2147483648
            r = int(seed / 65536)
            mixed = i % 10 == 0 && j < 3
            line = line ((i % 3 == 0) != mixed ? sport[r % 8 + 1] : money[r % 8 + 1]) " "
        }
        print line
    }
}' >lines.txt
expect 0 decant fit lines.txt -k 2 "${fast[@]}" --layers 32,8 --pretrain-epochs 0 --finetune-iterations 300 -o run
expect 0 decant features tfidf lines.txt -o matrix.svm
python3 - <<'PYTHON' >&2 || fail 'clusters.json has other numbers'
import csv, json, math, struct

def safetensors(path, name):
    blob = open(path, "rb").read()
    size = struct.unpack("<Q", blob[:8])[0]
    begin, end = json.loads(blob[8:8 + size])[name]["data_offsets"]
    return struct.unpack("<%df" % ((end - begin) // 4), blob[8 + size + begin:8 + size + end])

def npy(path):
    blob = open(path, "rb").read()
    begin = 10 + struct.unpack("<H", blob[8:10])[0]
    return struct.unpack("<%df" % ((len(blob) - begin) // 4), blob[begin:])

def close(a, b):
    assert abs(a - b) <= 1e-5 * max(1, abs(b)), (a, b)

found = list(csv.DictReader(open("run/labels.csv")))
label = [int(row["cluster"]) for row in found]
confidence = [float(row["confidence"]) for row in found]
stems = [row[1] for row in list(csv.reader(open("matrix.svm.stems.csv")))[1:]]
rows = []
for line in open("matrix.svm"):
    pairs = [pair.split(":") for pair in line.split()[1:]]
    rows.append({int(column) - 1: float(value) / math.sqrt(len(stems)) for column, value in pairs})
for row in rows:
    close(sum(value * value for value in row.values()), 1)
n, d, k = len(rows), len(stems), 2
z, mu = npy("run/embedding.npy"), safetensors("run/model.safetensors", "centroids")
width = len(mu) // k

def distance(row):
    at = mu[label[row] * width:][:width]
    return sum((a - b) ** 2 for a, b in zip(z[row * width:][:width], at))

def mean(chosen, column):
    return sum(rows[row].get(column, 0) for row in chosen) / len(chosen)

everything = sum(sum(row.values()) for row in rows) / n / d
clusters = json.load(open("run/clusters.json"))["clusters"]
assert len(clusters) == k and sum(cluster["size"] for cluster in clusters) == n
for c, cluster in enumerate(clusters):
    inside = [row for row in range(n) if label[row] == c]
    outside = [row for row in range(n) if label[row] != c]
    assert cluster["cluster"] == c and cluster["size"] == len(inside) > 10
    for item in cluster["typical"] + cluster["doubtful"]:
        assert item["row"] in inside
        close(item["confidence"], confidence[item["row"]])
    for name, score in (("typical", distance), ("doubtful", confidence.__getitem__)):
        best = sorted(score(row) for row in inside)[:10]
        assert len(cluster[name]) == 10
        for item, expected in zip(cluster[name], best):
            close(score(item["row"]), expected)
    means = {stems[j]: mean(inside, j) for j in range(d)}
    lifts = {stems[j]: (means[stems[j]] + everything) / (mean(outside, j) + everything)
             for j in range(d)}
    for name, key, scores in (("stems", "mean", means), ("stems_by_lift", "lift", lifts)):
        best = sorted(scores.values(), reverse=True)[:10]
        assert len(cluster[name]) == 10
        for item, expected in zip(cluster[name], best):
            close(item[key], expected)
            close(scores[item["stem"]], item[key])
PYTHON
