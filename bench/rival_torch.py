"""PyTorch as a contender: train, predict.

Training is what a careful user writes: rows gathered by index from one tensor, mean square error,
the optimiser as PyTorch chooses it, or in its fused form (fused=1)."""
import sys
import time

import numpy as np
import torch
from torch import nn

import rival

WIDTHS = [500, 500, 2000, 10]


def stack(widths, last_is_linear=True):
    layers = []
    for i in range(len(widths) - 1):
        layers.append(nn.Linear(widths[i], widths[i + 1]))
        if not (last_is_linear and i == len(widths) - 2):
            layers.append(nn.ReLU())
    return layers


def encoder(columns):
    return nn.Sequential(*stack([columns] + WIDTHS))


def autoencoder(columns):
    return nn.Sequential(*stack([columns] + WIDTHS), *stack(WIDTHS[::-1] + [columns]))


def optimizer(name, net, fused):
    if name == "adam":
        return torch.optim.Adam(net.parameters(), lr=1e-4, fused=fused)
    return torch.optim.SGD(net.parameters(), lr=1e-4, momentum=0.9, fused=fused)


class Train:
    """Iterations of the whole autoencoder, or one of each greedy stage with dropout."""

    def __init__(self, x, setup):
        self.x, self.steps, self.batch = x, int(setup["steps"]), int(setup["batch"])
        columns = x.shape[1]
        if setup.get("greedy") == "1":
            widths = [columns] + WIDTHS
            self.nets = [nn.Sequential(nn.Dropout(0.2), nn.Linear(a, b), nn.ReLU(), nn.Dropout(0.2),
                                       nn.Linear(b, a)) for a, b in zip(widths, widths[1:])]
            self.inputs = [torch.rand(x.shape[0], width) for width in widths[1:-1]]
            self.inputs.insert(0, x)
        else:
            self.nets, self.inputs = [autoencoder(columns)], [x]
        if setup.get("compile") == "1":
            self.nets = [torch.compile(net) for net in self.nets]
        fused = True if setup.get("fused") == "1" else None  # None: PyTorch's own choice
        self.optimizers = [optimizer(setup["optimizer"], net, fused) for net in self.nets]

    def step(self, net, x, optimizer, index):
        rows = x[index]
        loss = nn.functional.mse_loss(net(rows), rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    def round(self):
        seconds = 0
        for net, x, optimizer in zip(self.nets, self.inputs, self.optimizers):
            order = torch.randperm(x.shape[0])
            for i in range(3 + self.steps):
                if i == 3:
                    began = time.perf_counter()
                self.step(net, x, optimizer, order[i * self.batch:(i + 1) * self.batch])
            seconds += (time.perf_counter() - began) / self.steps
        return seconds


class Predict:
    """The encoder's forward pass over all rows."""

    def __init__(self, x, setup):
        self.x, self.batch = x, int(setup["batch"])
        self.net = encoder(x.shape[1]).eval()
        if setup.get("compile") == "1":
            self.net = torch.compile(self.net)

    def round(self):
        began = time.perf_counter()
        with torch.inference_mode():
            for first in range(0, self.x.shape[0], self.batch):
                self.net(self.x[first:first + self.batch])
        return time.perf_counter() - began


def main():
    setup = rival.setup(threads="2", batch="256", steps="20", optimizer="sgd")
    torch.manual_seed(1)
    torch.set_num_threads(int(setup["threads"]))
    x = torch.from_numpy(np.load(sys.argv[2]))
    task = {"train": Train, "predict": Predict}[sys.argv[1]](x, setup)
    task.round()
    rival.serve(lambda: {"seconds": task.round()})


main()
