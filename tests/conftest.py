"""Rules for all tests: what is skipped says so loudly, and where REFDESK_TEST_NO_SKIPS is set, nothing may be."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings

from tests.model_server import model_server
from tests.ports import held_port
from tests.postgres import postgres_server, postgres_url, state_url

__all__ = ["model_server", "postgres_server", "postgres_url", "state_url"]

# No property is about time: on a crowded machine every deadline passes once in a while. Where nothing may be skipped, a
# run is there to tell of a change and not to look for what nobody has seen yet: its examples are always the same.
settings.register_profile(
    "refdesk",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="REFDESK_TEST_NO_SKIPS" in os.environ,
)
settings.load_profile("refdesk")


@pytest.fixture
def unused_tcp_port_factory() -> Iterator[Callable[[], int]]:
    """In the place of pytest-asyncio's, whose ports somebody else may be given before they are used."""
    with ExitStack() as held:
        yield lambda: held.enter_context(held_port())


@pytest.fixture
def unused_tcp_port(unused_tcp_port_factory: Callable[[], int]) -> int:
    return unused_tcp_port_factory()


def pytest_report_header() -> str | None:
    if os.environ.get("REFDESK_TEST_QDRANT_URL"):
        return None
    return "NOT TESTED ON A REAL QDRANT SERVER: set REFDESK_TEST_QDRANT_URL to one that may be written to."


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if header := pytest_report_header():
        terminalreporter.write_line(header)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("REFDESK_TEST_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {report.longrepr}"
    return report
