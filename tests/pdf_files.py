"""Writes small PDFs for tests: text, rules, links, an outline, passwords. Every letter is half its size wide."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Look = Literal["regular", "bold", "italic", "mono", "unmapped"]

_FONTS: dict[Look, str] = {
    "regular": "Text",
    "bold": "Text-Bold",
    "italic": "Text-Italic",
    "mono": "Courier",
    "unmapped": "Riddle",
}
_NAMES: dict[Look, str] = {look: f"F{index}" for index, look in enumerate(_FONTS)}
_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_IDENTIFIER = b"0123456789abcdef"
_PERMISSIONS = -4


@dataclass(slots=True)
class PdfPage:
    width: float = 595
    height: float = 842
    turned: int = 0
    """Of the page when shown, in degrees."""
    drawn: list[str] = field(default_factory=list[str])
    links: list[tuple[float, float, float, float, int]] = field(
        default_factory=list[tuple[float, float, float, float, int]]
    )

    def text(
        self, x: float, y: float, text: str, *, size: float = 10, look: Look = "regular", quarters: int = 0
    ) -> None:
        """`quarters` of a circle by which the text is turned, against the clock."""
        codes = text.encode("utf-16-be").hex()
        cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters]
        self.drawn.append(f"BT /{_NAMES[look]} {size} Tf {cos} {sin} {-sin} {cos} {x} {y} Tm <{codes}> Tj ET")

    def lines(
        self, x: float, y: float, *lines: str, size: float = 10, look: Look = "regular", pitch: float = 1.2
    ) -> float:
        """Lines under each other; where the next one would stand."""
        for line in lines:
            self.text(x, y, line, size=size, look=look)
            y -= pitch * size
        return y

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.drawn.append(f"0.5 w {x0} {y0} m {x1} {y1} l S")

    def picture(self) -> None:
        self.drawn.append("q 400 0 0 600 80 100 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q")

    def link(self, x0: float, y0: float, x1: float, y1: float, page: int) -> None:
        """A place that leads to another page, counted from 1."""
        self.links.append((x0, y0, x1, y1, page))


@dataclass(slots=True)
class PdfBuilder:
    title: str = ""
    pages: list[PdfPage] = field(default_factory=list[PdfPage])
    bookmarks: list[tuple[int, str, int, float]] = field(default_factory=list[tuple[int, str, int, float]])
    """Depth from 1, title, page from 1, height on the page."""

    def page(self, *, width: float = 595, height: float = 842, turned: int = 0) -> PdfPage:
        self.pages.append(PdfPage(width, height, turned))
        return self.pages[-1]

    def bookmark(self, depth: int, title: str, page: int, y: float) -> None:
        self.bookmarks.append((depth, title, page, y))

    def build(self, *, password: str | None = None) -> bytes:
        """`password`: what opens it; "" encrypts the file so that it opens without one."""
        return _Writer(self, password).write()


class _Writer:
    def __init__(self, builder: PdfBuilder, password: str | None) -> None:
        self._builder = builder
        self._key = b"" if password is None else _key(password)
        self._password = password
        self._objects: list[bytes] = []

    def write(self) -> bytes:
        catalog, tree = self._add(b""), self._add(b"")
        fonts = " ".join(f"/{_NAMES[look]} {self._font(look)} 0 R" for look in _FONTS)
        resources = self._add(f"<< /Font << {fonts} >> >>".encode())
        first = len(self._objects) + 1
        numbers = [first + 2 * index for index in range(len(self._builder.pages))]
        for page in self._builder.pages:
            self._page(page, tree, resources, numbers)
        kids = " ".join(f"{number} 0 R" for number in numbers)
        self._set(tree, f"<< /Type /Pages /Count {len(numbers)} /Kids [{kids}] >>".encode())
        outlines = f" /Outlines {self._outline(numbers)} 0 R" if self._builder.bookmarks else ""
        self._set(catalog, f"<< /Type /Catalog /Pages {tree} 0 R{outlines} >>".encode())
        return self._file(catalog)

    def _add(self, body: bytes) -> int:
        self._objects.append(body)
        return len(self._objects)

    def _set(self, number: int, body: bytes) -> None:
        self._objects[number - 1] = body

    def _stream(self, content: bytes) -> int:
        number = len(self._objects) + 1
        if self._password is not None:
            salted = self._key + number.to_bytes(3, "little") + b"\0\0"
            content = _rc4(hashlib.md5(salted, usedforsecurity=False).digest()[:10], content)
        return self._add(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))

    def _page(self, page: PdfPage, tree: int, resources: int, numbers: Sequence[int]) -> None:
        links = "".join(
            f"<< /Type /Annot /Subtype /Link /Rect [{x0} {y0} {x1} {y1}] /Dest [{numbers[target - 1]} 0 R /Fit] >>"
            for x0, y0, x1, y1, target in page.links
        )
        self._add(
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {page.width} {page.height}] /Rotate {page.turned}"
            f" /Resources {resources} 0 R /Contents {len(self._objects) + 2} 0 R /Annots [{links}] >>".encode()
        )
        self._stream("\n".join(page.drawn).encode("latin-1"))

    def _font(self, look: Look) -> int:
        mapped = "" if look == "unmapped" else f" /ToUnicode {self._stream(_unicode_map())} 0 R"
        descriptor = self._add(
            f"<< /Type /FontDescriptor /FontName /{_FONTS[look]} /Flags {5 if look == 'mono' else 4} /ItalicAngle 0"
            " /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 /FontBBox [0 -200 500 800] >>".encode()
        )
        inner = self._add(
            f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{_FONTS[look]} /DW 500 /FontDescriptor {descriptor} 0 R"
            " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>".encode()
        )
        return self._add(
            f"<< /Type /Font /Subtype /Type0 /BaseFont /{_FONTS[look]} /Encoding /Identity-H"
            f" /DescendantFonts [{inner} 0 R]{mapped} >>".encode()
        )

    def _outline(self, pages: Sequence[int]) -> int:
        marks = self._builder.bookmarks
        root = self._add(b"")
        parents = [next((j for j in range(i - 1, -1, -1) if marks[j][0] < marks[i][0]), -1) for i in range(len(marks))]

        def number(index: int) -> int:
            return root + 1 + index

        for index, (_, title, page, y) in enumerate(marks):
            family = [other for other, parent in enumerate(parents) if parent == parents[index]]
            children = [other for other, parent in enumerate(parents) if parent == index]
            later = [other for other in family if other > index]
            parts = [f"/Title <feff{title.encode('utf-16-be').hex()}> /Dest [{pages[page - 1]} 0 R /XYZ 0 {y} 0]"]
            parts.append(f"/Parent {number(parents[index])} 0 R")
            if later:
                parts.append(f"/Next {number(later[0])} 0 R")
            if children:
                parts.append(
                    f"/First {number(children[0])} 0 R /Last {number(children[-1])} 0 R /Count {len(children)}"
                )
            self._add(f"<< {' '.join(parts)} >>".encode())
        top = [index for index, parent in enumerate(parents) if parent < 0]
        self._set(root, f"<< /First {number(top[0])} 0 R /Last {number(top[-1])} 0 R /Count {len(top)} >>".encode())
        return root

    def _file(self, catalog: int) -> bytes:
        trailer = f"/Root {catalog} 0 R /ID [<{_IDENTIFIER.hex()}> <{_IDENTIFIER.hex()}>]"
        if self._password is not None:
            trailer += f" /Encrypt {self._add(_encryption(self._password))} 0 R"
        elif self._builder.title:
            title = self._builder.title.encode("utf-16-be").hex()
            trailer += f" /Info {self._add(f'<< /Title <feff{title}> >>'.encode())} 0 R"
        written = bytearray(b"%PDF-1.5\n")
        places: list[int] = []
        for index, body in enumerate(self._objects, start=1):
            places.append(len(written))
            written += b"%d 0 obj\n%s\nendobj\n" % (index, body)
        start = len(written)
        written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        written += b"".join(b"%010d 00000 n \n" % place for place in places)
        written += f"trailer\n<< /Size {len(places) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
        return bytes(written)


def _unicode_map() -> bytes:
    """Codes are UTF-16 itself; a range may not cross a border of 256."""
    rows = [f"<{high:02x}00> <{high:02x}ff> <{high:02x}00>" for high in range(0x100)]
    parts = [rows[start : start + 100] for start in range(0, len(rows), 100)]
    ranges = "\n".join(f"{len(part)} beginbfrange\n" + "\n".join(part) + "\nendbfrange" for part in parts)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Map def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{ranges}\nendcmap end end"
    ).encode()


def _padded(password: str) -> bytes:
    return (password.encode("latin-1") + _PADDING)[:32]


def _owner(password: str) -> bytes:
    digest = hashlib.md5(_padded("owner"), usedforsecurity=False).digest()[:5]
    return _rc4(digest, _padded(password))


def _key(password: str) -> bytes:
    """The 40-bit key of the standard security handler, revision 2 (ISO 32000-1, 7.6.3)."""
    material = _padded(password) + _owner(password) + _PERMISSIONS.to_bytes(4, "little", signed=True) + _IDENTIFIER
    return hashlib.md5(material, usedforsecurity=False).digest()[:5]


def _encryption(password: str) -> bytes:
    owner, user = _owner(password).hex(), _rc4(_key(password), _PADDING).hex()
    return f"<< /Filter /Standard /V 1 /R 2 /O <{owner}> /U <{user}> /P {_PERMISSIONS} >>".encode()


def _rc4(key: bytes, content: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in content:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
