"""Every example in a docstring, the README and the documentation runs and prints what it says."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import rangemoves

ROOT = Path(__file__).resolve().parents[1]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(rangemoves.__path__, "rangemoves.")
    if not module.name.endswith(("._core", ".__main__"))
]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("name", ["rangemoves", *MODULES])
def test_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name.startswith("rangemoves.pandora_plugin."):
        pytest.importorskip("pandora", reason="pip install 'rangemoves[pandora]'")
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, optionflags=FLAGS)
    assert outcome.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert outcome.failed == 0
