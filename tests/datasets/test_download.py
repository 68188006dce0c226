"""Fetching pairs, from a server on this machine."""

import dataclasses
import functools
import http.server
import threading

import numpy as np
import pytest

import rangemoves as rm
from rangemoves.datasets import download

pytest.importorskip("pooch")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    requests = 0

    def do_GET(self):
        type(self).requests += 1
        super().do_GET()

    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path):
    """A folder, and the address under which it is served."""
    folder = tmp_path / "served"
    folder.mkdir()
    QuietHandler.requests = 0
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()
        thread.join()


@pytest.fixture
def venus(server, monkeypatch):
    """A pretended Venus on the server, whose checksums are the known ones."""
    scene = download.SCENES["venus"]
    folder = server[0] / scene.folder
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for file in scene.published():
        shape = (4, 5) if file.endswith(".pgm") else (4, 5, 3)
        rm.io.write_image(folder / file, rng.integers(1, 255, shape, dtype=np.uint8))
    pixels = tuple(download.pixel_digest(folder / file) for file in scene.published())
    pretended = dataclasses.replace(scene, pixels=pixels)
    monkeypatch.setitem(download.SCENES, "venus", pretended)
    return folder


@pytest.mark.parametrize("progress", [False, True])
def test_fetched_pair_can_be_read(server, venus, tmp_path, progress, capfd):
    folders = rm.datasets.download_middlebury(["venus"], tmp_path, url=server[1], progress=progress)
    assert folders == [tmp_path / "middlebury" / "venus"]
    assert sorted(p.name for p in folders[0].iterdir()) == ["disp2.pgm", "im2.ppm", "im6.ppm"]
    assert rm.datasets.middlebury("venus", root=tmp_path).left.shape == (4, 5, 3)
    out, err = capfd.readouterr()
    assert out == ""
    assert ("im2.ppm" in err) == progress


def test_what_is_there_is_not_fetched_again(server, venus, tmp_path):
    for _ in range(2):
        rm.datasets.download_middlebury(["venus"], tmp_path, url=server[1])
    assert QuietHandler.requests == 3


def test_damaged_file_is_fetched_again(server, venus, tmp_path):
    (folder,) = rm.datasets.download_middlebury(["venus"], tmp_path, url=server[1])
    (folder / "im2.ppm").write_bytes(b"P6 4 5 255 ")
    rm.datasets.download_middlebury(["venus"], tmp_path, url=server[1])
    assert rm.io.read_image(folder / "im2.ppm").shape == (4, 5, 3)


def test_other_pixels_are_refused_and_leave_nothing(server, venus, tmp_path):
    rm.io.write_image(venus / "im2.ppm", np.zeros((4, 5, 3), dtype=np.uint8))
    with pytest.raises(ValueError, match="must have the known pixels"):
        rm.datasets.download_middlebury(["venus"], tmp_path, url=server[1])
    assert list((tmp_path / "middlebury" / "venus").iterdir()) == []


def test_missing_file_on_the_server_is_an_os_error(server, venus, tmp_path):
    (venus / "im6.ppm").unlink()
    with pytest.raises(OSError, match="404"):
        rm.datasets.download_middlebury(["venus"], tmp_path, url=server[1])


def test_command_prints_the_folders(server, venus, tmp_path):
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from rangemoves.cli import app

    line = ["data", "middlebury", "venus", "-o", str(tmp_path), "--url", server[1]]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == str(tmp_path / "middlebury" / "venus")
    (venus / "im2.ppm").write_bytes(b"not an image")
    line[line.index("-o") + 1] = str(tmp_path / "other")
    assert CliRunner().invoke(app, line).exit_code == 1
    assert CliRunner().invoke(app, ["data", "middlebury", "nothing"]).exit_code == 2


def test_known_checksums_are_those_of_the_real_pairs(data_folder):
    for name, scene in download.SCENES.items():
        folder = data_folder / "middlebury" / name
        for stem, digest in zip(scene.stems(), scene.pixels, strict=True):
            (path,) = folder.glob(f"{stem}.p?m")
            assert download.pixel_digest(path) == digest
