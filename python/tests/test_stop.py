"""Ctrl-C stops every long call within half a second, and what was stopped can be used again. The
machine may be busy with something else, so it is the processor's half second: what the one thread
still does after the signal."""

import subprocess
import sys

import pytest

CODE = """
import os, signal, sys, threading, time
import numpy as np
import decant

x = np.random.default_rng(0).normal(size=(3000, 64)).astype(np.float32)
small = dict(layers=(16, 4), finetune_iterations=5, max_iterations=5, n_jobs=1)
long = dict(layers=(500, 500, 2000, 10), finetune_iterations=10**6, pretrain_epochs=0, n_jobs=1)
model = decant.DEC(3, **long)
wide = decant.DEC(3, **{**long, "finetune_iterations": 2, "max_iterations": 2, "restarts": 1,
                        "smooth_steps": 0, "neighbours": 0, "whiten": 0}).fit(x[:200])
tsne = decant.TSNE(max_iter=10**6, n_jobs=1)
many = np.broadcast_to(x[:1], (10**7, 64))  # one row in memory

def stopped(call, seconds):
    "Processor seconds from the signal until the exception arrives."
    sent = []
    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(seconds, interrupt)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return time.process_time() - sent[0]
    finally:
        timer.cancel()
    sys.exit("the call ended before it was stopped")

CALLS = {
    "fit": lambda: model.fit(x),
    "predict": lambda: wide.predict(many),
    "transform": lambda: wide.transform(many),
    "tsne": lambda: tsne.fit(x),
    "select_k": lambda: decant.select_k(x, "2..9", **long),
}
name = sys.argv[1]
print(max(stopped(CALLS[name], seconds) for seconds in (0.3, 0.7, 1.1)))
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert len(model.set_params(**small).fit(x[:300]).labels_) == 300
assert len(wide.predict(x[:10])) == 10
assert len(tsne.set_params(max_iter=50).fit(x[:100]).embedding_) == 100
assert decant.select_k(x[:100], "2..3", **small).k in (2, 3)
"""


@pytest.mark.parametrize("name", ["fit", "predict", "transform", "tsne", "select_k"])
def test_ctrl_c(name):
    run = subprocess.run(
        [sys.executable, "-c", CODE, name], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 0.5
