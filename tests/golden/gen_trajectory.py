#!/usr/bin/env python3
"""Writes trajectory.h: what training does in its first iterations, by a second implementation.

Written from the paper (Xie, Girshick, Farhadi, ICML 2016, sections 3.1 and 3.2) and
docs/method.md, in numpy and double precision, without a call of decant. Only the random numbers
are decant's (src/base/random.h): first weights, order of the rows and dropout masks are then the
same, and the losses must agree to the precision of float.

    python3 gen_trajectory.py >trajectory.h        needs numpy; building and testing do not

The clustering of the start is searched for by brute force (many starts) and the best one is
taken, so that it does not depend on how decant searches. A case has the first seed whose results
do not hang on a digit that float does not have: two assignments, two neighbours or two clusterings
that are nearly the same."""
import numpy as np

SEED = 1  # set for each case
N, D, K = 120, 12, 3
LAYERS = [24, 16, 3]
BATCH, STEPS, INTERVAL = 48, 20, 5
WEIGHTS, ORDER, DROPOUT = 1, 2, 3  # purposes of random numbers
PARTS = 16  # of the rows: one shard of every minibatch each
FINETUNE_ORDER, REFINE_ORDER, INPUT_MASK = 100, 200, 0xFF
U32 = np.uint64(0xFFFFFFFF)


# ---- decant's random numbers: Philox 4x32-10 ----------------------------------------------------
def philox(purpose, step, index):
    """Four words for each index."""
    index = np.asarray(index, dtype=np.uint64)
    c = [index & U32, index >> np.uint64(32), np.full_like(index, step & 0xFFFFFFFF),
         np.full_like(index, (step >> 32) & 0xFFFFFF | purpose << 24)]
    key = [SEED & 0xFFFFFFFF, SEED >> 32]
    for _ in range(10):
        p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [p1 >> np.uint64(32) ^ c[1] ^ np.uint64(key[0]), p1 & U32,
             p0 >> np.uint64(32) ^ c[3] ^ np.uint64(key[1]), p0 & U32]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, axis=-1)


def long_words(purpose, step, count):
    """The first `count` 64-bit words of a sequence."""
    words = philox(purpose, step, np.arange((count + 1) // 2)).reshape(-1, 2)
    return ((words[:, 0] << np.uint64(32)) | words[:, 1])[:count]


def normals(purpose, step, count):
    """Box-Muller; the sine is not used."""
    uniform = (long_words(purpose, step, 2 * count) >> np.uint64(11)).astype(float) * 2.0**-53
    return np.sqrt(-2 * np.log(1 - uniform[0::2])) * np.cos(2 * np.pi * uniform[1::2])


def permutation(step, n):
    """Fisher-Yates from the end. A word that would make the remainder uneven is drawn again; that
    happens once in 2^60 and is left out here."""
    order, words = np.arange(n), long_words(ORDER, step, n - 1)
    for i in range(n, 1, -1):
        j = int(words[n - i]) % i
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def dropout_mask(stage, step, layer, width, rate):
    """BATCH x width: 0, or 1 / (1 - rate). Eight 16-bit draws in one call of the generator."""
    calls = (width + 7) // 8
    row, call = np.meshgrid(np.arange(BATCH), np.arange(calls), indexing="ij")
    index = (np.uint64(layer) << np.uint64(56)) | (row.astype(np.uint64) << np.uint64(32)) \
        | call.astype(np.uint64)
    words = philox(DROPOUT, stage << 48 | step, index)
    draws = np.stack([words & np.uint64(0xFFFF), words >> np.uint64(16)], axis=-1)
    draws = draws.reshape(BATCH, calls * 8)[:, :width]
    return np.where(draws < int(rate * 65536), 0, 1 / (1 - rate))


class Order:
    """Rows of the minibatches. The rows are 16 parts, the first N % 16 of them one row longer;
    position e of an epoch is row e // 16 of part e % 16, in file order or in the order of a
    permutation that the part has in that epoch. A minibatch is sorted by part."""

    def __init__(self, shuffle, phase):
        self.shuffle, self.phase = shuffle, phase

    def row(self, position):
        epoch, at = divmod(position, N)
        part, row = at % PARTS, at // PARTS
        if self.shuffle:
            size = N // PARTS + (part < N % PARTS)
            row = permutation(part << 52 | self.phase << 40 | epoch, size)[row]
        return part, N // PARTS * part + min(part, N % PARTS) + row

    def batch(self, step):
        rows = [self.row(position) for position in range(step * BATCH, (step + 1) * BATCH)]
        return np.array([row for _, row in sorted(rows, key=lambda pair: pair[0])])


# ---- Network and optimizers ---------------------------------------------------------------------
class Layer:
    def __init__(self, number, inputs, outputs, relu, deviation):
        scale = deviation if deviation > 0 else np.sqrt(2 / inputs)
        self.w = scale * normals(WEIGHTS, number, inputs * outputs).reshape(inputs, outputs)
        self.w = self.w.astype(np.float32).astype(float)
        self.b = np.zeros(outputs)
        self.relu = relu

    def forward(self, x):
        y = x @ self.w + self.b
        return np.maximum(y, 0) if self.relu else y


def autoencoder(deviation):
    sizes = [D] + LAYERS + LAYERS[-2::-1] + [D]
    depth = len(LAYERS)
    layers = [Layer(l, sizes[l], sizes[l + 1], l not in (depth - 1, 2 * depth - 1), deviation)
              for l in range(2 * depth)]
    if deviation == 0:  # the reconstruction begins with 0
        layers[-1].w[:] = 0
    return layers


def encode(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x


class Sgd:
    """Momentum as in Caffe: v = m v + rate g; w -= v."""

    def __init__(self):
        self.v = {}

    def step(self, key, value, gradient, rate, momentum):
        self.v[key] = momentum * self.v.get(key, 0) + rate * gradient
        value -= self.v[key]


class Adam:
    """Kingma and Ba, ICLR 2015, algorithm 1."""

    def __init__(self):
        self.m, self.s, self.t = {}, {}, {}

    def step(self, key, value, gradient, rate, _):
        t = self.t[key] = self.t.get(key, 0) + 1
        self.m[key] = 0.9 * self.m.get(key, 0) + 0.1 * gradient
        self.s[key] = 0.999 * self.s.get(key, 0) + 0.001 * gradient**2
        first, second = self.m[key] / (1 - 0.9**t), self.s[key] / (1 - 0.999**t)
        value -= rate * first / (np.sqrt(second) + 1e-8)


def backward(layers, inputs, outputs, masks, delta, first, last):
    """delta: the loss's gradient at the output of layer `last`. Gradients of layers first .. last,
    and the gradient at the input of `first`."""
    gradients = {}
    for l in range(last, first - 1, -1):
        if layers[l].relu:
            delta = delta * (outputs[l] > 0)
        gradients[l] = (inputs[l].T @ delta, delta.sum(axis=0))
        delta = delta @ layers[l].w.T
        if l > 0 and masks[l - 1] is not None:
            delta = delta * masks[l - 1]
    return gradients, delta


def forward(layers, x, masks):
    """Each layer's input and output; a mask falls on what the next layer gets."""
    inputs, outputs = [], []
    for layer, mask in zip(layers, masks):
        inputs.append(x)
        outputs.append(layer.forward(x))
        x = outputs[-1] if mask is None else outputs[-1] * mask
    return inputs, outputs


def apply(optimizer, layers, gradients, rate, momentum, bias_rate):
    for l, (dw, db) in gradients.items():
        optimizer.step((l, "w"), layers[l].w, dw, rate, momentum)
        optimizer.step((l, "b"), layers[l].b, db, rate * bias_rate, momentum)


# ---- Pretraining, section 3.2 -------------------------------------------------------------------
def rate_at(case, t):
    if case["optimizer"] == "sgd":
        return case["pretrain_rate"] * 0.1 ** (t // case["rate_step"])
    quarter = STEPS / 4
    if t < quarter:
        return case["pretrain_rate"] * (0.04 + 0.96 * t / quarter)
    return case["pretrain_rate"] * 0.5 * (1 + np.cos(np.pi * (t - quarter) / (STEPS - quarter)))


def stage_dropout(case, stage):
    """Rates on the input and on the features of a greedy stage."""
    on_all = case["preset"] != "authors"
    return (case["dropout"] if on_all or stage > 0 else 0,
            case["dropout"] if on_all or stage < len(LAYERS) - 1 else 0)


def train_autoencoder(case, layers, x, stage, dropout):
    """Losses of STEPS minibatches. stage: number of a greedy stage, or None for the whole.
    dropout: rates on the input and on the features."""
    optimizer = Sgd() if case["optimizer"] == "sgd" else Adam()
    order = Order(case["shuffle"], FINETUNE_ORDER if stage is None else 1 + stage)
    last, losses = len(layers) - 1, []
    for t in range(STEPS):
        clean = x[order.batch(t)]
        masks, corrupted = [None] * len(layers), clean
        if dropout[0] > 0:
            corrupted = clean * dropout_mask(stage, t, INPUT_MASK, clean.shape[1], dropout[0])
        if dropout[1] > 0:
            masks[0] = dropout_mask(stage, t, 0, layers[0].w.shape[1], dropout[1])
        inputs, outputs = forward(layers, corrupted, masks)
        error = outputs[-1] - clean
        losses.append((error**2).mean())
        gradients, _ = backward(layers, inputs, outputs, masks, error / error.size, 0, last)
        momentum = 0.9 * min(1, t / 1000)
        apply(optimizer, layers, gradients, rate_at(case, t), momentum, case["bias_rate"])
    return losses


# ---- The start ----------------------------------------------------------------------------------
def lloyd(z, centers):
    while True:
        distance = ((z[:, None] - centers) ** 2).sum(axis=2)
        labels = distance.argmin(axis=1)
        if len(set(labels)) < K:
            return None, np.inf
        moved = np.array([z[labels == j].mean(axis=0) for j in range(K)])
        if np.array_equal(moved, centers):
            return labels, distance.min(axis=1).sum()
        centers = moved


def same_partition(a, b):
    return np.array_equal(a[:, None] == a, b[:, None] == b)


def kmeans(z, name):
    """The best of many starts; enough of them must end there, and the rest clearly worse."""
    draw = np.random.default_rng(1)
    runs = [lloyd(z, z[draw.choice(N, K, replace=False)]) for _ in range(200)]
    labels, inertia = min(runs, key=lambda run: run[1])
    hits = [run for run in runs if run[0] is not None and same_partition(run[0], labels)]
    rest = min((run[1] for run in runs if run[0] is None or not same_partition(run[0], labels)),
               default=np.inf)
    assert len(hits) >= 20, f"{name}: k-means finds its optimum in only {len(hits)} of 200 starts"
    assert rest > inertia * 1.0002, f"{name}: two clusterings, {inertia} and {rest}"
    distance = np.sort(((z[:, None] - means(z, labels)) ** 2).sum(axis=2), axis=1)
    assert (distance[:, 1] / distance[:, 0]).min() > 1.0005, f"{name}: a row between two centers"
    return labels, inertia


def means(z, labels):
    return np.array([z[labels == j].mean(axis=0) for j in range(K)])


def neighbour_weights(z, count, name):
    """docs/method.md, section 3: W, rows of sum 1."""
    distance = ((z[:, None] - z) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    order, sorted_distance = distance.argsort(axis=1), np.sort(distance, axis=1)
    assert (sorted_distance[:, count] / sorted_distance[:, count - 1]).min() > 1.00005, \
        f"{name}: two neighbours at the same distance"
    scale = np.sqrt(sorted_distance[:, count - 1])
    w = np.zeros((N, N))
    for i in range(N):
        j = order[i, :count]
        w[i, j] = np.exp(-distance[i, j] / (scale[i] * scale[j]))
    return w / w.sum(axis=1, keepdims=True)


def parts(w):
    """Connected parts of the graph."""
    reached = np.linalg.matrix_power((w + w.T + np.eye(N) > 0).astype(float), N) > 0
    return len({tuple(row) for row in reached})


def modularity(a, labels):
    degree, total = a.sum(axis=1), a.sum()
    same = labels[:, None] == labels
    return ((a - np.outer(degree, degree) / total) * same).sum() / total


def raise_modularity(a, labels):
    """Single points move to the cluster that raises Q most, until none does."""
    b = a - np.outer(a.sum(axis=1), a.sum(axis=1)) / a.sum()
    np.fill_diagonal(b, 0)
    member = np.eye(K)[labels]
    moved = True
    while moved:
        moved = False
        for i in range(N):
            gain = b[i] @ member
            best = gain.argmax()
            if gain[best] > gain[labels[i]] + 1e-12:
                member[i] = np.eye(K)[best]
                labels[i] = best
                moved = True
    return labels, modularity(a, labels)


def communities(w, first, name):
    """The partition into K with the highest modularity, from many starts: regions grown around
    K points, the clusters of k-means, and disturbed copies of the best so far."""
    a, draw = w + w.T, np.random.default_rng(2)
    reach = np.linalg.matrix_power((np.eye(N) + a / a.sum(axis=1, keepdims=True)) / 2, 30)
    found = [raise_modularity(a, first.copy())]
    for start in range(300):
        if start % 2 == 0:
            labels = reach[draw.choice(N, K, replace=False)].argmax(axis=0)
        else:
            best = max(found, key=lambda run: run[1])[0]
            labels = np.where(draw.random(N) < 0.2, draw.integers(0, K, N), best)
        found.append(raise_modularity(a, labels))
    best, best_q = max(found, key=lambda run: run[1])
    others = [q for labels, q in found if not same_partition(labels, best)]
    hits = len(found) - len(others)
    assert hits >= 20, f"{name}: the best partition was found only {hits} times"
    assert best_q - max(others, default=-1) > 1e-5, f"{name}: two partitions of one modularity"
    assert len(set(best)) == K
    return best


# ---- Refinement, section 3.1 --------------------------------------------------------------------
def soft_assign(z, mu):
    q = 1 / (1 + ((z[:, None] - mu) ** 2).sum(axis=2))  # eq. 1 with alpha = 1
    return q / q.sum(axis=1, keepdims=True)


def target(case, q, smoothing):
    if smoothing is not None:
        for _ in range(3):
            q = (q + smoothing @ q) / 2
    p = q**2  # eq. 3; the default leaves sizes as they are
    if case["preset"] != "fast":
        p /= q.sum(axis=0)
    return p / p.sum(axis=1, keepdims=True)


def hard_assign(q, name):
    top = np.sort(q, axis=1)
    assert (top[:, -1] - top[:, -2]).min() > 3e-4, f"{name}: a row between two clusters"
    return q.argmax(axis=1)


def refine(case, layers, x, labels, mu, smoothing):
    """Loss of each minibatch, share of the labels that changed at each update, last labels."""
    depth, method, name = len(LAYERS), case["method"], case["name"]
    trained = layers if method == "idec" else layers[:depth]
    masks, order = [None] * len(trained), Order(case["shuffle"], REFINE_ORDER)
    weight = 0.1 if method == "idec" else 1  # gamma
    losses, changes = [], []
    for t in range(STEPS):
        if t % INTERVAL == 0:
            q = soft_assign(encode(layers[:depth], x), mu)
            if t == 0 and smoothing is not None:
                p = target(case, np.eye(K)[labels], smoothing)  # the first target is the start's labels
                changes.append(np.nan)
            else:
                now = hard_assign(q, name)
                changes.append((now != labels).mean())
                p, labels = target(case, q, smoothing), now
            optimizer = Sgd()  # momentum starts from 0
        rows = order.batch(t)
        inputs, outputs = forward(trained, x[rows], masks)
        z, target_rows = outputs[depth - 1], p[rows]
        kernel = 1 / (1 + ((z[:, None] - mu) ** 2).sum(axis=2))
        q = kernel / kernel.sum(axis=1, keepdims=True)
        a = 2 * kernel * (target_rows - q)
        difference = z[:, None] - mu
        dz = weight * (a[:, :, None] * difference).sum(axis=1) / BATCH  # eq. 4
        dmu = -weight * (a[:, :, None] * difference).sum(axis=0) / BATCH  # eq. 5
        terms = target_rows * np.log(np.where(target_rows > 0, target_rows / q, 1))
        losses.append(weight * terms.sum() / BATCH)  # eq. 2; 0 log 0 = 0
        rate = case["refine_rate"]
        if case["anneal"]:
            rate *= 0.5 * (1 + np.cos(np.pi * t / STEPS))
        gradients = {}
        if method == "idec":
            error = outputs[-1] - x[rows]
            losses[-1] += (error**2).mean()
            gradients, below = backward(trained, inputs, outputs, masks, error / error.size, depth,
                                        2 * depth - 1)
            dz = dz + below
        if method != "dec-nobackprop":
            gradients |= backward(trained, inputs, outputs, masks, dz, 0, depth - 1)[0]
        apply(optimizer, trained, gradients, rate, 0.9, case["bias_rate"])
        optimizer.step("mu", mu, dmu, rate, 0.9)
    now = hard_assign(soft_assign(encode(layers[:depth], x), mu), name)
    changes.append((now != labels).mean())
    return losses, changes, now


# ---- Data and cases -----------------------------------------------------------------------------
def make_data():
    """Groups that overlap, so that refinement has something to change; whole numbers."""
    draw = np.random.default_rng(DATA_SEED)
    centers = draw.uniform(0, 40, (K, D))
    spread = np.array([8, 10, 12])
    group = np.arange(N) % K
    x = centers[group] + spread[group][:, None] * draw.standard_normal((N, D))
    return np.clip(np.rint(x), -99, 99)


def scaled(x, case):
    if case["scaling"] == "paper":
        mean_square = 2.92 if case["preset"] == "authors" else 1
        return x * np.sqrt(mean_square * x.size / (x**2).sum())
    return (x - x.mean(axis=0)) / x.std(axis=0)


PAPER = {"preset": "paper", "scaling": "paper", "optimizer": "sgd", "init_std": 0.3,
         "greedy": True, "dropout": 0.2, "sparse": 0, "pretrain_rate": 0.2, "rate_step": 8,
         "bias_rate": 2, "shuffle": False, "neighbours": 0, "refine_rate": 0.3, "anneal": False}
FAST = {"preset": "fast", "scaling": "standard", "optimizer": "adam", "init_std": 0,
        "greedy": False, "dropout": 0.2, "sparse": 0, "pretrain_rate": 0.01, "rate_step": 8,
        "bias_rate": 1, "shuffle": True, "neighbours": 10, "refine_rate": 0.3, "anneal": True,
        "seed": 6}
CASES = [
    PAPER | {"name": "paper", "method": "dec"},
    PAPER | {"name": "paper_frozen", "method": "dec-nobackprop", "refine_rate": 2},
    PAPER | {"name": "sparse", "method": "idec", "dropout": 0, "sparse": 1,
             "pretrain_rate": 0.12},
    PAPER | {"name": "authors", "preset": "authors", "method": "dec", "pretrain_rate": 0.1,
             "refine_rate": 0.1},
    FAST | {"name": "fast", "method": "dec"},
    FAST | {"name": "fast_idec", "method": "idec"},
    FAST | {"name": "fast_smoothed", "method": "dec", "neighbours": 1},
]
DATA_SEED = 4
# Options of decant: preset and method first, because they set others.
SETTINGS = ["preset", "method", "scaling", "init_std", "dropout", "pretrain_rate",
            "rate_step", "neighbours", "refine_rate"]
COMMON = {"k": K, "layers": ",".join(map(str, LAYERS)), "batch": BATCH,
          "finetune-iterations": STEPS, "update-interval": INTERVAL, "max-iterations": STEPS,
          "tol": 0, "start": "features"}


def run(case, raw):
    x = scaled(raw, case)
    layers, depth, out = autoencoder(case["init_std"]), len(LAYERS), {}
    out["greedy"] = []
    for stage in range(depth if case["greedy"] else 0):
        pair = [layers[stage], layers[2 * depth - 1 - stage]]
        out["greedy"] += train_autoencoder(case, pair, encode(layers[:stage], x), stage,
                                           stage_dropout(case, stage))
    out["finetune"] = train_autoencoder(case, layers, x, None, (0, 0))
    z = encode(layers[:depth], x)
    labels, out["inertia"] = kmeans(z, case["name"])
    out["start"], smoothing = labels, None
    if case["neighbours"] > 0:
        smoothing = neighbour_weights(z, case["neighbours"], case["name"])
        if parts(smoothing) > 4 * K:  # at least so many communities: too many to be merged
            smooth = z
            for _ in range(30):
                smooth = (smooth + smoothing @ smooth) / 2
            labels, _ = kmeans(smooth, case["name"])
        else:
            labels = communities(smoothing, labels, case["name"])
    out["refine"], out["changed"], out["labels"] = refine(case, layers, x, labels,
                                                          means(z, labels), smoothing)
    return out


def run_with_some_seed(case, raw):
    """The seed of the case, and what training does with it."""
    global SEED
    for SEED in range(case.get("seed", 1), 1000):
        try:
            return SEED, run(case, raw)
        except AssertionError:
            continue
    raise SystemExit(f"{case['name']}: no seed without a near tie")


def array(kind, name, values, texts):
    lines, line = [], "   "
    for text in texts:
        if len(line) + len(text) > 94:
            lines.append(line)
            line = "   "
        line += f" {text},"
    lines.append(line)
    return f"static const {kind} {name}[{len(values)}] = {{\n" + "\n".join(lines) + "\n};"


def doubles(name, values):
    return array("double", name, values, [repr(float(v)) if v == v else "(double)NAN"
                                          for v in values])


def integers(kind, name, values):
    return array(kind, name, values, [str(int(v)) for v in values])


def main():
    raw = make_data()
    print("/* Written by gen_trajectory.py. */\n/* clang-format off */")
    print(f"enum {{ TRAJECTORY_N = {N}, TRAJECTORY_D = {D}, "
          f"TRAJECTORY_STEPS = {STEPS},\n       TRAJECTORY_UPDATES = {STEPS // INTERVAL + 1}, "
          f"TRAJECTORY_STAGES = {len(LAYERS)} }};")
    print(integers("float", "trajectory_x", raw.ravel()))
    rows = []
    for case in CASES:
        name = case["name"]
        seed, out = run_with_some_seed(case, raw)
        for key in ("greedy", "finetune", "refine", "changed"):
            if out[key]:
                print(doubles(f"{name}_{key}", out[key]))
        for key in ("start", "labels"):
            print(integers("int32_t", f"{name}_{key}", out[key]))
        settings = {key: case[key] for key in SETTINGS} | COMMON | {
            "seed": seed, "greedy-iterations": STEPS if case["greedy"] else 0}
        texts = [f'{{"{key.replace("_", "-")}", "{value}"}}' for key, value in settings.items()]
        print(array("char *const", f"{name}_settings", texts, texts)
              .replace(f"[{len(texts)}]", f"[{len(texts)}][2]"))
        rows.append(f'    {{"{name}", {case["sparse"]}, {len(texts)}, {name}_settings,\n'
                    f'     {name + "_greedy" if case["greedy"] else "NULL"}, {name}_finetune, '
                    f'{float(out["inertia"])!r},\n'
                    f'     {name}_refine, {name}_changed, {name}_start, {name}_labels}},')
    print("static const struct trajectory {\n"
          "    const char *name;\n    int sparse; /* rows as CSR */\n    size_t setting_count;\n"
          "    const char *const (*settings)[2];\n"
          "    const double *greedy, *finetune;\n    double inertia;\n"
          "    const double *refine, *changed;\n    const int32_t *start, *labels;\n"
          f"}} trajectories[{len(CASES)}] = {{\n" + "\n".join(rows) + "\n};")


if __name__ == "__main__":
    main()
