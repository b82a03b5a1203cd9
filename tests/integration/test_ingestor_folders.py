"""Folders that cannot be looked into."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.ingest_desk import Desk, small_desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return small_desk(tmp_path / "knowledge")


@pytest.mark.parametrize("closed", ["housing/rules", "housing", "faq"])
async def test_what_lies_in_a_folder_that_cannot_be_opened_is_not_taken_for_gone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    await desk.ingest()
    before, faq = await desk.documents.documents(), (await desk.faq.load()).entries
    open_folder = os.scandir

    def refused(path: Any) -> Any:
        if str(path).endswith(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return open_folder(path)

    monkeypatch.setattr(os, "scandir", refused)
    report = await desk.ingest()
    assert report.removed == []
    assert [path for path, _ in report.failed] == [closed]
    assert await desk.documents.documents() == before
    assert (await desk.faq.load()).entries == faq
    assert (await desk.ingestor().preview(desk.root)).removed == []
