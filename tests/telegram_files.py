"""Files in the small Bot API server of our own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.telegram_faults import Refusal

Params = dict[str, Any]
Json = dict[str, Any]
MOST_FETCHED = 20 * 2**20


@dataclass
class TelegramFiles:
    """A part of the server: what is sent by bots is posted like a text."""

    post: Callable[[Params, Json], Json]
    bodies: dict[str, bytes] = field(default_factory=dict[str, bytes])
    sizes: dict[str, int] = field(default_factory=dict[str, int])

    def attached(self, body: bytes, *, name: str = "", mime: str = "", size: int | None = None) -> Json:
        """A file to be put into a message."""
        id = f"file{len(self.bodies) + 1}"
        self.bodies[id] = body
        self.sizes[id] = len(body) if size is None else size
        found: Json = {"file_id": id, "file_unique_id": id, "file_size": self.sizes[id]}
        return {**found, **({"file_name": name, "mime_type": mime} if name else {"width": 1, "height": 1})}

    async def getFile(self, params: Params) -> Json:
        id = str(params["file_id"])
        if self.sizes[id] > MOST_FETCHED:
            raise Refusal(400, "Bad Request: file is too big")
        return {"file_id": id, "file_unique_id": id, "file_path": f"files/{id}"}

    async def sendPhoto(self, params: Params) -> Json:
        body = self._uploaded(params, "photo")
        if not body.startswith(b"picture"):
            raise Refusal(400, "Bad Request: IMAGE_PROCESS_FAILED")
        return self.post(params, {"photo": [self.attached(body)], "caption": params.get("caption", "")})

    async def sendDocument(self, params: Params) -> Json:
        name = _upload(params, "document").filename
        file = self.attached(self._uploaded(params, "document"), name=name, mime="application/octet-stream")
        return self.post(params, {"document": file, "caption": params.get("caption", "")})

    async def download(self, request: web.Request) -> web.Response:
        return web.Response(body=self.bodies[request.match_info["id"]])

    def _uploaded(self, params: Params, kind: str) -> bytes:
        body: bytes = _upload(params, kind).file.read()
        return body


def _upload(params: Params, kind: str) -> Any:
    return params[str(params[kind]).removeprefix("attach://")]
