"""The Python packages: what is loaded when, and who may use whose private names."""

import ast
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import rangemoves as rm

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "rangemoves"
FILES = sorted(SOURCE.rglob("*.py"))
OUTSIDE = sorted([*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "examples").glob("*.py")])


def run(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SOLVER_IS_ABSENT = "import sys; assert 'rangemoves._core' not in sys.modules, sorted(sys.modules)\n"


@pytest.mark.parametrize(
    "code",
    [
        "import rangemoves",
        "import rangemoves.datasets, rangemoves.io",
        "import rangemoves as rm; rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)",
        "import rangemoves as rm; rm.TruncatedLinear(2), rm.Result, rm.Interrupted, rm.plots",
    ],
)
def test_the_solver_is_loaded_only_where_it_is_needed(code):
    run(code + "\n" + SOLVER_IS_ABSENT)


def test_reading_a_scene_does_not_load_the_solver(tmp_path):
    pytest.importorskip("PIL")
    pair = rm.datasets.synthetic_stereo(shape=(48, 64), labels=12)
    folder = tmp_path / "000007"
    folder.mkdir()
    rm.io.write_image(folder / "image_0.png", pair.left)
    rm.io.write_image(folder / "image_1.png", pair.right)
    rm.io.write_disparity(folder / "disp_occ.png", pair.disparity)
    code = (
        "import sys\nimport rangemoves.datasets\n"
        "pair = rangemoves.datasets.kitti(7, sys.argv[1])\n"
        "assert pair.left.shape == (48, 64, 3) and pair.disparity.shape == (48, 64)\n"
    )
    run(code + SOLVER_IS_ABSENT, tmp_path)


def test_functions_keep_their_names_when_their_modules_are_loaded():
    run(
        "import rangemoves.stereo, rangemoves.cli\n"
        "import rangemoves as rm\n"
        "import rangemoves.minimize, rangemoves.methods\n"
        "from rangemoves import methods, minimize\n"
        "assert rm.minimize is minimize and rm.methods is methods\n"
        "assert minimize.__name__ == 'minimize' and methods()[0].name\n"
    )


def test_the_package_travels_by_name():
    assert pickle.loads(pickle.dumps(rm)) is rm


def test_a_star_brings_all_names():
    code = "from rangemoves import *\nprint(sorted(set(dir()) - {'__builtins__'}))"
    names = set(ast.literal_eval(run(code)))
    assert set(rm.__all__) <= names


def test_names_are_listed_and_explained_before_they_are_loaded():
    listed = run("import rangemoves as rm; print(*dir(rm))").split()
    assert set(rm.__all__) == set(listed)  # and nothing else: completion shows them
    text = pydoc.render_doc(rm, renderer=pydoc.plaintext)
    assert "class Energy" in text
    assert "minimize(energy" in text
    with pytest.raises(AttributeError, match="no attribute 'maximise'"):
        rm.maximise  # noqa: B018


def test_pandora_alone_loads_its_plugin():
    plugin = SOURCE / "pandora_plugin"
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in FILES
        if plugin not in path.parents
        for line, name in imported(path)
        if name.split(".")[0] in ("pandora", "json_checker") or "pandora_plugin" in name
    ]
    assert found == []
    run("import sys, rangemoves.pandora_plugin\nassert 'pandora' not in sys.modules")


def module_of(path):
    """The dotted name of a file, and that of the package its relative imports start from."""
    parts = ["rangemoves", *path.relative_to(SOURCE).with_suffix("").parts]
    if parts[-1] == "__init__":
        return ".".join(parts[:-1]), ".".join(parts[:-1])
    return ".".join(parts), ".".join(parts[:-1])


def imported(path):
    """Every dotted name that a file imports from this package, with its line."""
    inside = SOURCE in path.parents
    package = module_of(path)[1] if inside else ""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def intrusions(path):
    """Imports of a private name by a module that is not in the package which the name is in."""
    module = module_of(path)[0] if SOURCE in path.parents else "outside"
    for line, name in imported(path):
        parts = name.split(".")
        if parts[0] != "rangemoves":
            continue
        for place, part in enumerate(parts):
            private = part.startswith("_") and not part.endswith("__")
            if private and not f"{module}.".startswith(".".join(parts[:place]) + "."):
                yield f"{path.relative_to(ROOT)}:{line} imports {name}"


def test_no_private_name_crosses_a_package():
    assert [found for path in [*FILES, *OUTSIDE] for found in intrusions(path)] == []


def test_an_intruder_is_found(monkeypatch, tmp_path):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    monkeypatch.setitem(globals(), "SOURCE", tmp_path / "rangemoves")
    file = tmp_path / "rangemoves" / "cli" / "a.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "from ..io._atomic import write_atomically\n"
        "from ..memory import _grid_row\n"
        "import rangemoves.stereo._match\n"
        "from .. import _core\nfrom ._common import say\nfrom ..io import read_image\n",
        encoding="utf-8",
    )
    assert [found.split()[0] for found in intrusions(file)] == [
        f"{Path('rangemoves/cli/a.py')}:{line}" for line in (1, 2, 3)
    ]


LONGEST = 60


def length(function, *, is_command):
    """Lines of a function, without its docstring; of a command without its options, too."""
    first, last = function.body[0], function.end_lineno
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = first.end_lineno - first.lineno + 1 if has_docstring else 0
    start = first.lineno if is_command else function.lineno
    return last - start + 1 - docstring


def long_functions(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
            lines = length(node, is_command="with_exit_codes" in decorators)
            if lines > LONGEST:
                yield f"{path.relative_to(ROOT)}: {node.name} has {lines} lines"


def test_functions_are_short():
    assert [found for path in FILES for found in long_functions(path)] == []


@pytest.mark.parametrize("path", [*FILES, *OUTSIDE], ids=lambda path: path.name)
def test_no_function_is_longer_than_a_screen(path):
    """Signatures and docstrings do not count: those of commands are their help."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            has_words = ast.get_docstring(function) is not None
            body = function.body[1:] if has_words else function.body
            lines = function.end_lineno - body[0].lineno + 1 if body else 0
            assert lines <= 60, f"{path.name}: {function.name} has {lines} lines"
