#!/usr/bin/env python3
"""Two hosts on one machine, with a slow wire between them: what does a fit by two ranks make of it?

    bench/slow_link.py [--delay MS] [--gigabits G] -- decant-mpi fit data.npy -k 10 -o run ...

Two network namespaces get a TUN device each, and this program is the wire: it takes packets from one
and gives them to the other, each after the delay and no faster than the rate. No module of the kernel
is needed (netem is missing in many). One rank runs in each namespace; Open MPI talks TCP over the
wire, and nothing else connects the two. Needs root and Open MPI's mpirun. Prints packets, bytes and
the longest time that a packet was late because this program did not come to its turn.
"""
import argparse
import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import tempfile
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
MTU = 60000  # few packets, so that one process is fast enough
CLONE_NEWNET = 0x40000000


def run(*command):
    subprocess.run(command, check=True)


def enter(namespace):
    if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET) != 0:
        sys.exit("slow_link: cannot enter a network namespace: " + os.strerror(ctypes.get_errno()))


def open_tun(name):
    with open("/proc/self/ns/net") as home, open("/run/netns/" + name) as there:
        enter(there)
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"tun0", IFF_TUN | IFF_NO_PI))
        enter(home)
    return device


class Direction:
    """Packets on their way from one device to another."""

    def __init__(self, source, sink, delay, rate):
        self.source, self.sink, self.delay, self.rate = source, sink, delay, rate
        self.queue, self.free = collections.deque(), 0.0
        self.packets = self.bytes = 0
        self.late = 0.0

    def take(self, now):
        while True:
            try:
                packet = os.read(self.source, MTU + 100)
            except BlockingIOError:
                return
            self.free = max(self.free, now) + len(packet) * 8 / self.rate
            self.queue.append((self.free + self.delay, packet))

    def give(self, now):
        while self.queue and self.queue[0][0] <= now:
            due, packet = self.queue.popleft()
            os.write(self.sink, packet)
            self.packets += 1
            self.bytes += len(packet)
            self.late = max(self.late, now - due)


def relay(job, ways):
    devices = [way.source for way in ways]
    while job.poll() is None:
        due = min((way.queue[0][0] for way in ways if way.queue), default=time.monotonic() + 0.05)
        select.select(devices, [], [], max(0.0, due - time.monotonic()))
        now = time.monotonic()
        for way in ways:
            way.take(now)
            way.give(now)
    return job.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delay", type=float, default=1, help="milliseconds each way (1)")
    parser.add_argument("--gigabits", type=float, default=1, help="a second, each way (1)")
    parser.add_argument("command", nargs="+", help="after --: what each rank runs")
    options = parser.parse_args()
    names = ["decant-%d-%d" % (os.getpid(), i) for i in range(2)]
    addresses = ["10.93.0.%d" % (i + 1) for i in range(2)]
    inside = "exec ip netns exec %s unshare -u sh -c 'hostname %s; exec \"$@\"' sh"
    agent = None
    try:
        devices = []
        for i, name in enumerate(names):
            run("ip", "netns", "add", name)
            devices.append(open_tun(name))
            ip = ["ip", "-n", name]
            run(*ip, "address", "add", addresses[i] + "/24", "dev", "tun0")
            run(*ip, "link", "set", "tun0", "mtu", str(MTU), "up")
            run(*ip, "link", "set", "lo", "up")
        with tempfile.NamedTemporaryFile("w", prefix="decant-agent-", delete=False) as agent:
            # what mpirun calls instead of ssh: HOST COMMAND...
            agent.write("#!/bin/sh\nshift\n" + inside % (names[1], names[1]) + ' sh -c "$*"\n')
        os.chmod(agent.name, 0o700)
        command = ["mpirun", "--allow-run-as-root", "--host", ",".join(addresses), "-n", "2"]
        for setting in (("btl", "tcp,self"), ("btl_tcp_if_include", "tun0"),
                        ("oob_tcp_if_include", "tun0"), ("plm_rsh_agent", agent.name)):
            command += ["--mca", *setting]
        if "DECANT_MPI_TRAFFIC" in os.environ:
            command += ["-x", "DECANT_MPI_TRAFFIC"]
        command = ["sh", "-c", inside % (names[0], names[0]), "sh"] + command + options.command
        command[2] = command[2] + ' "$@"'
        delay, rate = options.delay / 1000, options.gigabits * 1e9
        ways = [Direction(devices[i], devices[1 - i], delay, rate) for i in range(2)]
        code = relay(subprocess.Popen(command, stdin=subprocess.DEVNULL), ways)
        for i, way in enumerate(ways):
            print("wire %d -> %d: %d packets, %.1f MB, at most %.1f ms late"
                  % (i, 1 - i, way.packets, way.bytes / 1e6, 1000 * way.late), file=sys.stderr)
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)
        if agent is not None:
            os.unlink(agent.name)
    sys.exit(code)


if __name__ == "__main__":
    main()
