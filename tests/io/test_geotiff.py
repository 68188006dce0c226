"""GeoTIFF: where an image lies is where its map lies; what is missing stays missing."""

import os
import struct

import numpy as np
import pytest

import rangemoves as rm

pytest.importorskip("PIL")
if os.environ.get("CI"):
    import rasterio
else:
    rasterio = pytest.importorskip("rasterio", reason="no rasterio; install rangemoves[geo]")

TRANSFORM = (0.5, 0.0, 500_000.0, 0.0, -0.5, 4_600_000.0)


def write(path, bands, nodata=None, crs="EPSG:32631", **options):
    bands = np.asarray(bands)
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        count=len(bands),
        height=bands.shape[1],
        width=bands.shape[2],
        dtype=bands.dtype,
        crs=crs,
        transform=rasterio.Affine(*TRANSFORM),
        nodata=nodata,
        **options,
    ) as target:
        target.write(bands)


BAND = np.arange(12, dtype=np.uint16).reshape(3, 4)


def test_place_and_missing_pixels_are_read(tmp_path):
    write(tmp_path / "a.tif", [BAND], nodata=7)
    image, place = rm.io.read_geotiff(tmp_path / "a.tif")
    assert np.isnan(image[1, 3])
    np.testing.assert_array_equal(np.nan_to_num(image, nan=7), BAND)
    assert place.transform == TRANSFORM
    assert place.nodata == 7
    assert rasterio.CRS.from_wkt(place.crs).to_epsg() == 32631


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16, np.float32])
@pytest.mark.parametrize("count", [1, 3, 4])
def test_bands_and_numbers(tmp_path, dtype, count):
    bands = np.stack([BAND.astype(dtype) + k for k in range(count)])
    write(tmp_path / "a.tif", bands)
    image, _ = rm.io.read_geotiff(tmp_path / "a.tif")
    assert image.dtype == (dtype if np.dtype(dtype).kind == "u" else np.float64)
    assert image.shape == ((3, 4) if count == 1 else (3, 4, 3))
    np.testing.assert_array_equal(image[..., 0] if count > 1 else image, bands[0])


@pytest.mark.parametrize(("nodata", "kept"), [(-9999.0, -9999.0), (None, np.nan), (2.5, np.nan)])
def test_a_map_lies_where_its_image_lies(tmp_path, nodata, kept):
    write(tmp_path / "a.tif", [BAND], nodata=None)
    _, place = rm.io.read_geotiff(tmp_path / "a.tif")
    place = rm.io.Georeference(place.crs, place.transform, nodata)
    values = np.array([[1.5, np.nan], [np.inf, 2.5]])
    rm.io.write_geotiff(tmp_path / "map.tif", values, place)
    with rasterio.open(tmp_path / "map.tif") as stored:
        assert stored.crs.to_epsg() == 32631
        assert tuple(stored.transform)[:6] == TRANSFORM
        np.testing.assert_equal(stored.nodata, kept)
        assert stored.dtypes == ("float32",)
    expected = [[1.5, np.nan], [np.nan, 2.5]]
    np.testing.assert_array_equal(rm.io.read_disparity(tmp_path / "map.tif"), expected)
    np.testing.assert_array_equal(rm.io.read_geotiff(tmp_path / "map.tif")[0], expected)


def test_what_counts_as_a_geotiff(tmp_path):
    write(tmp_path / "geo.tif", [BAND])
    rm.io.write_image(tmp_path / "plain.tif", BAND.astype(np.uint8))
    rm.io.write_image(tmp_path / "plain.png", BAND.astype(np.uint8))
    assert rm.io.is_geotiff(tmp_path / "geo.tif")
    assert not rm.io.is_geotiff(tmp_path / "plain.tif")
    assert not rm.io.is_geotiff(tmp_path / "plain.png")


def test_bad_files_and_names_are_said_in_words(tmp_path):
    write(tmp_path / "two.tif", [BAND, BAND])
    with pytest.raises(ValueError, match="found 2 bands, expected 1, 3 or 4"):
        rm.io.read_geotiff(tmp_path / "two.tif")
    (tmp_path / "bad.tif").write_bytes(b"II*\0hello")
    with pytest.raises(ValueError, match=r"bad\.tif must be a GeoTIFF; could not read it"):
        rm.io.read_geotiff(tmp_path / "bad.tif")
    place = rm.io.Georeference(None, TRANSFORM)
    with pytest.raises(ValueError, match=r"must end in \.tif"):
        rm.io.write_geotiff(tmp_path / "a.png", BAND, place)
    with pytest.raises(ValueError, match="non-empty map"):
        rm.io.write_geotiff(tmp_path / "a.tif", BAND[0], place)


COMPRESSION, SHORT = 259, 3


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("big", [False, True])
def test_tags_that_claim_more_than_the_file_has_are_refused_before_they_are_read(
    tmp_path, order, big
):
    path = tmp_path / "a.tif"
    write(path, [BAND], endianness=order.upper(), bigtiff="YES" if big else "NO")
    assert np.array_equal(rm.io.read_geotiff(path)[0], BAND)
    entry = ("<" if order == "little" else ">") + ("HHQ" if big else "HHI")
    data, tag = path.read_bytes(), struct.pack(entry, COMPRESSION, SHORT, 1)
    assert data.count(tag) == 1
    path.write_bytes(data.replace(tag, struct.pack(entry, COMPRESSION, SHORT, 2**30)))
    with pytest.raises(ValueError, match=r"a\.tif .* tag 259 claims 1073741824 values"):
        rm.io.read_geotiff(path)


@pytest.mark.parametrize("order", ["<", ">"])
def test_directories_that_go_in_circles_come_to_an_end(tmp_path, order):
    header = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8)
    (tmp_path / "a.tif").write_bytes(header + struct.pack(order + "HI", 0, 8) + bytes(100))
    with pytest.raises(ValueError, match=r"a\.tif must be a GeoTIFF"):
        rm.io.read_geotiff(tmp_path / "a.tif")


def test_without_rasterio_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rasterio", None)
    with pytest.raises(ModuleNotFoundError, match=r"rasterio.*rangemoves\[geo\]"):
        rm.io.read_geotiff(tmp_path / "a.tif")
