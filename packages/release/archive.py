"""Writes archives whose bytes depend on nothing but what is in them."""

import gzip
import io
import os
import tarfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

# Zip files begin in 1980.
EPOCH = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)


@dataclass(frozen=True)
class Entry:
    """A file in an archive."""

    path: str
    data: bytes
    mode: int = 0o644


def entry(path: str, file: Path, mode: int = 0o644) -> Entry:
    return Entry(path, file.read_bytes(), mode)


def write_tar(out: Path, entries: list[Entry]) -> Path:
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for each in entries:
            header = tarfile.TarInfo(each.path)
            header.size, header.mode, header.mtime = len(each.data), each.mode, EPOCH
            archive.addfile(header, io.BytesIO(each.data))
    out.write_bytes(gzip.compress(tar.getvalue(), compresslevel=6, mtime=EPOCH))
    return out


def write_zip(out: Path, entries: list[Entry]) -> Path:
    with zipfile.ZipFile(out, "w") as archive:
        for each in entries:
            header = zipfile.ZipInfo(each.path, time.gmtime(EPOCH)[:6])
            header.compress_type = zipfile.ZIP_DEFLATED
            header.external_attr = (0o100000 | each.mode) << 16
            archive.writestr(header, each.data)
    return out
