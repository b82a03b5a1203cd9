"""What each platform adds to the shared delivery, in lines of code: `python benchmarks/bench_code_size.py [REVISION]`.

A line of code has something on it beside a comment or a docstring. A line is repeated when it stands in a run of six
lines, imports aside, that the other platform has too. With a revision, the same of that commit, by git.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = {
    "shared by all": "adapters",
    "Telegram": "adapters/telegram",
    "Slack": "adapters/slack",
    "terminal": "adapters/terminal",
}
RUN = 6
_SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}

Code = dict[str, list[str]]
"""Lines by file."""


def sources(folder: str, revision: str | None) -> Iterator[tuple[str, str]]:
    """Names and texts of the modules in a folder, not below it."""
    if revision is None:
        for path in sorted((ROOT / folder).glob("*.py")):
            yield path.name, path.read_text(encoding="utf-8")
        return
    for path_name in git("ls-tree", "--name-only", revision, f"{folder}/").splitlines():
        if path_name.endswith(".py"):
            yield Path(path_name).name, git("show", f"{revision}:{path_name}")


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, encoding="utf-8").stdout


def code(source: str) -> list[str]:
    """The lines of code of a module."""
    silent = {line for first, last in docstrings(ast.parse(source)) for line in range(first, last + 1)}
    spoken: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _SILENT:
            spoken.update(range(token.start[0], token.end[0] + 1))
    lines = source.splitlines()
    return [lines[number - 1].strip() for number in sorted(spoken - silent)]


def docstrings(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """First and last lines of all texts that are statements, so those below attributes too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.end_lineno or node.lineno


def repeated(here: Code, there: Code) -> int:
    """How many lines of one stand in runs that the other has too."""
    known = {run for lines in there.values() for _, run in runs(lines)}
    return sum(
        len({start + offset for start, run in runs(lines) if run in known for offset in range(RUN)})
        for lines in here.values()
    )


def runs(lines: list[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    own = [line for line in lines if not line.startswith(("import ", "from "))]
    for start in range(len(own) - RUN + 1):
        yield start, tuple(own[start : start + RUN])


def main() -> None:
    revision = sys.argv[1] if len(sys.argv) > 1 else None
    found: dict[str, Code] = {
        name: {file: code(text) for file, text in sources(folder, revision)} for name, folder in PARTS.items()
    }
    for name, files in found.items():
        print(f"{name:<14} {sum(map(len, files.values())):>5} lines in {len(files)} modules")
    both = repeated(found["Slack"], found["Telegram"])
    print(f"{both} lines of Slack's stand in Telegram's too")


if __name__ == "__main__":
    main()
