"""The list of faults keeps up with the code: each can still be put in, and nowhere else.

Whether tests notice them takes minutes: ``make mutations``.
"""

import pytest
from mutations.catalogue import MUTATIONS
from mutations.run import ROOT, TESTS, mutated, sources

NUMBERS = range(len(MUTATIONS))


@pytest.mark.parametrize("number", NUMBERS, ids=[MUTATIONS[n].breaks for n in NUMBERS])
def test_a_fault_changes_one_place(number):
    files, mutation = sources(), MUTATIONS[number]
    changed = mutated(files, mutation)
    assert [str(path) for path in files if files[path] != changed[path]] == [mutation.file]


def test_no_two_are_the_same():
    assert len({(m.file, m.old, m.new) for m in MUTATIONS}) == len(MUTATIONS)
    assert len({m.breaks for m in MUTATIONS}) == len(MUTATIONS)


def test_a_text_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="not once in"):
        mutated({**sources()}, type(MUTATIONS[0])("CMakeLists.txt", "no such text", "", "nothing"))


def test_the_tests_that_look_for_them_are_there():
    for name in TESTS:
        assert list((ROOT / "core" / "tests").rglob(f"{name}.cpp"))
