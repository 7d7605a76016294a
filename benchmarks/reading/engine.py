"""A thin ctypes binding to llama.cpp: evaluate a context once, then look at the logits after short continuations.

Only what the benchmark needs is bound. The two parameter structures are passed as opaque blocks larger than the real
ones: each is the last argument and travels on the stack, so surplus bytes are never read. Five fields of the context
parameters are set by their place in the release that setup.py fetches.
"""

from __future__ import annotations

import ctypes as c
import os
import struct
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

LogSink = c.CFUNCTYPE(None, c.c_int, c.c_char_p, c.c_void_p)
SILENT = LogSink(lambda level, text, data: None)


Logits = Sequence[float]  # one for every token of the vocabulary
Continuation = tuple[Sequence[int], set[int]]  # tokens, and after which of them logits are wanted


class Params(c.Structure):
    """Room for either parameter structure."""

    _fields_ = [("block", c.c_uint8 * 512)]


class Batch(c.Structure):
    """Mirror of llama_batch."""

    _fields_ = [
        ("n_tokens", c.c_int32),
        ("token", c.POINTER(c.c_int32)),
        ("embd", c.c_void_p),
        ("pos", c.POINTER(c.c_int32)),
        ("n_seq_id", c.POINTER(c.c_int32)),
        ("seq_id", c.POINTER(c.POINTER(c.c_int32))),
        ("logits", c.POINTER(c.c_int8)),
    ]


# name: result, arguments
CALLS: dict[str, tuple[object, list[object]]] = {
    "llama_backend_init": (None, []),
    "llama_log_set": (None, [LogSink, c.c_void_p]),
    "llama_model_default_params": (Params, []),
    "llama_context_default_params": (Params, []),
    "llama_model_load_from_file": (c.c_void_p, [c.c_char_p, Params]),
    "llama_init_from_model": (c.c_void_p, [c.c_void_p, Params]),
    "llama_model_get_vocab": (c.c_void_p, [c.c_void_p]),
    "llama_vocab_n_tokens": (c.c_int32, [c.c_void_p]),
    "llama_set_n_threads": (None, [c.c_void_p, c.c_int32, c.c_int32]),
    "llama_tokenize": (
        c.c_int32,
        [c.c_void_p, c.c_char_p, c.c_int32, c.POINTER(c.c_int32), c.c_int32, c.c_bool, c.c_bool],
    ),
    "llama_get_memory": (c.c_void_p, [c.c_void_p]),
    "llama_memory_clear": (None, [c.c_void_p, c.c_bool]),
    "llama_memory_seq_cp": (None, [c.c_void_p, c.c_int32, c.c_int32, c.c_int32, c.c_int32]),
    "llama_memory_seq_rm": (c.c_bool, [c.c_void_p, c.c_int32, c.c_int32, c.c_int32]),
    "llama_batch_init": (Batch, [c.c_int32, c.c_int32, c.c_int32]),
    "llama_decode": (c.c_int32, [c.c_void_p, Batch]),
    "llama_get_logits_ith": (c.POINTER(c.c_float), [c.c_void_p, c.c_int32]),
}


def find(folder: Path, stem: str) -> Path:
    """The library file, whatever version its name carries."""
    found = sorted([*folder.glob(f"{stem}.so"), *folder.glob(f"{stem}.v*.so")])
    if not found:
        raise SystemExit(f"{stem} is not in {folder}: run setup.py first")
    return found[0]


def load(folder: Path) -> c.CDLL:
    """Load libllama with the processor backend that suits this machine."""
    c.CDLL(str(find(folder, "libggml-base")), mode=c.RTLD_GLOBAL)
    ggml = c.CDLL(str(find(folder, "libggml")), mode=c.RTLD_GLOBAL)
    lib = c.CDLL(str(find(folder, "libllama")), mode=c.RTLD_GLOBAL)
    for name, (result, arguments) in CALLS.items():
        call = getattr(lib, name)
        call.restype, call.argtypes = result, arguments
    lib.llama_log_set(SILENT, None)
    ggml.ggml_backend_load_all_from_path.restype = None
    ggml.ggml_backend_load_all_from_path(str(folder).encode())
    return lib


SIZES = 0  # n_ctx, n_batch, n_ubatch, n_seq_max
UNIFIED = 0x85  # kv_unified: all sequences share one cache, so that copying a context costs nothing


def busy() -> list[int]:
    """Processor time since start, all of it and the idle part, in ticks."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return [sum(ticks), ticks[3] + ticks[4]]


def spare() -> int:
    """How many threads to use now: both of two only if both cores are free, for llama.cpp's threads wait for each
    other at every step and two on busy cores are slower than one."""
    before = busy()
    time.sleep(0.3)
    total, idle = (after - start for after, start in zip(busy(), before))
    return max(1, int((os.cpu_count() or 1) * idle / max(1, total) + 0.1))


class Engine:
    """One model with one cache, in which the current context stays while batches of continuations come and go."""

    def __init__(self, folder: Path, model: Path, threads: int, room: int = 4096, width: int = 8) -> None:
        self.lib = load(folder)
        self.lib.llama_backend_init()
        self.model = self.lib.llama_model_load_from_file(str(model).encode(), self.lib.llama_model_default_params())
        if not self.model:
            raise SystemExit(f"cannot load {model}: run setup.py first")
        params = self.lib.llama_context_default_params()
        struct.pack_into("<4I", params.block, SIZES, room, room, 512, width + 1)
        struct.pack_into("<?", params.block, UNIFIED, True)
        self.context = self.lib.llama_init_from_model(self.model, params)
        self.threads = threads
        self.vocab = self.lib.llama_model_get_vocab(self.model)
        self.size = self.lib.llama_vocab_n_tokens(self.vocab)
        self.memory = self.lib.llama_get_memory(self.context)
        self.batch = self.lib.llama_batch_init(room, 0, 1)
        self.room, self.width = room, width
        self.held = 0  # tokens of the current context

    def tokens(self, text: str) -> list[int]:
        """Token numbers of a text, with nothing added."""
        raw = text.encode()
        out = (c.c_int32 * (len(raw) + 8))()
        count = self.lib.llama_tokenize(self.vocab, raw, len(raw), out, len(out), False, False)
        return list(out[:count])

    def add(self, token: int, position: int, sequence: int, wanted: bool) -> int:
        """Put one token into the batch; its place there comes back."""
        batch = self.batch
        at: int = batch.n_tokens
        batch.token[at] = token
        batch.pos[at] = position
        batch.n_seq_id[at] = 1
        batch.seq_id[at][0] = sequence
        batch.logits[at] = wanted
        batch.n_tokens = at + 1
        return at

    def decode(self) -> None:
        """Evaluate the batch."""
        if self.held + self.batch.n_tokens > self.room:
            raise SystemExit(f"{self.held + self.batch.n_tokens} tokens do not fit into {self.room}")
        if self.lib.llama_decode(self.context, self.batch) != 0:
            raise RuntimeError("llama_decode failed")
        self.batch.n_tokens = 0

    def hold(self, context: Sequence[int]) -> None:
        """Replace what is in the cache by a new context. The number of threads does not change the outcome."""
        threads = self.threads or spare()
        self.lib.llama_set_n_threads(self.context, threads, threads)
        self.lib.llama_memory_clear(self.memory, True)
        self.held = self.batch.n_tokens = 0
        for position, token in enumerate(context):
            self.add(token, position, 0, False)
        self.decode()
        self.held = len(context)

    def after(self, continuations: Sequence[Continuation]) -> list[dict[int, Logits]]:
        """Full-vocabulary logits after the wanted tokens of continuations of the held context, a few at a time."""
        if len(continuations) > self.width:
            return self.after(continuations[: self.width]) + self.after(continuations[self.width :])
        places: list[dict[int, int]] = []
        for sequence, (tokens, wanted) in enumerate(continuations, start=1):
            self.lib.llama_memory_seq_cp(self.memory, 0, sequence, 0, self.held)
            added = [self.add(token, self.held + i, sequence, i in wanted) for i, token in enumerate(tokens)]
            places.append({i: added[i] for i in wanted})
        self.decode()
        rows = [{i: self.logits(at) for i, at in place.items()} for place in places]
        for sequence in range(1, len(continuations) + 1):
            self.lib.llama_memory_seq_rm(self.memory, sequence, 0, -1)
        return rows

    def logits(self, at: int) -> Logits:
        """The logits of every token of the vocabulary after one place of the batch."""
        return array("f", c.string_at(self.lib.llama_get_logits_ith(self.context, at), 4 * self.size))
