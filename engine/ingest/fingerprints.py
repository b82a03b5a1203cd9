"""Which embedders made what is stored; vectors of different ones never mix."""

from __future__ import annotations

from engine.errors import StoreMismatch
from engine.ports import Embedder, MetaStore
from engine.text.sparse import SPARSE_VERSION

_INDEX = "index_fingerprint"
_GATE = "gate_fingerprint"


class Fingerprints:
    def __init__(self, meta: MetaStore, index_embedder: Embedder | None, gate_embedder: Embedder) -> None:
        """Without an index embedder it is about the FAQ alone."""
        self._meta = meta
        self._now = {_GATE: gate_embedder.fingerprint}
        if index_embedder is not None:
            self._now[_INDEX] = f"{index_embedder.fingerprint} {SPARSE_VERSION}"

    async def check(self) -> None:
        """Raises StoreMismatch when something stored was made by another embedder than is configured."""
        for key, name, setting in (
            (_INDEX, "documents", "REFDESK_INDEX_EMBEDDER"),
            (_GATE, "FAQ", "REFDESK_GATE_EMBEDDER"),
        ):
            stored = await self._meta.get(key)
            if stored is not None and stored != self._now.get(key, stored):
                raise StoreMismatch(
                    f"the stored {name} were embedded by {stored}, now {self._now[key]} is configured:"
                    f" run `refdesk ingest --rebuild`, or set {setting} back"
                )

    async def put(self) -> None:
        for key, value in self._now.items():
            await self._meta.put(key, value)
