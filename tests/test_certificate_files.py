"""Certificates in files, and from the numbers of the core to those of the caller."""

import dataclasses
import sys
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from certificate_writer import good_certificate, random_certificate
from oracles import best_energy

import rangemoves as rm
from rangemoves.callers_numbers import CallersNumbers
from rangemoves.certificate import Certificate, Island, Step
from rangemoves.certificate_arrays import from_arrays, to_arrays
from rangemoves.cropped import crop
from rangemoves.fixed_point import to_fixed_point
from rangemoves.testing._bound import certified_bound

ENERGY = rm.Energy(
    np.random.default_rng(3).integers(0, 9, (5, 3)),
    rm.TablePrior([1, 0, 8, 2, 3]),
    edges=[(0, 1), (1, 2), (2, 0), (3, 1), (3, 4), (4, 0), (1, 4)],
)


@pytest.fixture(scope="module")
def certificate():
    found = good_certificate(ENERGY, [0, 1, 2, 4], int(best_energy(ENERGY)))
    kinds = {step.kind for step in found.islands[0].steps}
    assert kinds == {"leaf", "split", "eliminate"}
    # Variable 3 has no edge inside an island of its own.
    tables = Step("tables", tables=[1, 0], rounds=3, above=7)
    return dataclasses.replace(found, islands=(*found.islands, Island([3], 64, (tables,))))


@pytest.fixture
def stored(certificate, tmp_path):
    path = tmp_path / "result.npz"
    result = rm.minimize(ENERGY, "best", threads=1)
    dataclasses.replace(result, certificate=certificate).save(path)
    return path


def same(one, other):
    """Whether two parts of certificates have the same numbers, of the same types."""
    for part in dataclasses.fields(one):
        a, b = getattr(one, part.name), getattr(other, part.name)
        if part.name in ("islands", "steps"):
            assert len(a) == len(b)
            assert all(same(x, y) for x, y in zip(a, b, strict=True))
        elif isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b.reshape(a.shape))
        else:
            assert a == b
    return True


def test_what_is_loaded_is_what_was_saved(stored, certificate):
    loaded = rm.Result.load(stored)
    assert same(certificate, loaded.certificate)
    expected = certified_bound(ENERGY, certificate)
    assert certified_bound(ENERGY, loaded.certificate) == expected
    assert rm.testing.verify_result(ENERGY, loaded).optimal


@pytest.mark.parametrize("seed", range(20))
def test_any_certificate_can_be_saved(seed):
    rng = np.random.default_rng(seed)
    certificate = random_certificate(rng, ENERGY, scales=(0.5, 3, 1e6))
    assert same(certificate, from_arrays(to_arrays(certificate)))
    # Archives of zeros are small, whatever their type: others should be, too.
    narrow = dataclasses.replace(certificate, messages=np.sign(certificate.messages))
    assert to_arrays(narrow)["certificate_messages"].dtype == np.int8
    wide = dataclasses.replace(certificate, messages=np.sign(certificate.messages) * 2**40)
    assert same(wide, from_arrays(to_arrays(wide)))


def test_a_result_without_one_has_none(tmp_path):
    rm.minimize(ENERGY, "trws").save(tmp_path / "result.npz")
    assert rm.Result.load(tmp_path / "result.npz").certificate is None
    assert from_arrays({}) is None


def test_steps_of_different_widths_are_not_saved():
    leaves = [Step("leaf", np.zeros((1, n), int), [True]) for n in (3, 4)]
    islands = tuple(Island([k], 1.0, (leaf,)) for k, leaf in enumerate(leaves))
    with pytest.raises(ValueError, match="the same number of labels"):
        to_arrays(Certificate(1.0, [], [], np.zeros((0, 3), int), islands))


def refused(path):
    with pytest.raises(ValueError, match=r"result\.npz must be a file written by Result\.save"):
        rm.Result.load(path)


def test_damaged_files_are_refused_by_name(stored):
    whole = stored.read_bytes()
    for place in range(0, len(whole), 31):
        stored.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with suppress(ValueError):
            rm.Result.load(stored)
        stored.write_bytes(whole[:place])
        refused(stored)


def changed(path, name, change):
    with np.load(path) as arrays:
        held = dict(arrays)
    held[f"certificate_{name}"] = change(held[f"certificate_{name}"])
    np.savez(path, **{key: array for key, array in held.items() if array is not None})


def with_entry(row, column, value):
    def change(table):
        table = table.copy()
        table[row, column] = value
        return table

    return change


@pytest.mark.parametrize(
    "name",
    [
        name.removeprefix("certificate_")
        for name in to_arrays(Certificate(1.0, [], [], np.zeros((0, 2), int)))
    ],
)
def test_every_part_must_be_there(stored, name):
    with np.load(stored) as arrays:
        parts = {key: array for key, array in arrays.items() if key != f"certificate_{name}"}
    np.savez(stored, **parts)
    refused(stored)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("scales", lambda a: a[:0]),
        ("scales", lambda a: np.append(a, 1.0)),
        ("scales", lambda a: a * np.nan),
        ("scales", lambda a: a.astype(complex)),
        ("scales", lambda a: np.array(["much"] * len(a))),
        ("edge", lambda a: a.astype(float)),
        ("edge", lambda a: a[:-1]),
        ("messages", lambda a: a[0, 0]),
        ("messages", lambda a: a.astype(float)),
        ("to_head", lambda a: a.astype(int)),
        ("island_sizes", with_entry(0, 0, -1)),
        ("island_sizes", with_entry(0, 0, 3)),
        ("island_sizes", with_entry(0, 1, 2)),
        ("island_sizes", with_entry(0, 1, -2)),
        ("island_sizes", with_entry(0, 1, 2**62)),
        ("island_sizes", lambda a: a[:, :1]),
        ("island_sizes", lambda a: a.astype(float)),
        ("island_variables", lambda a: a[0]),
        ("steps", with_entry(0, 0, 4)),
        ("steps", with_entry(0, 0, -1)),
        ("steps", with_entry(0, 1, 2**63 - 1)),
        ("steps", with_entry(0, 2, -4)),
        ("steps", with_entry(0, 3, 10**6)),
        ("steps", with_entry(0, 4, 1)),
        ("steps", lambda a: a[:, :6]),
        ("steps", lambda a: a[:-1]),
        ("steps", lambda a: a[0, 0]),
        ("steps", lambda a: np.vstack([a, a])),
        ("step_messages", lambda a: a[:-1]),
        ("step_messages", lambda a: a[:, 0]),
        ("step_messages", lambda a: a.astype(float)),
        ("step_to_head", lambda a: a[:-1]),
        ("step_order", lambda a: np.append(a, 0)),
        ("step_sent", lambda a: a[1:]),
        ("step_sent", lambda a: a.astype(np.float64)),
        ("step_tables", lambda a: a[:-1]),
        ("step_tables", lambda a: a.astype(float)),
        ("step_eliminated", lambda a: a[:, :1]),
        ("step_eliminated", lambda a: a.astype("U3")),
    ],
)
def test_other_content_is_refused(stored, name, change):
    changed(stored, name, change)
    refused(stored)


def test_memory_is_asked_for_before_it_is_taken(stored, monkeypatch):
    """A file of zeros claims a thousand times its size: wide, it would be eight times that."""
    changed(stored, "messages", lambda a: np.zeros((10**6, 3), np.int8))
    with np.load(stored) as arrays:
        np.savez_compressed(stored, **arrays)
    with zipfile.ZipFile(stored) as archive:
        claimed = sum(member.file_size for member in archive.infolist())
    monkeypatch.setattr(sys.modules["rangemoves.machine"], "physical_memory", lambda: 2 * claimed)
    with pytest.raises(MemoryError, match="are needed"):
        rm.Result.load(stored)


# ---- in the caller's terms ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_a_mask_leaves_a_box_with_variables_of_its_own(seed):
    rng = np.random.default_rng(seed)
    mask = np.zeros((5, 6), bool)
    mask[2:4, 1:4] = True
    mask[3, 2] = seed % 2
    energy = rm.Energy(rng.integers(0, 9, (5, 6, 3)), rm.TruncatedLinear(2), 3, mask=mask)
    box = crop(energy)
    assert box.shape == (2, 3)
    inside = random_certificate(rng, box)
    numbers = CallersNumbers(box, to_fixed_point(box))
    certificate = numbers.callers_certificate(inside)
    assert certified_bound(energy, certificate) == certified_bound(box, inside)
    for island in certificate.islands:
        down, right = np.unravel_index(island.variables, mask.shape)
        assert {*down} <= {2, 3}
        assert {*right} <= {1, 2, 3}


def test_edges_that_rounding_left_out_get_zeros():
    rng = np.random.default_rng(0)
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (0, 3)]
    energy = rm.Energy(rng.random((4, 3)), rm.Quadratic(), rng.random(5), edges=edges)
    weights = np.array([1, 0, 1, 0, 1], np.int32)
    fixed = dataclasses.replace(to_fixed_point(energy), weights=weights)
    order = np.array([2, 3, 0, 1], np.int32)
    to_head = np.array([False, False, True])  # of the edges that are left
    messages = rng.integers(-9, 9, (3, 3))
    sent = messages - 20
    pass_ = {"order": order, "eliminated": [(0, 1)], "sent": sent}
    eliminate = Step("eliminate", messages, to_head, **pass_)
    leaf, split = Step("leaf", messages, to_head), Step("split", split=(0, 0))
    island = Island(np.arange(4), 5.0, (eliminate, split, leaf, leaf))
    given = Certificate(5.0, [], [], np.zeros((0, 3), int), (island,))
    numbers = CallersNumbers(energy, fixed)
    certificate = numbers.callers_certificate(given)
    found = certificate.islands[0].steps
    for step in (found[0], *found[2:]):
        np.testing.assert_array_equal(step.messages[[0, 2, 4]], messages)
        assert not step.messages[[1, 3]].any()
    np.testing.assert_array_equal(found[0].sent[[0, 2, 4]], sent)
    assert not found[0].sent[[1, 3]].any()
    assert found[0].to_head.tolist() == [False, True, False, False, True]
    assert certified_bound(energy, certificate) <= best_energy(energy)
    assert numbers.certificate(None) is None
    tiny = CallersNumbers(energy, dataclasses.replace(fixed, unit=2.0**-1022))
    assert tiny.callers_certificate(given) is None
