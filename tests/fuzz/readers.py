"""Damaged and hostile files for every reader: an answer, or one of our errors in words.

Valid files of every kind are changed at random, in ways that get past checksums too. A reader must
return or raise ValueError, TypeError, OSError or OverflowError, soon, and take little memory: the
files are small, so whatever needs more was merely claimed.
"""

import functools
import importlib.util
import io
import random
import re
import struct
import tempfile
import time
import warnings
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import rangemoves as rm
from rangemoves.certificate import Certificate, Island, Step
from rangemoves.cli._problem_file import energy_of
from rangemoves.cli._problem_file import read_problem as read_arrays

try:
    import resource
except ImportError:  # Windows
    resource = None

STATM = Path("/proc/self/statm")  # how much memory the process has now
ALLOWED = (ValueError, TypeError, OSError, OverflowError)
SECONDS = 20.0  # for one file; all take a fraction of one, unless the machine is busy
MEMORY = 256 * 2**20
INTERESTING = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 9000, 2**24, 2**31 - 1, 2**31, 2**32 - 1)
NUMBERS = (b"0", b"-1", b"7", b"9000", b"99999", b"4294967296", b"1e999", b"9" * 30)


CALIBRATIONS = (
    b"cam0=[100 0 30; 0 100 20; 0 0 1]\ndoffs=3\nbaseline=12.5\n",
    b"P0: 100 0 30 0 0 100 20 0 0 0 1 0\nP1: 100 0 30 -9 0 100 20 0 0 0 1 0\n",
)


def read_problem(path):
    return energy_of(read_arrays(path))


def read_disparity(path):
    return rm.io.read_disparity(path, 4)


@functools.cache
def samples():
    """Valid files: name, bytes and reader."""
    rng = np.random.default_rng(0)
    small = rng.integers(1, 255, (9, 11), dtype=np.uint8)
    colour = np.stack([small, small // 2, 255 - small], axis=-1)
    modes = {
        "1": Image.fromarray(small).convert("1"),
        "L": Image.fromarray(small),
        "P": Image.fromarray(colour).convert("P"),
        "RGB": Image.fromarray(colour),
        "RGBA": Image.fromarray(colour).convert("RGBA"),
        "LA": Image.fromarray(small).convert("LA"),
        "I;16": Image.fromarray(small.astype(np.uint16) * 200),
        "F": Image.fromarray(small.astype(np.float32)),
        "CMYK": Image.fromarray(colour).convert("CMYK"),
        "YCbCr": Image.fromarray(colour).convert("YCbCr"),
    }
    files = []

    def picture(name, mode, readers=(rm.io.read_image, read_disparity), **how):
        buffer = io.BytesIO()
        kind = Image.registered_extensions()[Path(name).suffix]
        modes[mode].save(buffer, kind, **how)
        files.extend((name, buffer.getvalue(), reader) for reader in readers)

    for mode in ("1", "L", "P", "RGB", "RGBA", "LA", "I;16"):
        picture("a.png", mode)
    for mode in ("L", "RGB", "I;16"):
        picture("a.ppm" if mode == "RGB" else "a.pgm", mode, (rm.io.read_image,))
    picture("a.pgm", "L", (read_disparity,))
    for mode in ("1", "L", "P", "RGB", "RGBA", "I;16", "F", "CMYK", "YCbCr"):
        picture("a.tif", mode)
    for compression in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"):
        picture("a.tif", "RGB", compression=compression)
    picture("a.tif", "F", (read_disparity,), compression="tiff_lzw")
    picture("a.tif", "1", compression="group4")
    picture("a.jpg", "RGB", (rm.io.read_image,))
    picture("a.jpg", "L", (rm.io.read_image,), progressive=True)
    for mode in ("1", "L", "P", "RGB"):
        picture("a.bmp", mode, (rm.io.read_image,))
    plain = b"P2\n# by hand\n3 2\n255\n1 2 3\n4 5 6\n"
    files.extend(("a.pgm", plain, reader) for reader in (rm.io.read_image, read_disparity))

    floats = small.astype(np.float32)
    files.append(("a.pfm", b"Pf\n11 9\n-1.0\n" + floats.tobytes(), read_disparity))
    files.append(("a.pfm", b"Pf\r\n11 9\r\n1\r\n" + floats.tobytes(), read_disparity))
    for dtype in (np.float16, np.float32, np.float64, np.longdouble, np.int8, ">i8", "U3", bool):
        files.append(("a.npy", stored_npy(small.astype(dtype)), read_disparity))
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, floats, version=(2, 0))
    files.append(("a.npy", buffer.getvalue(), read_disparity))

    problem = {"unary": small[:, :8].reshape(3, 3, 8), "prior": "truncated-linear", "threshold": 2}
    problem |= {"weights_0": np.ones((2, 3)), "weights_1": np.ones((3, 2)), "connectivity": 4}
    graph = {"unary": small[:, :4], "prior": "table", "table": np.arange(4)}
    graph |= {"edges": np.array([[0, 1], [2, 3]]), "weights": 2.5, "init": np.zeros(9, int)}
    for save in (np.savez, np.savez_compressed):
        for arrays in (problem, graph):
            buffer = io.BytesIO()
            save(buffer, **arrays)
            files.append(("a.npz", buffer.getvalue(), read_problem))
    for text in CALIBRATIONS:
        files.append(("calib.txt", text, rm.stereo.read_calibration))
    if importlib.util.find_spec("rasterio") is not None:
        place = rm.io.Georeference("EPSG:32631", (0.5, 0, 5e5, 0, -0.5, 4.6e6), -9999.0)
        with tempfile.TemporaryDirectory() as folder:
            rm.io.write_geotiff(f"{folder}/a.tif", small, place)
            data = Path(folder, "a.tif").read_bytes()
        files.extend(("a.tif", data, reader) for reader in (rm.io.read_geotiff, rm.io.is_geotiff))
    with tempfile.TemporaryDirectory() as folder:
        energy = rm.Energy(problem["unary"], rm.TruncatedLinear(2))
        result = rm.minimize(energy, threads=1)
        for certificate in (None, some_certificate()):
            replace(result, certificate=certificate).save(f"{folder}/a.npz")
            files.append(("a.npz", Path(folder, "a.npz").read_bytes(), rm.Result.load))
    return files


def some_certificate():
    messages = np.arange(16).reshape(2, 8)
    leaf = Step("leaf", messages, [True, False])
    removing = {"order": [2, 0, 1], "eliminated": [(0, 1), (2, 7)], "sent": messages - 9}
    steps = (Step("eliminate", messages, [True, False], **removing), leaf)
    split = (Step("split", split=(0, 3)), leaf, leaf)
    tables = (Step("tables", messages, [True, False], tables=[2, 1, 0, 1, 1], above=9),)
    islands = (
        Island([0, 1, 2], 4.0, steps),
        Island([4, 5, 8], 2.0, split),
        Island([3, 6, 7], 2.0, tables),
    )
    return Certificate(4.0, [0, 3], [True, False], messages, islands)


def stored_npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def mutated(data, rng):
    """The same bytes with one to four changes."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        # Headers are at the beginning, those of archives and some images at the end.
        end = len(data) if rng.random() < 0.5 else min(len(data), 200)
        place = rng.randrange(end) if end else 0
        if rng.random() < 0.2:
            place = max(0, len(data) - 1 - rng.randrange(200))
        kind = rng.randrange(7)
        if kind == 0 and data:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            data[place:place] = rng.randbytes(rng.randint(1, 9))
        elif kind == 3:
            del data[place : place + rng.randint(1, 9)]
        elif kind == 4:
            form = rng.choice(("<H", ">H", "<I", ">I", "<Q", ">Q"))
            value = rng.choice(INTERESTING) % 256 ** struct.calcsize(form)
            data[place : place + struct.calcsize(form)] = struct.pack(form, value)
        elif kind == 5:
            numbers = list(re.finditer(rb"\d+", bytes(data[:200])))
            if numbers:
                found = rng.choice(numbers)
                data[found.start() : found.end()] = rng.choice(NUMBERS)
        else:
            data += data[place : place + rng.randint(1, 400)]
    return bytes(data)


def with_checksums(data):
    """A PNG file whose chunks have the checksums that they should have."""
    parts, place = [data[:8]], 8
    while place + 12 <= len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        body = data[place + 4 : place + 8 + length]
        parts.append(data[place : place + 4] + body + struct.pack(">I", zlib.crc32(body)))
        place += 12 + length
    return b"".join(parts)


def rewritten_archive(data, rng):
    """An .npz file that is whole, with one damaged array in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        names = old.namelist()
        spoiled = rng.choice(names)
        for name in names:
            content = old.read(name)
            new.writestr(name, mutated(content, rng) if name == spoiled else content)
    return buffer.getvalue()


def case(seed, number):
    """Name, bytes and reader of one input; the same for the same two numbers."""
    rng = random.Random(f"{seed} {number}")
    name, data, reader = rng.choice(samples())
    if name.endswith(".npz") and rng.random() < 0.5:
        return name, rewritten_archive(data, rng), reader
    data = mutated(data, rng)
    if name.endswith(".png") and rng.random() < 0.7:
        data = with_checksums(data)
    return name, data, reader


def can_limit_memory():
    return resource is not None and STATM.exists()


@contextmanager
def little_memory():
    """No more than a certain amount of new memory, where the system can see to it."""
    if not can_limit_memory():
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(STATM.read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def check(path, reader, strict):
    """Read one file, and say what is wrong with how that ended; None if nothing is."""
    begin = time.monotonic()
    try:
        with little_memory(), warnings.catch_warnings():
            warnings.simplefilter("error" if strict else "ignore")
            reader(path)
    except ALLOWED as error:
        if len(str(error)) < 20:
            return f"few words: {error!r}"
        if reader is not read_problem and path.name not in str(error):
            return f"no name of the file: {error!r}"
        if "memory" in str(error):
            return f"much memory: {error!r}"
    except Exception as error:  # also MemoryError: the files are small
        return f"raised {error!r}"
    seconds = time.monotonic() - begin
    return f"took {seconds:.1f} s" if seconds > SECONDS else None


def run(count: int, seed: int) -> int:
    """Try so many inputs; return their number, or raise AssertionError with how to repeat one."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data, reader in samples():
            path = Path(folder, name)
            path.write_bytes(data)
            fault = check(path, reader, strict=True)
            assert fault is None, f"{reader.__name__} of a valid {name}: {fault}"
        for number in range(count):
            name, data, reader = case(seed, number)
            path = Path(folder, name)
            path.write_bytes(data)
            # How warnings are shown must not matter: either way nothing else may come out.
            fault = check(path, reader, strict=bool(number % 2))
            if fault is not None:
                raise AssertionError(
                    f"{reader.__name__} of {name}: {fault}; "
                    f"the input is fuzz.readers.case({seed}, {number}): {data[:200]!r}"
                )
    return count
