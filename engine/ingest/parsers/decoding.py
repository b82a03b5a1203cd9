"""From a file's bytes to text, whatever encoding it was saved in."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from engine.errors import SourceError
from engine.text.normal import clean

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY_STARTS = (
    b"%PDF",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x7fELF",
    b"\x1f\x8b",
    b"\xd0\xcf\x11\xe0",
)
_GUESSED = ["utf_16", "cp1251", "koi8_r", "cp866", "latin_1"]
_SINGLE_BYTE = ("cp1251", "koi8_r", "cp866")
_SAMPLE = 200_000
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_COMMON = re.compile("[оеаинтсрвл]")
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_LETTERS_PER_REPLACEMENT = 50
_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([\w-]{3,20})", re.IGNORECASE)


def decode(path: str, data: bytes, *, declared: bool = False) -> str:
    """The text with line ends as "\\n". `declared`: believe an HTML file's own charset when it is not UTF-8.

    Bytes that fit no encoding become "\\ufffd". Raises SourceError for empty and for binary files.
    """
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf\xfe\xff"):
        raise SourceError(path, "empty file")
    if data.startswith(_BINARY_STARTS):
        raise SourceError(path, "looks like a binary file")
    text = _decode(data, declared=declared)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    sample = text[:_SAMPLE]
    if len(_CONTROL.findall(sample)) > len(sample) * 0.01 or _unreadable(sample):
        raise SourceError(path, "looks like a binary file")
    # Form feeds part pages of plain text; `clean` would remove them.
    text = "\f".join(clean(page) for page in text.split("\f"))
    if not text.strip():
        raise SourceError(path, "empty file")
    return text


def _decode(data: bytes, *, declared: bool) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_other(data, declared=declared)
    if "\x00" in text[:_SAMPLE] and (wide := _wide_encoding(data)):
        return data.decode(wide, "replace")
    return text


def _decode_other(data: bytes, *, declared: bool) -> str:
    if wide := _wide_encoding(data):
        return data.decode(wide, "replace")
    text = data.decode("utf-8", "replace")
    replaced = text.count("\ufffd")
    kept = sum(ord(letter) > 127 for letter in text) - replaced
    if kept >= replaced and replaced * _LETTERS_PER_REPLACEMENT < len(text):
        return text
    if declared and (match := _DECLARED.search(data[:4096])):
        name = match.group(1).decode("ascii")
        if _is_known(name):
            return data.decode(name, "replace")
    return data.decode(_guess(data[:_SAMPLE]), "replace")


def _guess(sample: bytes) -> str:
    """The Cyrillic code page in which Russian's most frequent letters are frequent; else by statistics."""
    best, best_share = "", 0.0
    for encoding in _SINGLE_BYTE:
        text = sample.decode(encoding, "replace")
        letters = len(_CYRILLIC.findall(text))
        outside = sum(ord(letter) > 127 for letter in text)
        share = len(_COMMON.findall(text)) / outside if outside else 0.0
        if letters >= outside * 0.7 and share > best_share:
            best, best_share = encoding, share
    if best_share > 0.4:
        return best
    match = from_bytes(sample, cp_isolation=_GUESSED).best()
    return match.encoding if match is not None else "latin_1"


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 without a mark shows by zeros in every other byte."""
    sample = data[:4000]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = max(1, len(sample) // 2)
    if odd > half * 0.15 and even < half * 0.02:
        return "utf-16-le"
    if even > half * 0.15 and odd < half * 0.02:
        return "utf-16-be"
    return None


def _unreadable(sample: str) -> bool:
    return sample.count("\ufffd") > len(sample) * 0.3


def _is_known(encoding: str) -> bool:
    try:
        codecs.lookup(encoding)
    except LookupError:
        return False
    return True
