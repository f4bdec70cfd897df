"""The page that the server shows in a browser, and the page of the API's reference.

Texts are released by the service's one function, as everywhere. Nothing is kept: the originals go to the browser that
sent the text, and come from there again. Public sentences are written here, and no request brings another: their
draws say nothing about anybody, and cost no budget.
"""

import base64
import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request, Response
from pydantic import Field

from textveil.detection.kinds import GROUPS
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.pages.rendering import STYLE, rendered
from textveil.sanitize.costs import TextCosts
from textveil.sanitize.explanation import explain
from textveil.sanitize.policy.choice import PRESETS, policy
from textveil.sanitize.policy.making import correctable, list_kinds
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import stored_table
from textveil.server.api import AdminNow, CallerNow, report_data, service_of
from textveil.server.bodies import Body, Epsilon, StrictRoute, Text, UnitName
from textveil.server.budgets import budget_data
from textveil.server.errors import ApiError
from textveil.server.inspection import inspections
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.restoring import Restorer
from textveil.version import VERSION

PAGE: Final = "index.html"

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

HEADERS: Final = MappingProxyType(
    {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cache-Control": "no-cache",
    }
)
"""Scripts and styles come from this server's files alone, none stands in the page; requests go to this server alone; no
other page may show this one; and no string is ever made into markup.
"""


class PageFile(NamedTuple):
    """A file with its media type."""

    content: bytes
    media_type: str


@cache
def page_files() -> Mapping[str, PageFile]:
    """Return every file of the page by its name."""
    folder = files("textveil.server") / "page_assets"
    shared = files("textveil.pages") / "corrections.js"
    entries = sorted([*folder.iterdir(), shared], key=lambda file: file.name)
    return {file.name: PageFile(file.read_bytes(), _TYPES["." + file.name.rpartition(".")[2]]) for file in entries}


POLICY: Final = "all-words"  # of the examples: every word is drawn, at the epsilon of the request
# public: they come with the package, and speak of nobody
EXAMPLES: Final = (
    "Maria has been in therapy since the divorce and takes two pills every morning.",
    "The patient was diagnosed with lung cancer in March and lost her job in May.",
    "Please do not tell my boss that I am looking for another job in Berlin.",
)
WORD: Final = "cancer"  # whose law is shown
_OUTCOMES: Final = 6

# a letter about nobody, to try the page
SAMPLE: Final = """Dear Dr. Okafor,

Maria Gonzalez (born 4 May 1981, record 4471-220) was seen at St. Anne's Hospital in Portland on 3 March 2024.
She has had chest pain since January and takes 20 mg of lisinopril. Her brother Tomas died of a heart attack at 55.
Please call her at 503-555-0142 or write to maria.gonzalez@example.org; she pays $180 a month for her plan.

Kind regards,
Ana Petrov"""


class PublicExamples:
    """Releases of public sentences, by epsilon; a sanitizer of each is made when it is first used."""

    def __init__(self) -> None:
        self._made: dict[float, tuple[Sanitizer, dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def drawn(self, epsilon: float) -> dict[str, Any]:
        """Return fresh draws of the sentences, and the law of one word.

        ``epsilon``: nats of one word, one of those at which recovery was measured.
        Raises ParameterError: it is another.
        """
        known = [row["epsilon"] for row in recovery()["rows"]]
        if epsilon not in known:
            shown = ", ".join(f"{epsilon:g}" for epsilon in known)
            error = ParameterError(f"epsilon must be one of {shown}; got another. Recovery was measured at these.")
            error.parameter = "epsilon"
            raise error
        with self._lock:
            if epsilon not in self._made:
                self._made[epsilon] = _at(epsilon)
            sanitizer, word = self._made[epsilon]
        releases = sanitizer.batch(EXAMPLES, spans=False, maps=False)
        return {
            "epsilon": epsilon,
            "examples": [
                {"text": text, "released": release.text} for text, release in zip(EXAMPLES, releases, strict=True)
            ],
            "words": [word],
        }


def _at(epsilon: float) -> tuple[Sanitizer, dict[str, Any]]:
    sanitizer = Sanitizer(policy(POLICY, epsilon=epsilon))
    if (mechanism := sanitizer.mechanism) is None:
        raise UnsupportedGuarantee(f"the policy {POLICY} must draw words; it does not.")
    law = explain(mechanism, WORD, top=_OUTCOMES).to_data()
    outcomes = [{"word": output["word"], "probability": output["estimate"]} for output in law["outputs"]]
    return sanitizer, {"word": law["word"], "outcomes": outcomes}


@cache
def recovery() -> dict[str, Any]:
    """Return what a decoder recovered of public texts under the policy of the examples, by epsilon.

    Each row has for all words, content words and names the smallest and the largest share over the texts.
    """
    chosen = policy(POLICY)
    own = next(rule.epsilon for rule in chosen.rules if rule.kind == "word")
    rows = []
    model: str = ""
    texts: list[str] = []
    for epsilon in sorted({float(row["epsilon"]) for row in stored_table()["rows"]}):
        quoted = Sanitizer(policy(POLICY, epsilon=epsilon)).setting.recovery
        if quoted is None or quoted["epsilon"] != epsilon:
            continue
        model, texts = quoted["model"], list(quoted["texts"])
        estimates = [[kind["in_context"]["estimate"] for kind in text["kinds"]] for text in quoted["texts"].values()]
        rows.append(
            {"epsilon": epsilon, "shares": [{"low": min(of), "high": max(of)} for of in zip(*estimates, strict=True)]}
        )
    return {"epsilon": own, "model": model, "texts": texts, "rows": rows}


PRIVATE = {"Cache-Control": "no-store"}  # of answers with text in them: no browser keeps them on its disk


class PageCaller(Body):
    """The person whose texts these are, if the key is not one person's own; the policy, and its epsilon."""

    unit: UnitName | None = None
    policy: str | None = None
    epsilon: Epsilon = None


class PageText(PageCaller):
    """A text of theirs."""

    text: Text


class ReleasedPiece(Body):
    """Characters of a release that do not stand in its text as they are, and what stood there: private."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    was: Text
    kind: Text


class HeldRelease(Body):
    """A release as the page holds it: private."""

    text: Text
    pieces: list[ReleasedPiece]

    def private_map(self) -> PrivateMap:
        """Return the map that was sent with the release.

        Raises ApiError: its pieces do not lie in the text one behind the other.
        """
        at = 0
        for piece in self.pieces:
            if not at <= piece.start <= piece.end <= len(self.text):
                raise ApiError(400, "invalid_field", "maps must be those of releases, unchanged.", param="maps")
            at = piece.end
        pieces = tuple(Replaced(piece.start, piece.end, piece.was, piece.kind) for piece in self.pieces)
        return PrivateMap(released=self.text, replaced=pieces)


class PageAnswer(Body):
    """The reply, and the releases that it may speak of."""

    answer: Text
    maps: list[HeldRelease] = Field(min_length=1, max_length=100)


def page_router() -> APIRouter:
    """Return the routes of the page."""
    router = APIRouter(route_class=StrictRoute)
    add_files(router)
    add_work(router)
    return router


def add_files(router: APIRouter) -> None:
    """Add the page itself and what it shows without a private text: for everybody who can reach the server."""
    examples = PublicExamples()

    @router.get("/", include_in_schema=False)
    def page() -> Response:
        return _sent(PAGE)

    @router.get("/page/start", include_in_schema=False)
    def start() -> dict[str, Any]:
        return {"version": VERSION, "sample": SAMPLE, "groups": dict(GROUPS), "recovery": recovery()}

    @router.get("/page/examples", include_in_schema=False)
    def drawn(epsilon: float, response: Response) -> dict[str, Any]:
        response.headers.update(PRIVATE)
        return examples.drawn(epsilon)

    @router.get("/page/files/{name}", include_in_schema=False)
    def file(name: str) -> Response:
        if name not in page_files() or name == PAGE:
            raise ApiError(404, "not_found", "the page has no such file.")
        return _sent(name)


def add_work(router: APIRouter) -> None:
    """Add what the page does with a text, for callers."""

    @router.post("/page/account", include_in_schema=False)
    async def account(body: PageCaller, request: Request, who: CallerNow, response: Response) -> dict[str, Any]:
        response.headers.update(PRIVATE)
        service = service_of(request)
        name = service.policies.at(who.policy(body.policy), body.epsilon)
        balance = await service.balance(who.account(body.unit))
        setting = (await service.in_thread(partial(service.policies.sanitizer, name))).setting
        return {
            "policies": service.policies.to_data(who.policies),
            "budget": budget_data(balance, TextCosts.of(setting)),
            "sees_inspections": who.key_id is None,  # an admin's key has no account
        }

    @router.post("/page/release", include_in_schema=False)
    async def release(body: PageText, request: Request, who: CallerNow, response: Response) -> dict[str, Any]:
        response.headers.update(PRIVATE)
        service = service_of(request)
        policy = service.policies.at(who.policy(body.policy), body.epsilon)
        paid = await service.release([body.text], policy=policy, account=who.account(body.unit))
        (released,) = paid.releases
        report = report_data(paid) or {}
        return {
            "text": released.text,
            "pieces": _pieces(released.private_map),
            "policy": paid.policy,
            "guarantee": {
                **report["guarantee"],
                "not_covered": report.get("not_covered", []),
                "public": report["public"],
                "for_release": report["for_release"],
            },
            "budget": paid.budget,
            "corrections": corrections_of(service.policies.policy(paid.policy)),
        }

    @router.post("/page/restore", include_in_schema=False)
    def restore(body: PageAnswer, who: CallerNow, response: Response) -> dict[str, Any]:
        response.headers.update(PRIVATE)
        done = Restorer([written.private_map() for written in body.maps]).restore(body.answer)
        return {"text": done.text, "originals": _places(done.originals), "ambiguous": _places(done.ambiguous)}

    @router.get("/page/inspected", include_in_schema=False)
    async def inspected(request: Request, who: AdminNow) -> dict[str, Any]:
        return inspections(request)


def _sent(name: str) -> Response:
    file = page_files()[name]
    return Response(file.content, media_type=file.media_type, headers=dict(HEADERS))


def _pieces(private_map: PrivateMap | None) -> list[dict[str, Any]] | None:
    if private_map is None:
        return None
    return [
        {"start": piece.start, "end": piece.end, "was": piece.original, "kind": piece.kind}
        for piece in private_map.replaced
    ]


def corrections_of(chosen: Policy) -> dict[str, Any] | None:
    """Return what the page needs to collect corrections as lists; None if an operator's policy has no kinds for them.

    A policy of the package comes as a whole, an operator's with its kinds alone: its lists may be private.
    """
    kinds = list_kinds(chosen)
    if chosen.name in PRESETS and chosen == policy(chosen.name):
        return _extended(chosen.name)
    return {"extends": chosen.name, "toml": "", "kinds": kinds} if kinds else None


@cache
def _extended(name: str) -> dict[str, Any]:
    return correctable(name)


def _places(places: Sequence[tuple[int, int]]) -> list[dict[str, int]]:
    return [{"start": start, "end": end} for start, end in places]


_DIGEST: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()

# of the page: its own style, and nothing else
CONTENT_POLICY: Final = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; frame-ancestors 'none'"
reference_router = APIRouter(include_in_schema=False)


@reference_router.get("/docs")
async def reference(request: Request) -> Response:
    """Every route, what it takes and what it answers."""
    page = reference_page(request.app.openapi())
    return Response(page, media_type="text/html", headers={"content-security-policy": CONTENT_POLICY})


def reference_page(schema: Mapping[str, Any]) -> str:
    """Return the page of an OpenAPI description."""
    info = schema["info"]
    routes = [route for path, methods in schema["paths"].items() for route in _routes(schema, path, methods)]
    title = f"{info['title']} {info['version']}"
    return rendered("reference.html", title=title, summary=info.get("summary", ""), routes=routes)


def _routes(schema: Mapping[str, Any], path: str, methods: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for method, facts in methods.items():
        body = _fields(schema, facts.get("requestBody", {}))
        parameters = [
            (parameter["name"], parameter["schema"], parameter.get("description", ""))
            for parameter in facts.get("parameters", ())
        ]
        answer = _fields(schema, facts.get("responses", {}).get("200", {}))
        tables = (("Takes", _rows([*parameters, *body])), ("Answers", _rows(answer)))
        yield f"{method.upper()} {path}", facts.get("description", ""), tables


def _fields(schema: Mapping[str, Any], holder: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any], str]]:
    inline = holder.get("content", {}).get("application/json", {}).get("schema", {})
    name = inline.get("$ref", "").rpartition("/")[2]
    model = schema.get("components", {}).get("schemas", {}).get(name, inline)
    return [(name, field, field.get("description", "")) for name, field in model.get("properties", {}).items()]


def _rows(fields: Iterable[tuple[str, Mapping[str, Any], str]]) -> list[tuple[str, str, str]]:
    return [(name, _type(kind), about) for name, kind, about in fields]


def _type(kind: Mapping[str, Any]) -> str:
    if "anyOf" in kind:
        return " or ".join(_type(member) for member in kind["anyOf"] if member.get("type") != "null")
    if kind.get("type") == "array":
        return f"list of {_type(kind.get('items', {}))}s"
    return str(kind.get("type") or kind.get("$ref", "any").rpartition("/")[2])
