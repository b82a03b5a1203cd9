"""The text of one Word paragraph: runs, fields, links and symbols as a line with Markdown's emphasis."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from engine.ingest.parsers.docx_styles import RunLook, Styles
from engine.ingest.parsers.docx_xml import MATH, MC, REL, Element, W, alternative, child, value
from engine.ingest.parsers.inline import link, superscript

_SPACE = re.compile(r"[ \t\r\f\v\u00a0\u2000-\u200a\u202f\u3000]+")
_EDGE = re.compile(r" ?\n\s*")
_LINE_ENDS = re.compile(r"\s+")
_DROPPED = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")
_CONTENTS_FIELD = re.compile(r"^\s*(?:TOC|INDEX|TOA)\b", re.IGNORECASE)
_LINK_FIELD = re.compile(r"^\s*HYPERLINK\s+\"([^\"]+)\"", re.IGNORECASE)
_INSIDE = frozenset(
    W + name for name in ("ins", "moveTo", "smartTag", "customXml", "dir", "bdo", "sdt", "sdtContent", "rubyBase")
)
_GREEK = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ",
        strict=True,
    )
)
_SYMBOLS = {
    0xA3: "≤",
    0xB3: "≥",
    0xB0: "°",
    0xB1: "±",
    0xB4: "×",
    0xB9: "≠",
    0xBB: "≈",
    0xA5: "∞",
    0xAE: "→",
    0xB7: "•",
}
_WINGDINGS = {
    0x6F: "☐",
    0xA8: "☐",
    0x71: "☐",
    0xFD: "☒",
    0xFE: "☑",
    0x78: "☒",
    0xFC: "✓",
    0xFB: "✗",
    0xE0: "→",
    0xA7: "•",
}
_PRIVATE = range(0xF000, 0xF100)
"""Where symbol fonts have their characters."""
_SYMBOL = re.compile("[\uf000-\uf0ff]")


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    bold: bool = False
    size: int = 0
    address: str = ""
    raised: bool = False


@dataclass(slots=True)
class Line:
    pieces: list[Piece] = field(default_factory=list[Piece])
    boxes: list[Element] = field(default_factory=list[Element])
    """Contents of the text boxes that hang on the paragraph."""
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(part, id) of the footnotes and endnotes it names."""
    in_contents: bool = False
    """Whether a generated table of contents gave the paragraph its text."""

    @property
    def is_bold(self) -> bool:
        """Whether all of the text is, but for signs and raised numbers that were set apart."""
        weights = {True: 0, False: 0}
        for piece in self.pieces:
            weights[piece.bold] += 0 if piece.raised else sum(map(str.isalnum, piece.text))
        return weights[True] > 0 and weights[False] * 20 <= weights[True]

    @property
    def size(self) -> int:
        """That of most of its text, in half points; 0 without text."""
        weights: Counter[int] = Counter()
        for piece in self.pieces:
            weights[piece.size] += len(piece.text.strip())
        return max(weights, key=lambda size: weights[size], default=0)

    def plain(self) -> str:
        """One line without emphasis and links."""
        return _LINE_ENDS.sub(" ", _clean("".join(piece.text for piece in _lowered(self.pieces))))

    def marked(self) -> str:
        """With emphasis, links and line breaks."""
        written: list[str] = []
        for (bold, address), group in groupby(_lowered(self.pieces), lambda piece: (piece.bold, piece.address)):
            inner = "".join(piece.text for piece in group)
            bare = inner.strip()
            text = link(bare, address) if address else bare
            if bold and bare and not any(sign in text for sign in ("\n", "`", "**")):
                text = f"**{text}**"
            lead = inner[: len(inner) - len(inner.lstrip())]
            written.append(f"{lead}{text}{inner[len(inner.rstrip()) :] if bare else ''}")
        return _clean("".join(written))


def _lowered(pieces: Sequence[Piece]) -> list[Piece]:
    """Raised text as one line writes it: "156" and a raised "1" are "156.1"."""
    lowered: list[Piece] = []
    before = ""
    for raised, group in groupby(pieces, lambda piece: piece.raised):
        run = list(group)
        if raised:
            text = superscript(before[-200:], "".join(piece.text for piece in run))
            # Most often the number before it is bold and the raised one too; it must not part the two.
            bold = lowered[-1].bold if lowered else run[0].bold
            run = [Piece(text, bold, run[0].size, run[0].address)]
        lowered.extend(run)
        before += "".join(piece.text for piece in run)
    return lowered


def _clean(text: str) -> str:
    return _EDGE.sub("\n", _SPACE.sub(" ", text)).strip()


@dataclass(slots=True)
class _Field:
    code: str = ""
    in_code: bool = True


class InlineReader:
    """Reads paragraphs in their order, since a field may begin in one and end in a later one."""

    def __init__(self, styles: Styles, links: Mapping[str, str], *, fields_balance: bool) -> None:
        self._styles = styles
        self._links = links
        self._fields_balance = fields_balance
        """Whether every field ends; else a contents field without an end would hide the rest of the document."""
        self._fields: list[_Field] = []
        self._line = Line()
        self._paragraph: Element | None = None

    def read(self, paragraph: Element) -> Line:
        self._line = Line(in_contents=self._in_contents())
        self._paragraph = child(paragraph, "pPr")
        for node in paragraph:
            self._node(node, "")
        return self._line

    def _node(self, node: Element, address: str) -> None:
        tag = node.tag
        if tag == W + "r":
            self._run(node, address)
        elif tag in _INSIDE:
            for inner in node:
                self._node(inner, address)
        elif tag == W + "hyperlink":
            target = self._links.get(node.get(REL + "id") or "", "")
            for inner in node:
                self._node(inner, target or address)
        elif tag == W + "fldSimple":
            if _CONTENTS_FIELD.match(node.get(W + "instr") or ""):
                self._line.in_contents = True
                return
            for inner in node:
                self._node(inner, address)
        elif tag == MC + "AlternateContent":
            for inner in alternative(node):
                self._node(inner, address)
        elif tag in (MATH + "oMath", MATH + "oMathPara"):
            self._write("".join(text.text or "" for text in node.iter(MATH + "t")), RunLook(), address)

    def _run(self, run: Element, address: str) -> None:
        look = self._styles.run_look(self._paragraph, child(run, "rPr"))
        for node in run:
            self._content(node, look, address)

    def _content(self, node: Element, look: RunLook, address: str) -> None:
        name = node.tag.removeprefix(W) if isinstance(node.tag, str) else ""
        match name:
            case "fldChar":
                self._field(node.get(W + "fldCharType") or "")
            case "instrText":
                if self._fields and self._fields[-1].in_code:
                    self._fields[-1].code += node.text or ""
            case "footnoteReference" | "endnoteReference":
                if not look.hidden:
                    self._line.notes.append((f"{name.removesuffix('Reference')}s", node.get(W + "id") or ""))
            case "ruby":
                for inner in node.iterfind(f"{W}rubyBase/{W}r"):
                    self._run(inner, address)
            case "drawing" | "pict" | "object":
                self._boxes(node)
            case _ if node.tag == MC + "AlternateContent":
                for inner in alternative(node):
                    self._content(inner, look, address)
            case _:
                self._write(_characters(node, name), look, address)

    def _boxes(self, node: Element) -> None:
        """Text boxes, the outermost only: those inside them are found when they are read."""
        waiting = list(node)[::-1]
        while waiting:
            one = waiting.pop()
            if one.tag == W + "txbxContent":
                self._line.boxes.append(one)
            else:
                waiting.extend(reversed(list(alternative(one) if one.tag == MC + "AlternateContent" else one)))

    def _field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append(_Field())
        elif self._fields and kind == "separate":
            self._fields[-1].in_code = False
            self._line.in_contents |= self._in_contents()
        elif self._fields and kind == "end":
            self._fields.pop()

    def _in_contents(self) -> bool:
        return self._fields_balance and any(_CONTENTS_FIELD.match(one.code) for one in self._fields if not one.in_code)

    def _write(self, text: str, look: RunLook, address: str) -> None:
        if look.hidden or not text or any(one.in_code for one in self._fields) or self._in_contents():
            return
        for one in self._fields:
            named = _LINK_FIELD.match(one.code)
            address = named.group(1) if named else address
        text = _DROPPED.sub("", text).replace("\u2011", "-")
        text = _SYMBOL.sub(lambda sign: _WINGDINGS.get(ord(sign.group()) - _PRIVATE.start, "•"), text)
        self._line.pieces.append(Piece(text, look.bold, look.size, address, look.raised))


def _characters(node: Element, name: str) -> str:
    match name:
        case "t":
            return _LINE_ENDS.sub(" ", node.text or "")
        case "tab" | "ptab":
            return " "
        case "br" | "cr":
            return " " if node.get(W + "type") in ("page", "column") else "\n"
        case "noBreakHyphen":
            return "-"
        case "sym":
            return _symbol(node)
        case _:
            return ""


def _symbol(node: Element) -> str:
    """A character of a symbol font, in Unicode as far as known."""
    try:
        code = int(node.get(W + "char") or "", 16)
    except ValueError:
        return ""
    font = (node.get(W + "font") or "").lower()
    low = code - _PRIVATE.start if code in _PRIVATE else code
    if font == "symbol":
        return _GREEK.get(chr(low), "") or _SYMBOLS.get(low, "") or (chr(low) if 0x20 <= low < 0x7F else "")
    if font.startswith("wingdings") or code in _PRIVATE:
        return _WINGDINGS.get(low, "•")
    return chr(code) if 0x20 <= code < 0xD800 else ""


def fields_balance(document: Element) -> bool:
    kinds = Counter(node.get(W + "fldCharType") for node in document.iter(W + "fldChar"))
    return kinds["begin"] == kinds["end"]


def is_contents_block(block: Element) -> bool:
    """Whether a content control is the table of contents that Word builds."""
    return "contents" in (value(block, "sdtPr", "docPartObj", "docPartGallery") or "").lower()
