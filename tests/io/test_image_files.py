"""Images of all kinds: read as 8 or 16 bits, or refused in words."""

import struct
import zlib

import numpy as np
import pytest

import rangemoves as rm

Image = pytest.importorskip("PIL.Image")


def png(width, height, depth, colour_type, row):
    """The bytes of a PNG file, for kinds that Pillow cannot write."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, 0)
    pixels = zlib.compress((b"\0" + row) * height)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize("name", ["a.png", "a.ppm", "a.tif", "a.bmp"])
def test_colour_comes_back(tmp_path, name):
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    rm.io.write_image(tmp_path / name, image)
    np.testing.assert_array_equal(rm.io.read_image(tmp_path / name), image)


@pytest.mark.parametrize("name", ["a.png", "a.pgm", "a.tif"])
def test_grey_stays_grey(tmp_path, name):
    image = np.arange(35, dtype=np.uint8).reshape(5, 7)
    rm.io.write_image(tmp_path / name, image)
    np.testing.assert_array_equal(rm.io.read_image(tmp_path / name), image)


@pytest.mark.parametrize("name", ["a.png", "a.tif"])
def test_16_bit_grey_keeps_its_bits(tmp_path, name):
    image = np.arange(0, 35000, 1000, dtype=np.uint16).reshape(5, 7)
    Image.fromarray(image).save(tmp_path / name)
    read = rm.io.read_image(tmp_path / name)
    assert read.dtype == np.uint16
    np.testing.assert_array_equal(read, image)


@pytest.mark.parametrize(
    ("mode", "shape"), [("RGBA", (5, 7, 3)), ("LA", (5, 7)), ("1", (5, 7)), ("P", (5, 7, 3))]
)
def test_alpha_is_left_out_and_palettes_are_resolved(tmp_path, mode, shape):
    Image.new(mode, (7, 5)).save(tmp_path / "a.png")
    read = rm.io.read_image(tmp_path / "a.png")
    assert (read.shape, read.dtype) == (shape, np.uint8)


@pytest.mark.parametrize(("colour_type", "channels"), [(2, 3), (6, 4), (4, 2)])
def test_16_bit_colour_is_refused_not_cut(tmp_path, colour_type, channels):
    (tmp_path / "a.png").write_bytes(png(2, 3, 16, colour_type, bytes(2 * 2 * channels)))
    with pytest.raises(ValueError, match="found 16-bit colour"):
        rm.io.read_image(tmp_path / "a.png")


def test_floats_are_refused(tmp_path):
    Image.fromarray(np.zeros((2, 3), dtype=np.float32)).save(tmp_path / "a.tif")
    with pytest.raises(ValueError, match="floating-point"):
        rm.io.read_image(tmp_path / "a.tif")


@pytest.mark.parametrize("name", ["a.png", "a.ppm", "a.tif", "a.jpg"])
@pytest.mark.parametrize("keep", [0.0, 0.1, 0.7])
def test_truncated_image_is_refused_by_name(tmp_path, name, keep):
    path = tmp_path / name
    image = np.random.default_rng(0).integers(0, 256, (50, 70, 3), dtype=np.uint8)
    rm.io.write_image(path, image)
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data))])
    with pytest.raises(ValueError, match=f"{name} must be an image; could not read it"):
        rm.io.read_image(path)


def test_missing_image_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        rm.io.read_image(tmp_path / "a.png")


def test_wrong_arguments_are_refused(tmp_path):
    with pytest.raises(ValueError, match="image must be uint8"):
        rm.io.write_image(tmp_path / "a.png", np.zeros((2, 3)))
    with pytest.raises(ValueError, match="suffix"):
        rm.io.write_image(tmp_path / "a.xyz", np.zeros((2, 3), dtype=np.uint8))


class TestAtomicWriting:
    def test_failure_leaves_the_old_file_and_no_other(self, tmp_path, monkeypatch):
        path = tmp_path / "a"
        path.write_bytes(b"old")
        monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("no")))
        with pytest.raises(OSError, match="no"):
            rm.io.write_atomically(path, b"new")
        assert path.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [path]

    def test_permissions_are_kept(self, tmp_path):
        path = tmp_path / "a"
        path.write_bytes(b"old")
        path.chmod(0o640)
        rm.io.write_atomically(path, b"new")
        assert path.stat().st_mode & 0o777 == 0o640
        assert path.read_bytes() == b"new"

    def test_link_keeps_pointing(self, tmp_path):
        (tmp_path / "real").write_bytes(b"old")
        (tmp_path / "link").symlink_to(tmp_path / "real")
        rm.io.write_atomically(tmp_path / "link", b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_bytes() == b"new"
