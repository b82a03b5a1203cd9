"""Opens a Word file: a zip archive of XML parts. Nothing outside it is read, nothing in it is run."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from engine.errors import SourceError
from engine.ingest.parsers.docx_xml import Element

_MEGABYTE = 1024 * 1024
_LARGEST_PART = 100 * _MEGABYTE
_LARGEST_TOTAL = 200 * _MEGABYTE
_LARGEST_RATIO = 250
"""Unpacked to packed bytes of a part above `_RATIO_FROM`; text of any kind packs to a tenth or so."""
_RATIO_FROM = 8 * _MEGABYTE
_MOST_ENTRIES = 20_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BLANK = b" \t\r\n\x00\xef\xbb\xbf\xff\xfe"
_PACKED_LIKE_WORD = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DOCTYPES = tuple("<!DOCTYPE".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be"))
_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_NAMES = {
    b"http://purl.oclc.org/ooxml/wordprocessingml/main": b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    b"http://purl.oclc.org/ooxml/officeDocument/": b"http://schemas.openxmlformats.org/officeDocument/2006/",
}
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_MAIN = "/officeDocument"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_DAMAGED = "is damaged or cut short; save it anew"


@dataclass(frozen=True, slots=True)
class WordFile:
    document: Element
    styles: Element | None
    numbering: Element | None
    notes: Mapping[str, Element]
    """The parts "footnotes" and "endnotes", as far as there are any."""
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    """Addresses that the text links to, by their id; they are never visited."""
    title: str = ""
    """What the file's properties say."""


def open_word_file(path: str, data: bytes) -> WordFile:
    """Raises SourceError for anything but a readable Word file of sane size."""
    try:
        with zipfile.ZipFile(io.BytesIO(_zip_bytes(path, data))) as archive:
            return _Reader(path, archive).read()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        raise SourceError(path, _DAMAGED) from error


def _zip_bytes(path: str, data: bytes) -> bytes:
    if not data.strip(_BLANK):
        raise SourceError(path, "empty file")
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise SourceError(path, "is protected by a password; save it without one")
        raise SourceError(path, "is in the old .doc format whatever its name says; save it as .docx")
    if data.startswith(b"{\\rtf"):
        raise SourceError(path, "is an RTF file whatever its name says; save it as .docx")
    if not data.startswith(b"PK"):
        raise SourceError(path, "is no Word file; save it as .docx, or give it the suffix of its own format")
    return data


class _Reader:
    def __init__(self, path: str, archive: zipfile.ZipFile) -> None:
        self._path = path
        self._archive = archive
        self._entries = {entry.filename.lstrip("/").lower(): entry for entry in archive.infolist()}
        self._unpacked = 0

    def read(self) -> WordFile:
        if len(self._entries) > _MOST_ENTRIES:
            raise SourceError(self._path, f"holds {len(self._entries)} parts, more than any Word file")
        main = self._main_part()
        document = self._part(main)
        if document is None:
            raise SourceError(self._path, self._why_no_document())
        folder, name = posixpath.split(main)
        relations = self._relations(f"{folder}/_rels/{name}.rels", folder)
        parts = {kind: target for kind, (target, outside) in relations.by_kind.items() if not outside}
        notes = {kind: self._part(parts[kind]) for kind in ("footnotes", "endnotes") if kind in parts}
        return WordFile(
            document=document,
            styles=self._part(parts.get("styles", "")),
            numbering=self._part(parts.get("numbering", "")),
            notes={kind: part for kind, part in notes.items() if part is not None},
            links=relations.links,
            title=self._title(),
        )

    def _main_part(self) -> str:
        relations = self._relations("_rels/.rels", "")
        target, outside = relations.by_kind.get("officeDocument", ("word/document.xml", False))
        return "word/document.xml" if outside else target

    def _why_no_document(self) -> str:
        if any(name.startswith("xl/") for name in self._entries):
            return "is a spreadsheet whatever its name says; give it the suffix .xlsx"
        if any(name.startswith("ppt/") for name in self._entries):
            return "is a presentation whatever its name says; save its text as .docx"
        return "is no Word file: it holds no document; save it as .docx"

    def _title(self) -> str:
        core = self._part("docprops/core.xml")
        title = core.find(_TITLE) if core is not None else None
        return " ".join((title.text or "").split()) if title is not None else ""

    def _relations(self, name: str, folder: str) -> _Relations:
        found = _Relations()
        root = self._part(name)
        for one in root.iter(_RELATION) if root is not None else ():
            kind = (one.get("Type") or "").rpartition("/")[2]
            target = one.get("Target") or ""
            outside = one.get("TargetMode") == "External"
            if kind == "hyperlink":
                found.links[one.get("Id") or ""] = target
            else:
                inside = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
                found.by_kind.setdefault(kind, (posixpath.normpath(inside), outside))
        return found

    def _part(self, name: str) -> Element | None:
        entry = self._entries.get(name.lower())
        return _parse(self._path, self._unpack(entry)) if entry is not None else None

    def _unpack(self, entry: zipfile.ZipInfo) -> bytes:
        """Never more bytes than allowed, whatever the archive's headers say."""
        if entry.flag_bits & 0x1:
            raise SourceError(self._path, "is protected by a password; save it without one")
        if entry.compress_type not in _PACKED_LIKE_WORD:
            raise SourceError(self._path, "is packed as no Word file is; save it anew")
        allowed = min(_LARGEST_PART, _LARGEST_TOTAL - self._unpacked)
        if entry.file_size > _RATIO_FROM:
            allowed = min(allowed, max(_RATIO_FROM, entry.compress_size * _LARGEST_RATIO))
        if entry.file_size > allowed:
            raise SourceError(self._path, self._too_large())
        with self._archive.open(entry) as stream:
            # One byte more than claimed shows whether the claim is a lie: then the checksum fails.
            data = stream.read(entry.file_size + 1)
        self._unpacked += len(data)
        return data

    @staticmethod
    def _too_large() -> str:
        return f"unpacks to more than a document should (at most {_LARGEST_PART // _MEGABYTE} MB a part); split it"


@dataclass(slots=True)
class _Relations:
    by_kind: dict[str, tuple[str, bool]] = field(default_factory=dict[str, tuple[str, bool]])
    """Of each kind the first target, and whether it lies outside the file."""
    links: dict[str, str] = field(default_factory=dict[str, str])


def _parse(path: str, data: bytes) -> Element:
    if any(sign in data for sign in _DOCTYPES):
        raise SourceError(path, "holds XML with a document type, which no Word file has; save it anew")
    if _STRICT in data:
        for strict, usual in _STRICT_NAMES.items():
            data = data.replace(strict, usual)
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        if "depth" in str(error):
            raise SourceError(path, "is nested too deeply to be read") from error
        raise SourceError(path, f"holds broken XML ({error.msg}); save it anew") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise SourceError(path, "holds XML with a document type, which no Word file has; save it anew")
    return root
