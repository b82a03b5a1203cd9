"""The knowledge folder as `scan` sees it: what belongs where, and what is left out with a reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.ingest.faq_files import EntryLines
from engine.ingest.folder import Folder, scan
from engine.ingest.registry_file import CollectionLines, DomainLines
from engine.ingest.yaml_files import Strict

REGISTRY = """
domains:
  - id: housing
    title: Жильё
    description: Rent and repairs
    language: ru/en
    default_collection: tariffs
    audience: [public, staff]
    collections:
      - {id: tariffs, title: Tariffs, description: Prices, default_document: current.md}
      - {id: contracts, audience: [staff]}
"""


class Knowledge:
    """A knowledge folder under construction."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, *paths: str, text: str = "# Text\n\nSome words.\n") -> Knowledge:
        for path in paths:
            location = self.root / path
            location.parent.mkdir(parents=True, exist_ok=True)
            location.write_text(text, encoding="utf-8", newline="")
        return self

    def scan(self) -> Folder:
        return scan(self.root)


@pytest.fixture
def knowledge(tmp_path: Path) -> Knowledge:
    root = tmp_path / "knowledge"
    root.mkdir()
    return Knowledge(root)


def places(folder: Folder) -> dict[str, tuple[str, str]]:
    return {file.path: (file.domain.id, file.collection.id) for file in folder.files}


def nothing_wrong(folder: Folder) -> bool:
    return not (folder.warnings or folder.failed or folder.skipped)


# --- with and without a registry ------------------------------------------------------------------------------------


def test_an_empty_folder_holds_nothing(knowledge: Knowledge) -> None:
    folder = knowledge.scan()
    assert (folder.domains, folder.files, folder.faq) == ((), [], [])
    assert nothing_wrong(folder)


def test_without_a_registry_folders_go_by_their_own_names_without_a_warning(knowledge: Knowledge) -> None:
    folder = knowledge.write("house_rules/pets-and-noise/dogs.md", "places/map.md").scan()
    assert places(folder) == {
        "house_rules/pets-and-noise/dogs.md": ("house_rules", "pets-and-noise"),
        "places/map.md": ("places", "general"),
    }
    rules = folder.domains[0]
    assert (rules.title, [one.title for one in rules.collections]) == ("house rules", ["pets and noise"])
    assert rules.audience == frozenset({"public"})
    assert nothing_wrong(folder)


def test_the_registry_describes_its_domains_and_collections(knowledge: Knowledge) -> None:
    knowledge.write("knowledge.yaml", text=REGISTRY)
    folder = knowledge.write("housing/tariffs/current.md", "housing/contracts/lease.md").scan()
    (domain,) = folder.domains
    assert (domain.title, domain.description, domain.languages) == ("Жильё", "Rent and repairs", ("ru", "en"))
    assert (domain.default_collection, domain.audience) == ("tariffs", frozenset({"public", "staff"}))
    tariffs, contracts = domain.collections
    assert (tariffs.description, tariffs.default_document) == ("Prices", "current.md")
    assert tariffs.audience == domain.audience, "inherited"
    assert contracts.audience == frozenset({"staff"})
    assert contracts.title == "contracts"
    assert {file.path: file.collection.audience for file in folder.files} == {
        "housing/contracts/lease.md": frozenset({"staff"}),
        "housing/tariffs/current.md": frozenset({"public", "staff"}),
    }
    assert nothing_wrong(folder)


@pytest.mark.parametrize("name", ["knowledge.yaml", "knowledge.yml"])
def test_both_names_of_the_registry_are_read(knowledge: Knowledge, name: str) -> None:
    folder = knowledge.write(name, text=REGISTRY).write("housing/tariffs/a.md").scan()
    assert folder.domains[0].title == "Жильё"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "domains: []\n", "{}\n", "\ufeffdomains: []\n"])
def test_an_empty_registry_is_like_none(knowledge: Knowledge, text: str) -> None:
    folder = knowledge.write("knowledge.yaml", text=text).write("housing/a.md").scan()
    assert places(folder) == {"housing/a.md": ("housing", "general")}
    assert nothing_wrong(folder)


def test_folders_that_the_registry_does_not_name_are_used_with_one_warning_each(knowledge: Knowledge) -> None:
    knowledge.write("knowledge.yaml", text=REGISTRY)
    knowledge.write("housing/tariffs/a.md", "housing/moving/a.md", "housing/moving/b.md")
    folder = knowledge.write("garden/trees/oak.md", "garden/trees/elm.md").scan()
    assert folder.warnings == [
        "the folder garden is not in the registry; it is used under its own name",
        "the folder housing/moving is not in the registry; it is used under its own name",
    ]
    assert places(folder)["garden/trees/oak.md"] == ("garden", "trees")
    moving = next(file for file in folder.files if file.path == "housing/moving/a.md").collection
    assert moving.audience == frozenset({"public", "staff"}), "the domain's"
    assert [domain.id for domain in folder.domains] == ["housing", "garden"]


def test_a_domain_without_documents_stays_listed_with_a_warning(knowledge: Knowledge) -> None:
    folder = knowledge.write("knowledge.yaml", text=REGISTRY).scan()
    assert [domain.id for domain in folder.domains] == ["housing"]
    assert folder.warnings == ["the registry names the domain housing, but there is no document in a folder housing"]


def test_files_in_a_domain_folder_are_in_its_general_collection(knowledge: Knowledge) -> None:
    knowledge.write("knowledge.yaml", text=REGISTRY)
    folder = knowledge.write("housing/about.md", "housing/tariffs/deep/er/a.md").scan()
    assert places(folder) == {
        "housing/about.md": ("housing", "general"),
        "housing/tariffs/deep/er/a.md": ("housing", "tariffs"),
    }
    assert nothing_wrong(folder)
    assert all(file.domain is folder.domains[0] for file in folder.files), "each knows all collections of its domain"


# --- what is left out -----------------------------------------------------------------------------------------------


def test_files_outside_every_domain_are_skipped_with_a_reason_but_a_readme_may_stand_there(
    knowledge: Knowledge,
) -> None:
    folder = knowledge.write("README.md", "note.md", "knowledge.yaml.bak").scan()
    reason = "lies outside every domain folder; move it into one"
    assert folder.skipped == [("knowledge.yaml.bak", reason), ("note.md", reason)]
    assert folder.files == []


def test_hidden_and_lock_files_are_left_out_silently(knowledge: Knowledge) -> None:
    knowledge.write(
        "housing/.draft.md", "housing/~$lease.md", "housing/._lease.md", ".git/config.md", "housing/.x/a.md"
    )
    folder = knowledge.write("faq/.hidden.yaml", text="- broken: [").scan()
    assert folder.files == []
    assert nothing_wrong(folder)


def test_links_never_lead_out_of_the_folder(knowledge: Knowledge, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    knowledge.write("housing/a.md")
    house = knowledge.root / "housing"
    (house / "b.md").symlink_to(house / "a.md")
    (house / "c.md").symlink_to(outside / "secret.md")
    (house / "d").symlink_to(outside)
    (house / "e").symlink_to(knowledge.root)
    (house / "f.md").symlink_to(house / "nowhere.md")
    (house / "g.md").symlink_to(house / "g.md")
    folder = knowledge.scan()
    assert [file.path for file in folder.files] == ["housing/a.md", "housing/b.md"]
    assert dict(folder.skipped) == {
        "housing/c.md": "a link that leads out of the knowledge folder",
        "housing/d": "a link to a folder is not followed",
        "housing/e": "a link to a folder is not followed",
        "housing/f.md": "a link that leads nowhere",
        "housing/g.md": "a link that leads nowhere",
    }


def test_the_knowledge_folder_itself_may_be_a_link(knowledge: Knowledge, tmp_path: Path) -> None:
    knowledge.write("housing/a.md")
    link = tmp_path / "link"
    link.symlink_to(knowledge.root)
    assert places(scan(link)) == {"housing/a.md": ("housing", "general")}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_not_waited_for(knowledge: Knowledge) -> None:
    knowledge.write("housing/a.md")
    os.mkfifo(knowledge.root / "housing" / "b.md")
    os.mkfifo(knowledge.root / "housing" / "c.md")
    folder = knowledge.scan()
    assert folder.skipped == [("housing/b.md", "not an ordinary file"), ("housing/c.md", "not an ordinary file")]


@pytest.mark.parametrize(
    "name", ["Договор найма №2.md", "a b  c.md", "x'\"$(id).md", "смайл 🙂.md", "%20.md", "a>b.md", "tab\tand\nline.md"]
)
def test_any_name_in_utf_8_is_a_name(knowledge: Knowledge, name: str) -> None:
    folder = knowledge.write(f"жильё/{name}").scan()
    assert [(file.path, file.location) for file in folder.files] == [(f"жильё/{name}", knowledge.root / "жильё" / name)]
    assert nothing_wrong(folder)


@pytest.mark.skipif(os.name != "posix", reason="only there a name can be any bytes")
def test_a_name_that_is_not_utf_8_is_skipped_with_a_reason(knowledge: Knowledge) -> None:
    knowledge.write("housing/a.md")
    house = os.fsencode(knowledge.root / "housing")
    try:
        for name in (b"\xff.md", b"\xfe.md"):
            Path(os.fsdecode(os.path.join(house, name))).write_text("words", encoding="utf-8")
        os.mkdir(os.path.join(house, b"\xe4"))
    except OSError:
        pytest.skip("this file system has UTF-8 names only")
    folder = knowledge.scan()
    assert [file.path for file in folder.files] == ["housing/a.md"]
    assert {reason for _, reason in folder.skipped} == {"its name is not UTF-8; rename it"}
    assert [path.encode() for path, _ in folder.skipped] == [b"housing/?", b"housing/?.md", b"housing/?.md"]


# --- a broken registry ----------------------------------------------------------------------------------------------


def test_the_default_document_of_a_domain_is_that_of_its_default_collection(knowledge: Knowledge) -> None:
    text = (
        "domains:\n  - id: a\n    default_collection: x\n    default_document: one.md\n"
        "    collections: [{id: x}, {id: y}, {id: z, default_document: two.md}]\n"
    )
    (domain,) = knowledge.write("knowledge.yaml", text=text).write("a/x/one.md").scan().domains
    assert [one.default_document for one in domain.collections] == ["one.md", None, "two.md"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("domains:\n  - id: [a\n", "line 3, column 1: expected ',' or ']'"),
        ("domains:\n\t- id: a\n", "line 2, column 1: found character '\\t' that cannot start any token"),
        ("domains: 7\n", "line 1, column 10: domains: Input should be a valid list"),
        ("- id: a\n", "line 1, column 1: Input should be"),
        ("domains:\n  - title: A\n", "line 2, column 5: domains.0.id: Field required"),
        ("domains:\n  - id: a\n    audience: staff\n", "line 3, column 15: domains.0.audience: Input should be"),
        ("domains:\n  - id: a/b\n", "line 2, column 9: domains.0.id: "),
        ("domains:\n  - id: a\n    titel: B\n", "line 3, column 12: domains.0.titel: no such key is known here"),
        (
            "domains:\n  - {id: a, description: Rent, repairs}\n",
            "line 2, column 39: domains.0.repairs: no such key is known here; in {...} a text with a comma needs quo",
        ),
        ("domains:\n  - id: a\n    title: B\n    id: c\n", "line 2, column 5: the key 'id' stands twice"),
        ("domains:\n  - id: a\n  - id: a\n", "line 3, column 9: domains.1.id: the domain a stands twice"),
        (
            "domains:\n  - id: a\n    collections: [{id: x}, {id: x}]\n",
            "line 3, column 33: domains.0.collections.1.id: the collection x stands twice",
        ),
        (
            "domains:\n  - id: a\n    default_collection: y\n    collections: [{id: x}]\n",
            "line 3, column 25: domains.0.default_collection: y is not one of the collections of a",
        ),
        ("domains: [{? [a]: b}]\n", "line 1, column 14: found unhashable key"),
        ("domains: !!python/object:os.system {}\n", "line 1, column 10: could not determine a constructor"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1: "),
    ],
)
def test_a_broken_registry_is_told_in_one_line_with_the_place(knowledge: Knowledge, text: str, expected: str) -> None:
    with pytest.raises(SourceError) as refused:
        knowledge.write("knowledge.yaml", text=text).scan()
    said = str(refused.value)
    assert said.startswith(f"knowledge.yaml: {expected}"), said
    assert "\n" not in said


@pytest.mark.parametrize("data", [b"domains: \xff\xfe", b"domains: [\x00]", b"domains: [" * 5000, b"\x01"])
def test_a_registry_of_broken_bytes_is_told_in_one_line(knowledge: Knowledge, data: bytes) -> None:
    (knowledge.root / "knowledge.yaml").write_bytes(data)
    with pytest.raises(SourceError, match=r"^knowledge\.yaml: (is not|line)") as refused:
        knowledge.scan()
    assert "\n" not in str(refused.value)


def test_a_merged_mapping_may_override_what_it_merges(knowledge: Knowledge) -> None:
    text = "domains:\n  - &base {id: a, title: A, description: D}\n  - {<<: *base, id: b, title: B}\n"
    folder = knowledge.write("knowledge.yaml", text=text).write("a/a.md", "b/b.md").scan()
    assert [(one.id, one.title, one.description) for one in folder.domains] == [("a", "A", "D"), ("b", "B", "D")]


@pytest.mark.parametrize("lines", [DomainLines, CollectionLines, EntryLines])
def test_every_key_is_described(lines: type[Strict]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "knowledge.md").read_text(encoding="utf-8")
    assert [name for name in lines.model_fields if f"`{name}`" not in page and f"{name}:" not in page] == []
