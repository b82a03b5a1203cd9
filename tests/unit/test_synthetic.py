"""Made-up bases: the same for the same seed, right by construction, read back as question files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import KnowledgeError
from engine.evaluation.base_questions import holds_all, read_questions
from engine.evaluation.synthetic import MOST_DOMAINS, make_base
from engine.types import Language

LANGUAGES: tuple[Language, ...] = ("en", "ru")


def contents(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=8, deadline=None)
@given(domains=st.integers(1, 12), seed=st.integers(0, 9))
def test_every_fact_stands_in_the_documents_that_are_named(
    tmp_path_factory: pytest.TempPathFactory, language: Language, domains: int, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("made")
    made = make_base(folder, domains, language, seed=seed)
    files = {path.removeprefix("knowledge/"): text for path, text in contents(folder).items()}
    golds = read_questions(folder / "questions.jsonl", files)
    assert made.questions == len(golds)
    assert made.documents == sum(path.endswith(".md") for path in files)
    for gold in golds:
        assert gold.language == language
        assert holds_all("\n".join(files[path] for path in gold.documents), gold.facts)
    kinds = {gold.kind for gold in golds}
    assert kinds == ({"single", "context"} if domains < 3 else {"single", "context", "compare", "chain", "aggregate"})


def test_the_same_seed_makes_the_same_base(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make_base(tmp_path / name, 3, "en", seed=seed)
    assert contents(tmp_path / "a") == contents(tmp_path / "b") != contents(tmp_path / "c")


def test_no_document_names_its_domain(tmp_path: Path) -> None:
    make_base(tmp_path, 3, "en")
    files = contents(tmp_path)
    titles = [line.split('"')[3] for line in files["knowledge/knowledge.yaml"].splitlines() if '"title"' in line]
    assert not any(titles[0] in text for path, text in files.items() if path.endswith(".md"))


@pytest.mark.parametrize("domains", [0, MOST_DOMAINS + 1])
def test_a_size_out_of_reach_is_told(tmp_path: Path, domains: int) -> None:
    with pytest.raises(KnowledgeError, match=f"1 to {MOST_DOMAINS}"):
        make_base(tmp_path / "new", domains, "en")


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(KnowledgeError, match="not empty"):
        make_base(tmp_path, 2, "ru")
    assert contents(tmp_path) == {"mine.txt": "mine"}
