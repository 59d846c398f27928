"""What all rivals do: the protocol of worker.c.

    python rival_NAME.py TASK DATA [key=value ...]"""
import json
import sys
import time


def setup(**defaults):
    """The settings that were given, over the defaults."""
    defaults.update(argument.split("=", 1) for argument in sys.argv[3:])
    return defaults


def timed(task):
    """A round of a function: its seconds, and the value that it gives."""
    began = time.perf_counter()
    value = task()
    return {"seconds": time.perf_counter() - began, "value": value}


def serve(play):
    """Says that it is ready, and plays a round for each line of input."""
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps(play()), flush=True)
