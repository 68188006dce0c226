"""ARCHITECTURE.md and CONTRIBUTING.md name files that are there, and every folder of the core."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOPS = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
# `core/...`: what a page says about a file, with a name in angle brackets where any will do.
CODE = re.compile(r"`([^`\s]+/[^`\s]*)`")


def paths_of(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = [name for name in CODE.findall(text) if name.split("/")[0] in TOPS]
    assert named, f"{page} names no file"
    return named


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_is_there(page):
    missing = [name for name in paths_of(page) if not any(ROOT.glob(re.sub("<[^>]*>", "*", name)))]
    assert not missing


def test_every_folder_of_the_core_is_named():
    named = paths_of("ARCHITECTURE.md")
    headers = ROOT / "core" / "include" / "rangemoves"
    for folder in headers.iterdir():
        prefix = f"core/include/rangemoves/{folder.name}/"
        assert any(name.startswith(prefix) for name in named), folder.name


def test_every_row_names_files_of_its_folder():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    checked = 0
    for row in re.findall(r"^\| (`.*) \|$", text, flags=re.MULTILINE):
        folders, ideas = row.split(" | ", maxsplit=1)
        folder = ROOT / CODE.findall(folders)[0]
        for name in re.findall(r"`([\w.]+\.(?:hpp|cpp|py))`", ideas):
            assert (folder / name).is_file(), f"{folder.relative_to(ROOT)} has no {name}"
            checked += 1
    assert checked > 100


def test_every_layer_is_in_the_picture():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    picture = text.split("```")[1].split("core/ (C++17)")[1]
    for folder in (ROOT / "core" / "include" / "rangemoves").iterdir():
        assert re.search(rf"^  {folder.name}\b", picture, flags=re.MULTILINE), folder.name


def test_every_link_leads_somewhere():
    for page in ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:\s]+)\)", text):
            assert (ROOT / target).exists(), f"{page}: {target}"
