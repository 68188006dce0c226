"""Middlebury and KITTI pairs from a folder."""

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("PIL")


def write_scene(folder):
    folder.mkdir(parents=True)
    image = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    rm.io.write_image(folder / "im2.png", image)
    rm.io.write_image(folder / "im6.ppm", image[:, ::-1])
    rm.io.write_disparity(folder / "disp2.pgm", np.full((4, 5), 2.5), scale=8)
    return image


@pytest.mark.parametrize("below", ["venus", "middlebury/venus"])
def test_pair_is_found_below_root_whatever_its_format(tmp_path, below):
    image = write_scene(tmp_path / below)
    pair = rm.datasets.middlebury("venus", root=tmp_path)
    np.testing.assert_array_equal(pair.left, image)
    np.testing.assert_array_equal(pair.disparity, 2.5)
    assert (pair.name, pair.labels, pair.mask) == ("venus", 20, None)


def test_root_comes_from_the_environment(tmp_path, monkeypatch):
    write_scene(tmp_path / "venus")
    monkeypatch.setenv("RANGEMOVES_DATA", str(tmp_path))
    assert rm.datasets.middlebury("venus").name == "venus"


def test_missing_pair_says_what_to_do(tmp_path):
    with pytest.raises(FileNotFoundError, match="run: rangemoves data middlebury"):
        rm.datasets.middlebury("venus", root=tmp_path)
    write_scene(tmp_path / "venus")
    (tmp_path / "venus" / "im6.ppm").unlink()
    with pytest.raises(FileNotFoundError, match="must have im6"):
        rm.datasets.middlebury("venus", root=tmp_path)


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="'cones'"):
        rm.datasets.middlebury("nothing")


@pytest.mark.parametrize("name", rm.datasets.middlebury_names())
def test_real_pairs_read(data_folder, name):
    pair = rm.datasets.middlebury(name, root=data_folder)
    assert np.nanmax(pair.disparity) < pair.labels
    assert np.isfinite(pair.disparity).mean() > 0.75


def write_frame(left, right, occ, noc):
    for path in (left, right, occ, noc):
        path.parent.mkdir(parents=True, exist_ok=True)
    grey = np.arange(20, dtype=np.uint8).reshape(4, 5)
    rm.io.write_image(left, grey)
    rm.io.write_image(right, grey)
    truth = np.full((4, 5), 7.0)
    truth[0] = np.nan
    rm.io.write_disparity(occ, truth)
    truth[1] = np.nan
    rm.io.write_disparity(noc, truth)


@pytest.mark.parametrize(
    "names",
    [
        ("000007/image_0", "000007/image_1", "000007/disp_occ", "000007/disp_noc"),
        *(
            tuple(f"training/{folder}/000007_10" for folder in folders)
            for folders in (
                ("image_0", "image_1", "disp_occ", "disp_noc"),
                ("image_2", "image_3", "disp_occ_0", "disp_noc_0"),
            )
        ),
    ],
)
def test_kitti_layouts(tmp_path, names):
    write_frame(*(tmp_path / "kitti" / f"{name}.png" for name in names))
    pair = rm.datasets.kitti(7, root=tmp_path)
    assert pair.left.shape == (4, 5)
    assert np.isnan(pair.disparity[0]).all()
    assert (pair.disparity[1:] == 7).all()
    assert pair.mask.sum() == 10
    assert (pair.name, pair.labels) == ("kitti-000007", 128)


def test_kitti_without_data_says_where_it_looked(tmp_path):
    with pytest.raises(FileNotFoundError, match="KITTI frame 000007 must be in"):
        rm.datasets.kitti("000007", root=tmp_path)


def test_real_kitti_frame(data_folder):
    pair = rm.datasets.kitti(70, root=data_folder)
    assert pair.left.shape == pair.disparity.shape == (376, 1241)
    assert pair.mask.sum() < np.isfinite(pair.disparity).sum()
