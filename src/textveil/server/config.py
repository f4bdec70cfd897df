"""The configuration of a server: one TOML file, the environment, the command line; the later wins."""

import contextlib
import ipaddress
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from textveil.environment import PREFIX, refuse_unread_variables
from textveil.errors import ParameterError
from textveil.json_text import json_data
from textveil.surrogates.urls import InUrls

_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=1)]
_GONE = ("on_error", "forbid_unprotected")  # by which earlier versions could send a text as it was


class Config(BaseModel):
    """Everything that a server can be told; a field is a key of the TOML file and an environment variable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = "127.0.0.1"  # address that is listened on; any that is not of this machine alone needs API keys
    port: Annotated[int, Field(ge=0, le=65535)] = 8000  # 0 takes a free one
    # of the ledger and the keys: a URL of SQLAlchemy or a path; left out, a file in the user's data folder
    database: str | None = None
    # names by which the server may be asked for; a server that only this machine can reach has those of it
    hosts: tuple[str, ...] = ()
    # base URL of an OpenAI or Anthropic API, to which the gateway sends sanitized text; left out, there is no gateway
    upstream: str | None = None
    upstream_key: SecretStr | None = None  # sent to it as a bearer token, or as Anthropic's API wants it
    upstream_hosts: tuple[str, ...] = ()  # hosts that ``upstream`` may name; none is any
    # whether the upstream's name may lead into a private network; an address that ``upstream`` itself names may, and so
    # may localhost
    upstream_private_addresses: bool = False
    # "fresh" has one for each request; "kept" uses one again, which saves the time until it stands, and takes whatever
    # an upstream sends behind an answer for the next one
    upstream_connections: Literal["fresh", "kept"] = "fresh"
    upstream_connect_seconds: _Seconds = 10.0  # until a connection to it must stand
    upstream_seconds: _Seconds = 120.0  # between two pieces of its answer at the most
    # from a request to it until its answer must be whole, or, of a streamed one, the head
    upstream_answer_seconds: _Seconds = 600.0
    upstream_stream_seconds: _Seconds = 3600.0  # from a request to it until a streamed answer must have ended
    upstream_stream_bytes: _Count = 64 * 2**20  # of a streamed answer at the most; the asker is told where it was cut
    policy: str = "identifiers"  # what is used where a request names none
    policies: Path | None = None  # a folder of policies of your own: each ``NAME.toml`` is used by its name
    # of a tenant, the policies that its keys may name, its default first; others may name all. A key that was made with
    # policies has those.
    tenant_policies: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = {}
    # of whoever calls where there are no API keys, as "40", "40 messages" or "40 messages a day"; a message is one of
    # the default policy
    budget: str | None = None
    body_bytes: _Count = 4 * 2**20  # of a request at the most
    # of a request at the most: inputs, messages and their parts, and each value in the arguments of a call. The API of
    # textveil's own takes 10,000 at the most.
    request_texts: _Count = 20_000
    body_seconds: _Seconds = 30.0  # until the head of a request must have come, and then its body
    send_seconds: _Seconds = 30.0  # until a reader must have taken a piece of the answer
    # of callers, answered at one time at the most. Strangers have as many places of their own, and ``/healthz`` and
    # ``/metrics`` need none.
    concurrent_requests: _Count = 256
    # of one key, or, on a server without keys, of one address, answered at one time at the most
    key_requests: _Count = 128
    stranger_requests: _Count = 16  # of one address without a valid key, answered at one time at the most
    # how long an API key that was verified is taken without asking the database again; so long a revoked one may still
    # be taken
    key_seconds: _Seconds = 5.0
    # of one key at the most, on average; 0 is no limit
    requests_per_second: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1000.0
    # whether a key without a person may name any in its requests ("named"), or releases nothing ("bound"): then a key
    # is wanted always, and each is one person's
    units: Literal["named", "bound"] = "named"
    # who may read ``/metrics``: "admin", whoever has an admin's key, or, while there are no keys, is on this machine;
    # or "open", whoever can connect
    metrics: Literal["admin", "open"] = "admin"
    threads: _Count = 16  # that sanitize
    # how many find values for the server while requests come together. Left out, ``textveil serve`` starts one for each
    # processor, four at the most, and none where there is one processor; ``make_app`` starts none. Texts of more than
    # 2,000 characters are always read by one that is killed at ``sanitize_seconds``: two are started for them where
    # this says fewer.
    processes: Annotated[int, Field(ge=0)] | None = None
    sanitize_seconds: _Seconds = 10.0  # of processor time that the detection of a request's texts may take
    # where what puts originals back is kept where a request asks for it, and where conversations are: "memory", or
    # "database", encrypted
    maps: Literal["memory", "database"] = "memory"
    # how long it is kept; a conversation, after its last request (behind a restart up to a quarter less)
    maps_seconds: _Seconds = 3600.0
    # of memory that all of it may take, where it is kept in memory; the oldest is forgotten first
    maps_bytes: _Count = 256 * 2**20
    # what a value of an answer, a call or a tool's answer becomes: "apart", equal to no surrogate of the user's values;
    # or "shared", that of an equal value of the user, by which the upstream can test guesses
    foreign_values: Literal["apart", "shared"] = "apart"
    foreign_values_limit: _Count = 2000  # how many such values a conversation may bring
    # what goes on of documents in messages: nothing ("refuse"); their sanitized "text"; or the sanitized "file"
    documents: Literal["refuse", "text", "file"] = "refuse"
    # where originals are put back within URLs of an answer: "named-hosts", to hosts that a text of the asker names;
    # "never"; or "everywhere", by which the upstream can have originals sent to any host
    restore_in_urls: InUrls = "named-hosts"
    # a folder where conversations that were drawn are kept, sealed, for ``textveil review``; left out, none is drawn
    samples: Path | None = None
    samples_key: str | None = None  # whoever has the key of this public one reads them: textveil keys samples
    samples_share: Annotated[float, Field(gt=0, le=1)] = 0.01  # probability with which each conversation is drawn
    samples_days: _Count = 30  # how long they are kept
    samples_conversations: _Count = 100_000  # of a day that count; later ones are not drawn
    # file of the secret key by which receipts are signed; made, for this user alone, where there is none
    receipt_key: Path | None = None
    # who is told how many values of which kind a request had: whoever sent it ("client"), or also the log and
    # ``/metrics`` ("log"): counts are data about the texts, which no guarantee covers
    counts: Literal["client", "log"] = "client"
    log: bool = True  # whether a line of JSON is written for each request

    @property
    def loopback(self) -> bool:
        """True if only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def database_url(self) -> str:
        """The database; the default is one file of the user."""
        if self.database is not None:
            return self.database
        from platformdirs import user_data_path

        return str(user_data_path("textveil") / "ledger.sqlite")

    def prepared_database(self) -> str:
        """Return the database; the folder of the default one is made."""
        if self.database is None:
            Path(self.database_url).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self.database_url

    def shown(self) -> str:
        """Return every field as TOML, secrets masked."""
        lines = []
        for name, value in self.model_dump().items():
            told = _masked(name, self.database_url if name == "database" else value)
            lines.append(f"# {name}: not set" if told is None else f"{name} = {_toml(told)}")
        return "\n".join(lines) + "\n"


def load_config(
    file: Path | None, environment: Mapping[str, str], overrides: Mapping[str, Any] | None = None
) -> Config:
    """Read the configuration.

    Args:
        file: TOML.
        environment: as ``os.environ``; a field is read from ``TEXTVEIL_`` and its name in capitals: TEXTVEIL_PORT.
        overrides: of the command line; None is not set.

    Raises:
        ParameterError: the file cannot be read; a field is unknown or of another type; or a variable of the environment
            is named like one of textveil's, and nothing reads it.
    """
    told: dict[str, Any] = {} if file is None else _read(file)
    for name in _GONE:
        if name in told or PREFIX + name.upper() in environment:
            raise ParameterError(f"{name} is gone: if anything fails, nothing is sent. Leave it out.")
    variables = {PREFIX + name.upper(): name for name in Config.model_fields}
    refuse_unread_variables(environment, variables)
    for variable, name in variables.items():
        if (value := environment.get(variable)) is not None:
            told[name] = _of_environment(name, value)
    told |= {name: value for name, value in (overrides or {}).items() if value is not None}
    try:
        return Config.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "the configuration"
        if first["type"] == "extra_forbidden":
            raise ParameterError(f"{name[:40]} is no field of the configuration. See docs/server.md.") from None
        wrong = ParameterError(f"{name} must be of another value: {first['msg'][0].lower()}{first['msg'][1:]}.")
        wrong.parameter = name
        raise wrong from None


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(f"{file.name} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        at = str(error).rpartition("(at ")[2].rstrip(")")  # the rest of the message may quote a secret
        raise ParameterError(
            f"{file.name} must be TOML in UTF-8; got something else at {at or 'some place'}."
        ) from None


def _of_environment(name: str, value: str) -> Any:
    if name in ("hosts", "upstream_hosts"):
        return [part.strip() for part in value.split(",") if part.strip()]
    if name == "tenant_policies":
        with contextlib.suppress(ValueError):
            return json_data(value)
    return value


def _masked(name: str, value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "***"
    if name in ("database", "upstream") and isinstance(value, str) and "://" in value:
        scheme, _, rest = value.partition("://")
        address, asks, _ = rest.partition("?")
        access, at, place = address.rpartition("@")
        shown = f"{access.partition(':')[0]}:***@{place}" if at else address
        return f"{scheme}://{shown}{'?***' if asks else ''}"
    return value


def _toml(value: Any) -> str:
    if isinstance(value, Path):
        value = str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(part)}" for key, part in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
