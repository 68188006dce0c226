"""Arrays as NumPy stores them, believed only as far as the file has bytes for them."""

from __future__ import annotations

import math
import os
import sys
import zipfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..machine import require_memory
from ._errors import opened

# Version 3.0 differs in the names of structured fields only, which no array of ours has.
_READ_HEADER = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
# What NumPy writes. Others (bzip2, LZMA) expand so far that no size could be called impossible.
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Deflate makes at most 258 bytes of two bits.
MOST_INFLATION = 1032


def read_npy(file: IO[bytes], size: int) -> NDArray[Any]:
    """An array of numbers or text, never a pickle, from an .npy file of ``size`` bytes in memory.

    Or in an archive: asked for the length that a header claims, both give what there is.
    """
    version = np.lib.format.read_magic(file)
    if version not in _READ_HEADER:
        raise ValueError(f"found .npy version {version}, expected (1, 0) or (2, 0)")
    try:
        shape, _, dtype = _READ_HEADER[version](file)
    except MemoryError:  # the parser's stack was full, not the memory
        raise ValueError("its header is nested too deeply") from None
    if dtype.kind not in "biufcSU":
        raise ValueError(f"found an array of {dtype}, expected numbers or text")
    # In Python's integers, which do not wrap around.
    claimed, found = math.prod(shape) * dtype.itemsize, size - file.tell()
    if min(shape, default=0) < 0 or claimed != found:
        raise ValueError(
            f"its header claims {dtype} of shape {shape}, {claimed} bytes; found {found} bytes"
        )
    file.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    if dtype.kind == "U":
        # NumPy does not check that code points are those of characters.
        codes = np.frombuffer(array.tobytes(), np.dtype(np.uint32).newbyteorder(dtype.byteorder))
        if codes.max(initial=0) > sys.maxunicode:
            raise ValueError("found text with numbers that are no characters")
    return array


def read_npz(path: str | os.PathLike[str], what: str) -> dict[str, NDArray[Any]]:
    """All arrays of an .npz file; ``what`` says in messages what the file should have been."""
    with opened(path, what) as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check_members(members, os.fstat(file.fileno()).st_size)
        arrays = {}
        for member in members:
            with archive.open(member) as stored:
                arrays[member.filename.removesuffix(".npy")] = read_npy(stored, member.file_size)
        return arrays


def _check_members(members: list[zipfile.ZipInfo], size: int) -> None:
    names = [member.filename for member in members]
    for member in members:
        name = member.filename
        if not name.endswith(".npy") or names.count(name) > 1:
            raise ValueError(f"found the entry {name!r}, expected arrays, each with its own name")
        if member.compress_type not in _COMPRESSIONS:
            raise ValueError(f"found {name!r} compressed in a way that NumPy does not write")
        if member.file_size > MOST_INFLATION * member.compress_size:
            raise ValueError(
                f"{name!r} claims {member.file_size} bytes, more than {member.compress_size} "
                "compressed bytes can hold"
            )
    # Entries that overlap in the file would let a small file expand without limit.
    if sum(member.compress_size for member in members) > size:
        raise ValueError(f"its entries claim more than the {size} bytes that it has")
    require_memory(sum(member.file_size for member in members), None)
