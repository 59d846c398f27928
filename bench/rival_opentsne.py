"""openTSNE as a contender: tsne."""
import sys

import numpy as np
from openTSNE import TSNE

import rival


def main():
    setup = rival.setup()
    x = np.load(sys.argv[2])
    model = TSNE(n_jobs=int(setup["threads"]), random_state=1)
    rival.serve(lambda: rival.timed(lambda: float(model.fit(x).kl_divergence)))


main()
