"""The page of the API's reference, made of its OpenAPI description: no script, and nothing from elsewhere."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from textveil.pages.rendering import STYLE, rendered

_DIGEST: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()

POLICY: Final = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; frame-ancestors 'none'"
"""Of the page: its own style, and nothing else."""

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def reference(request: Request) -> Response:
    """Every route, what it takes and what it answers."""
    page = reference_page(request.app.openapi())
    return Response(page, media_type="text/html", headers={"content-security-policy": POLICY})


def reference_page(schema: Mapping[str, Any]) -> str:
    """The page of an OpenAPI description."""
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
    """Name, type and description of the fields of a body; empty where it is not described."""
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
