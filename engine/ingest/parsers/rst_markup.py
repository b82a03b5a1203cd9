"""docutils set up for reading only: no files, no raw output, no clock; directives and roles it does not know are text.

To teach it a directive, write a class below and name it in `_DIRECTIVES`; to teach it a role, see `_Inliner`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers import rst
from docutils.parsers.rst import directives, states
from docutils.transforms import references
from docutils.utils import new_document

from engine.ingest.parsers.rst_roles import explicit_title, role_text

_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "halt_level": 5,  # never
    "report_level": 5,
    "warning_stream": False,
    "line_length_limit": 10_000,
    "syntax_highlight": "none",
    "smart_quotes": False,
}
_TRANSFORMS = (
    references.PropagateTargets,
    references.Substitutions,
    references.AnonymousHyperlinks,
    references.IndirectHyperlinks,
    references.Footnotes,
    references.ExternalTargets,
    references.InternalTargets,
)
_MOST_SUBSTITUTIONS = 100
_COMMENT = re.compile(r"\.\.\s")
_CHANGES = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}


def doctree(path: str, text: str, *, begins_with_fields: bool) -> nodes.document:
    """The document as docutils sees it, links and footnotes resolved. Raises RecursionError."""
    settings = get_default_settings(rst.Parser)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    document = new_document(path, settings)
    document.transformer.add_transforms(_TRANSFORMS)
    _Parser(begins_with_fields).parse(text, document)
    _bound_substitutions(document)
    document.transformer.apply_transforms()
    return document


def _bound_substitutions(document: nodes.document) -> None:
    """Substitutions within substitutions can multiply without end; those that would put in too many stay unresolved."""
    definitions = document.substitution_defs
    totals: dict[str, int] = {}

    def total(name: str, above: tuple[str, ...] = ()) -> int:
        if name in above or name not in definitions:
            return 1
        if name not in totals:
            inner = definitions[name].findall(nodes.substitution_reference)
            totals[name] = 1 + sum(total(one["refname"], (*above, name)) for one in list(inner))
        return totals[name]

    for name in list(definitions):
        if total(name) > _MOST_SUBSTITUTIONS:
            definitions[name].children = [nodes.Text(definitions[name].astext())]


class _AnyOption(dict[str, Callable[[str], Any]]):
    """The options of a directive; one that is not known is allowed and kept as written."""

    def __missing__(self, name: str) -> Callable[[str], Any]:
        return directives.unchanged

    def __bool__(self) -> bool:
        return True  # docutils does not look for options where there can be none


class _Directive(rst.Directive):
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[Any] = _AnyOption()

    def argument(self) -> str:
        return " ".join(" ".join(self.arguments).split())

    def inline(self, text: str) -> list[nodes.Node]:
        found, _ = self.state.inline_text(text, self.lineno)
        return list(found)

    def content_nodes(self) -> list[nodes.Node]:
        box = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, box)
        return list(box.children)


class _Unknown(_Directive):
    """Its argument and its content as text: ".. function:: open(path)"."""

    def run(self) -> list[nodes.Node]:
        argument, content = self.inline(self.argument()), self.content_nodes()
        if not argument:
            return content
        if content:
            return [nodes.paragraph("", "", nodes.strong("", "", *argument)), *content]
        name = self.name.rpartition(":")[2].replace("-", " ")
        return [nodes.paragraph("", "", nodes.Text(f"{name[:1].upper()}{name[1:]}: "), *argument)]


class _Nothing(_Directive):
    def run(self) -> list[nodes.Node]:
        return []


class _Content(_Directive):
    """What holds for readers of every kind: ".. only:: html"."""

    def run(self) -> list[nodes.Node]:
        return self.content_nodes()


class _Code(_Directive):
    def run(self) -> list[nodes.Node]:
        caption = self.options.get("caption")
        above = [nodes.paragraph("", "", *self.inline(str(caption)))] if caption else []
        code = "\n".join(self.content)
        return [*above, nodes.literal_block(code, code)] if code.strip() else [*above]


class _CodeWithoutLanguage(_Directive):
    """Code may begin on the line of the directive's name: ".. productionlist:: a: b"."""

    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        code = "\n".join(self.content)
        return [nodes.literal_block(code, code)]


class _Change(_Directive):
    def run(self) -> list[nodes.Node]:
        version, _, text = self.argument().partition(" ")
        lead = nodes.Text(f"{_CHANGES[self.name]} {version}{':' if text or self.content else '.'} ")
        content = self.content_nodes()
        opening = nodes.paragraph("", "", lead, *self.inline(text))
        if not text and content and isinstance(content[0], nodes.paragraph):
            opening.extend(content.pop(0).children)
        return [opening, *content]


class _SeeAlso(_Directive):
    def run(self) -> list[nodes.Node]:
        argument = [nodes.paragraph("", "", *self.inline(self.argument()))] if self.arguments else []
        title = "See also" if self.name == "seealso" else self.name.capitalize()
        return [nodes.admonition("", nodes.title("", title), *argument, *self.content_nodes())]


class _Contents(_Directive):
    """A list of other documents, by their titles where it gives them."""

    def run(self) -> list[nodes.Node]:
        entries = [explicit_title(line.strip())[0] for line in self.content if line.strip()]
        shown = [entry for entry in entries if entry not in ("self", "genindex", "modindex", "search")]
        caption = str(self.options.get("caption") or "")
        items = [nodes.list_item("", nodes.paragraph("", "", *self.inline(entry))) for entry in shown]
        above = [nodes.paragraph("", "", *self.inline(caption))] if caption else []
        return [*above, nodes.bullet_list("", *items)] if items else [*above]


class _Glossary(_Directive):
    """Terms on lines of their own, several to one definition if need be, the definition indented below."""

    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        entries = nodes.definition_list(classes=["glossary"])
        terms: list[str] = []
        position, lines = 0, self.content
        while position < len(lines):
            line = lines[position]
            if line.startswith((" ", "\t")):
                block, _, _ = lines.get_indented(position, until_blank=False, strip_indent=True)
                body = nodes.definition()
                self.state.nested_parse(block, self.content_offset + position, body)
                if terms:
                    entries += self._entry(terms, body)
                terms = []
                position += max(1, len(block))
                continue
            if line.strip() and not _COMMENT.match(line):
                terms.append(line.partition(" : ")[0].strip())
            position += 1
        if terms:
            entries += self._entry(terms, nodes.definition())
        return [entries]

    def _entry(self, terms: list[str], body: nodes.definition) -> nodes.definition_list_item:
        shown = [nodes.term("", "", *self.inline(term)) for term in terms]
        return nodes.definition_list_item("", *shown, body)


_DIRECTIVES: Mapping[str, type[rst.Directive]] = {
    **dict.fromkeys(
        "include literalinclude raw role default-role date meta contents index highlight highlightlang currentmodule"
        " module tabularcolumns default-domain rst-class py:currentmodule py:module footer header sectionauthor"
        " codeauthor automodule autoclass autofunction autosummary target-notes".split(),
        _Nothing,
    ),
    **dict.fromkeys(("code", "code-block", "sourcecode", "prompt", "ipython", "terminal"), _Code),
    **dict.fromkeys(("productionlist", "doctest", "testcode", "testoutput", "graphviz"), _CodeWithoutLanguage),
    **dict.fromkeys(_CHANGES, _Change),
    **dict.fromkeys(("seealso", "todo"), _SeeAlso),
    **dict.fromkeys(("only", "ifconfig", "hlist", "centered"), _Content),
    "toctree": _Contents,
    "glossary": _Glossary,
}


class _Inliner(states.Inliner):
    # docutils builds its patterns from what the class itself, not those above it, holds.
    locals().update({name: value for name, value in vars(states.Inliner).items() if not name.startswith("__")})

    """Any role gives readable text; docutils' own ones keep what they mean."""

    def interpreted(self, rawsource: str, text: str, role: str | None, lineno: int) -> Any:
        return [role_text(text, role or "")], []


class _Lenient:
    """Put before each of docutils' parser states."""

    memo: Any
    document: Any
    parent: Any
    state_machine: Any
    explicit: Any
    run_directive: Any
    nested_sm_kwargs: Any
    nested_sm_cache: ClassVar[list[Any]] = []

    def __init__(self, state_machine: Any, debug: bool = False) -> None:
        super().__init__(state_machine, debug)  # type: ignore[call-arg]
        self.nested_sm_kwargs = {"state_classes": _STATES, "initial_state": "Body"}

    def directive(self, match: re.Match[str], **presets: Any) -> Any:
        name = match.group(1).lower()
        return self.run_directive(_find_directive(name, self.memo.language, self.document), match, name, presets)

    def check_subsection(self, source: str, style: Any, lineno: int) -> bool:
        """A title that skips a level stands one below the last, instead of being lost."""
        styles = self.memo.title_styles
        level = len(self.parent.section_hierarchy()) + self.state_machine.section_level_offset
        if style in styles and styles.index(style) > level or style not in styles and len(styles) > level:
            style = styles[level]
        return bool(super().check_subsection(source, style, lineno))  # type: ignore[misc]


class _Explicit:
    """What may follow two dots; docutils holds the functions themselves, so that overriding one is not enough."""

    patterns = states.Body.explicit.patterns
    constructs: ClassVar[Any] = [
        (_Lenient.directive if method is states.Body.directive else method, pattern)
        for method, pattern in states.Body.explicit.constructs
    ]


_Lenient.explicit = _Explicit
_STATES = tuple(type(state.__name__, (_Lenient, state), {}) for state in states.state_classes)


def _find_directive(name: str, language: Any, document: nodes.document) -> type[rst.Directive]:
    if name in _DIRECTIVES:
        return _DIRECTIVES[name]
    known, _ = directives.directive(name, language, document)
    if known is None:
        return _Unknown
    if not known.option_spec:
        return known
    return type(known.__name__, (known,), {"option_spec": _AnyOption(known.option_spec)})


class _Parser(rst.Parser):
    def __init__(self, begins_with_fields: bool) -> None:
        super().__init__(rfc2822=begins_with_fields, inliner=_Inliner())
        self.state_classes = _STATES
