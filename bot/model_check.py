"""What a model endpoint can do, for `refdesk check`."""

from __future__ import annotations

from engine.ports import ChatModel, Message

_TOKENS = 8


async def described(model: ChatModel) -> str:
    """Raises ProviderError when the endpoint does not answer."""
    async with model.stream([Message("user", "Say OK.")], max_tokens=_TOKENS) as stream:
        async for _ in stream:
            pass
    abilities = await model.abilities()
    contract = "writes answers as objects" if abilities.streams_objects else "writes answers as text"
    return f"{model.name} answers, {contract}, window of {abilities.window} tokens"
