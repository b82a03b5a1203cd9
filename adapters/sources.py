"""Where an answer comes from, as Markdown."""

from __future__ import annotations

from adapters.texts import Texts
from engine import Answer, Citation, Language


def with_sources(answer: Answer, texts: Texts) -> str:
    listed = dict.fromkeys(f"- {_cited(citation, answer.language, texts)}" for citation in answer.citations)
    head = texts("sources", answer.language)
    return "\n".join([*([answer.text.rstrip(), ""] if answer.text else []), head, *listed])


def _cited(citation: Citation, language: Language, texts: Texts) -> str:
    section = " ".join(
        part
        for part in (
            texts("section", language, number=citation.section) if citation.section else "",
            texts("title", language, title=citation.title) if citation.title else "",
        )
        if part
    )
    page = texts("page", language, number=citation.page) if citation.page is not None else ""
    link = citation.url if citation.url and citation.url.startswith(("http://", "https://")) else ""
    document = f"[{citation.document}]({link})" if link else f"`{citation.document}`"
    return ", ".join(part for part in (document, section, page) if part)
