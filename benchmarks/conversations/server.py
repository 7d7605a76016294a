"""Serves a model with llama.cpp on the loopback: python server.py MODEL PORT CONTEXT

One slot, so that requests find what the one before left, and no prompts kept in RAM: an older prompt that the server
remembers would hide a prefix that broke.
"""

from __future__ import annotations

import sys
import time

import xllamacpp


def main() -> None:
    """Serve until someone ends the process."""
    path, port, context = sys.argv[1:]
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = int(port)
    params.n_ctx = int(context)
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.cache_ram_mib = 0
    params.use_jinja = True
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
