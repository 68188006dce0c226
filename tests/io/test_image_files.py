"""Images of all kinds: read as 8 or 16 bits, or refused in words."""

import errno
import os
import stat
import struct
import zlib
from pathlib import Path

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


@pytest.mark.parametrize("kind", ["P3", "P6"])
def test_16_bit_colour_of_ppm_is_refused_not_cut(tmp_path, kind):
    pixels = b"1000 2 3" if kind == "P3" else bytes(6)
    (tmp_path / "a.ppm").write_bytes(kind.encode() + b"\n1 1\n65535\n" + pixels)
    with pytest.raises(ValueError, match="found 16-bit colour"):
        rm.io.read_image(tmp_path / "a.ppm")


class TestHostile:
    """What a name or a header says is not believed."""

    def test_content_must_be_what_the_name_says(self, tmp_path):
        image = Image.new("RGB", (4, 3))
        for kind in ("EPS", "GIF", "BMP", "TIFF", "JPEG", "PPM"):
            image.save(tmp_path / "a.png", format=kind)
            with pytest.raises(ValueError, match=r"a\.png must be an image; .* no PNG image"):
                rm.io.read_image(tmp_path / "a.png")
            with pytest.raises(ValueError, match=r"a\.png must be a disparity map; .* no PNG"):
                rm.io.read_disparity(tmp_path / "a.png")

    @pytest.mark.parametrize("suffix", [".eps", ".gif", ".webp", ".pdf", ".npy", ""])
    def test_other_formats_are_refused_by_name(self, tmp_path, suffix):
        path = tmp_path / f"a{suffix}"
        Image.new("RGB", (4, 3)).save(path, format="PNG")
        with pytest.raises(ValueError, match="path must end in the suffix of an image"):
            rm.io.read_image(path)

    @pytest.mark.parametrize("times", [1.5, 3])
    def test_more_pixels_than_pillow_takes(self, tmp_path, monkeypatch, times):
        """Between once and twice the limit Pillow warns, beyond it raises an error of its own."""
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
        rm.io.write_image(tmp_path / "a.png", np.zeros((100, int(10 * times)), np.uint8))
        with pytest.raises(ValueError, match=r"a\.png must be an image; .* more pixels than the 1"):
            rm.io.read_image(tmp_path / "a.png")

    @pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
    def test_the_limit_does_not_depend_on_how_warnings_are_shown(self, tmp_path, monkeypatch):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
        rm.io.write_image(tmp_path / "a.png", np.zeros((100, 15), np.uint8))
        with pytest.raises(ValueError, match="more pixels than the 1000"):
            rm.io.read_image(tmp_path / "a.png")
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
        assert rm.io.read_image(tmp_path / "a.png").shape == (100, 15)

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            ("a.png", png(9000, 9000, 8, 6, b"")),
            ("a.pgm", b"P5\n9000 9000\n255\n" + bytes(9000)),
            ("a.pgm", b"P2\n9000 9000\n255\n1 2 3"),
            ("a.ppm", b"P6\n9000 9000\n255\n" + bytes(9000)),
        ],
        ids=["png", "pgm", "plain pgm", "ppm"],
    )
    def test_claims_are_checked_before_memory_is_taken(self, tmp_path, monkeypatch, name, data):
        (tmp_path / name).write_bytes(data)
        monkeypatch.setattr(
            "PIL.ImageFile.ImageFile.load", lambda _: pytest.fail("pixels were decoded")
        )
        with pytest.raises(ValueError, match="claims 9000x9000 pixels, more than its"):
            rm.io.read_image(tmp_path / name)

    def test_tiff_claims_are_checked_too(self, tmp_path):
        Image.new("L", (7, 5)).save(tmp_path / "a.tif")
        data = bytearray((tmp_path / "a.tif").read_bytes())
        for tag in (256, 257):  # width and height, 32-bit values of one entry each
            start = data.index(struct.pack("<HHI", tag, 4, 1)) + 8
            data[start : start + 4] = struct.pack("<I", 9000)
        (tmp_path / "a.tif").write_bytes(data)
        with pytest.raises(ValueError, match="claims 9000x9000 pixels, more than its"):
            rm.io.read_image(tmp_path / "a.tif")

    def test_a_tile_may_not_claim_more_either(self, tmp_path):
        """A tile is decoded as a whole, also where the image is a corner of it."""
        data = zlib.compress(bytes(256))
        for side, fine in ((16, True), (30000, False)):
            tags = {256: 16, 257: 16, 258: 8, 259: 8, 262: 1, 277: 1, 322: side, 323: side}
            tags |= {324: 8 + 2 + 12 * 10 + 4, 325: len(data)}
            entries = b"".join(struct.pack("<HHII", tag, 4, 1, tags[tag]) for tag in tags)
            head = b"II*\0" + struct.pack("<IH", 8, len(tags))
            (tmp_path / "a.tif").write_bytes(head + entries + bytes(4) + data)
            if fine:
                assert not rm.io.read_image(tmp_path / "a.tif").any()
            else:
                with pytest.raises(ValueError, match="claims 30000x30000 pixels"):
                    rm.io.read_image(tmp_path / "a.tif")

    def test_flat_images_are_no_bombs(self, tmp_path):
        """Nothing compresses better: what is refused must be more than this."""
        for name, mode in (("a.png", "1"), ("b.png", "L"), ("c.png", "RGB"), ("d.jpg", "RGB")):
            Image.new(mode, (3000, 2000)).save(tmp_path / name)
            assert rm.io.read_image(tmp_path / name).shape[:2] == (2000, 3000)

    def test_pipes_are_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "a.png")
        with pytest.raises(ValueError, match="found a pipe or a device"):
            rm.io.read_image(tmp_path / "a.png")


def test_floats_come_as_they_are(tmp_path):
    values = np.array([[0.5, np.nan], [-3e9, np.inf]], np.float32)
    Image.fromarray(values).save(tmp_path / "a.tif")
    found = rm.io.read_image(tmp_path / "a.tif")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, values)


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

    def test_a_full_disk_is_said_of_a_file(self, tmp_path, monkeypatch):
        def full(handle):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"No space left on device: '.*map\.pfm'") as caught:
            rm.io.write_disparity(tmp_path / "map.pfm", np.zeros((2, 3)))
        assert caught.value.errno == errno.ENOSPC
        assert list(tmp_path.iterdir()) == []

    def test_permissions_are_kept(self, tmp_path):
        path = tmp_path / "a"
        path.write_bytes(b"old")
        path.chmod(0o640)
        rm.io.write_atomically(path, b"new")
        assert path.stat().st_mode & 0o777 == 0o640
        assert path.read_bytes() == b"new"

    def test_longest_names_can_be_written(self, tmp_path):
        path = tmp_path / ("n" * 251 + ".png")
        rm.io.write_image(path, np.zeros((2, 3), np.uint8))
        assert list(tmp_path.iterdir()) == [path]

    def test_bytes_are_on_the_disk_before_the_name_is(self, tmp_path, monkeypatch):
        done = []
        replace, fsync = Path.replace, os.fsync

        def recorded_fsync(handle):
            done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
            fsync(handle)

        def recorded_replace(self, target):
            done.append("rename")
            return replace(self, target)

        monkeypatch.setattr(os, "fsync", recorded_fsync)
        monkeypatch.setattr(Path, "replace", recorded_replace)
        rm.io.write_atomically(tmp_path / "a", b"new")
        assert done == ["file", "rename", "folder"]

    def test_systems_that_cannot_sync_folders_do_without(self, tmp_path, monkeypatch):
        fsync = os.fsync

        def files_only(handle):
            if stat.S_ISDIR(os.fstat(handle).st_mode):
                raise PermissionError("not a file")
            fsync(handle)

        monkeypatch.setattr(os, "fsync", files_only)
        rm.io.write_atomically(tmp_path / "a", b"new")
        assert (tmp_path / "a").read_bytes() == b"new"

    def test_links_in_a_circle_are_an_error_of_the_system(self, tmp_path):
        (tmp_path / "a").symlink_to(tmp_path / "b")
        (tmp_path / "b").symlink_to(tmp_path / "a")
        with pytest.raises(OSError, match="symbolic links"):
            rm.io.write_atomically(tmp_path / "a", b"new")

    def test_link_keeps_pointing(self, tmp_path):
        (tmp_path / "real").write_bytes(b"old")
        (tmp_path / "link").symlink_to(tmp_path / "real")
        rm.io.write_atomically(tmp_path / "link", b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_bytes() == b"new"


def npy_header(shape):
    text = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "must be a mask; could not read it"),
        (b"PK\x03\x04", "must be a mask; could not read it"),
        (npy_header((10**6, 10**5)) + bytes(8), "its header claims"),
        (npy_header((1, 1, 1)) + bytes(8), r"found float64 of shape \(1, 1, 1\)"),
    ],
)
def test_arrays_that_are_no_mask_are_refused(tmp_path, data, words):
    path = tmp_path / "mask.npy"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=words):
        rm.io.read_mask(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_is_no_mask(tmp_path):
    os.mkfifo(tmp_path / "mask.npy")
    with pytest.raises(ValueError, match="found a pipe or a device"):
        rm.io.read_mask(tmp_path / "mask.npy")


def test_masked_images_are_refused(tmp_path):
    image = np.ma.masked_equal(np.zeros((2, 3), np.uint8), 0)
    with pytest.raises(TypeError, match="image must be a plain array"):
        rm.io.write_image(tmp_path / "image.png", image)
    with pytest.raises(TypeError, match="left must be a plain array"):
        rm.stereo.cost_volume(image, image, 2)
    with pytest.raises(TypeError, match="mask must be a plain array"):
        rm.stereo.match(image.data, image.data, labels=2, mask=np.ma.array(image.data == 0))


def test_masked_disparities_are_unknown(tmp_path):
    disparity = np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 2)
    rm.io.write_disparity(tmp_path / "map.pfm", disparity)
    found = rm.io.read_disparity(tmp_path / "map.pfm")
    np.testing.assert_array_equal(found, [[1, np.nan], [3, 4]])
