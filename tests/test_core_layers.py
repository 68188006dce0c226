"""The folders of the core: each includes only itself and the folders above it in this list.

Functions are short, there and in the bindings.
"""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[1] / "core"
BINDINGS = CORE.parent / "bindings"
LAYERS = (
    "run",
    "problem",
    "surrogate",
    "messages",
    "flow",
    "engine",
    "fusion",
    "optimum",
    "moves",
    "stereo",
)
INCLUDE = re.compile(r'#include "rangemoves/(\w+)/')
LONGEST_FUNCTION = 60
NO_CODE = re.compile(r'^\s*#.*|//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'')
NO_FUNCTION = re.compile(r"(else )?(if|for|while|switch|do|try|catch)\b")


def files_of(layer):
    found = [
        path
        for part in ("include/rangemoves", "src")
        for path in (CORE / part / layer).rglob("*")
        if path.suffix in (".hpp", ".cpp", ".inc")
    ]
    assert found, f"no files in {layer}"
    return found


@pytest.mark.parametrize("layer", LAYERS)
def test_a_folder_includes_only_those_above_it(layer):
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    wrong = [
        f"{path.relative_to(CORE)} includes {other}/"
        for path in files_of(layer)
        for other in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if other not in allowed
    ]
    assert not wrong


def test_every_file_lies_in_a_folder_that_says_what_it_is_about():
    for part in ("include/rangemoves", "src"):
        assert {path.name for path in (CORE / part).iterdir()} <= set(LAYERS)


def test_no_two_files_share_a_name():
    names = [path.name for layer in LAYERS for path in files_of(layer)]
    assert len(names) == len(set(names)), sorted({n for n in names if names.count(n) > 1})


@pytest.mark.parametrize("layer", LAYERS)
def test_every_header_has_a_test_in_the_folder_of_the_same_name(layer):
    tests = "".join(
        path.read_text(encoding="utf-8") for path in (CORE / "tests" / layer).glob("test_*.cpp")
    )
    untested = [
        path.name
        for path in files_of(layer)
        if path.suffix == ".hpp" and f'#include "rangemoves/{layer}/{path.name}"' not in tests
    ]
    assert not untested


def functions_of(path):
    """(lines, what stands before the brace) of every block that is a function."""
    blocks, words, begin = [], "", None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for character in NO_CODE.sub("", line) + " ":
            if character == "{":
                blocks.append((begin or number, words.strip()))
            elif character == "}" and blocks:
                first, before = blocks.pop()
                if "(" in before and not NO_FUNCTION.match(before):
                    yield number - first + 1, before
            elif character != ";":
                begin = begin or (None if character.isspace() else number)
                words += character
                continue
            words, begin = "", None


@pytest.mark.parametrize("folder", [*LAYERS, "bindings"])
def test_no_function_is_longer_than_a_screen(folder):
    files = BINDINGS.glob("*.[ch]pp") if folder == "bindings" else files_of(folder)
    found = [
        (lines, path.name, before)
        for path in files
        if "kernels" not in path.parts
        for lines, before in functions_of(path)
    ]
    assert folder == "stereo" or len(found) > 10
    assert not [function for function in found if function[0] > LONGEST_FUNCTION]
