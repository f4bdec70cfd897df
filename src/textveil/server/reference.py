"""The page of the API's reference, made of its OpenAPI description: no script, and nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterator, Mapping
from typing import Any, Final

from fastapi import APIRouter, Request, Response

_STYLE: Final = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; font-size: 1.1rem; }
code, h2 { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8886; }
"""

_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

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
    about = schema["info"]
    parts = [
        f"<h1>{_text(about['title'])} {_text(about['version'])}</h1>",
        f"<p>{_text(about.get('summary', ''))} As JSON: <a href='openapi.json'>openapi.json</a>.</p>",
        *(part for path, methods in schema["paths"].items() for part in _route(schema, path, methods)),
    ]
    head = f"<meta charset='utf-8'><meta name='viewport' content='width=device-width'><style>{_STYLE}</style>"
    return (
        f"<!doctype html><html lang='en'><head>{head}<title>{_text(about['title'])}: reference</title></head>"
        f"<body><main>{''.join(parts)}</main></body></html>"
    )


def _route(schema: Mapping[str, Any], path: str, methods: Mapping[str, Any]) -> Iterator[str]:
    for method, facts in methods.items():
        yield f"<h2>{method.upper()} {_text(path)}</h2><p>{_text(facts.get('description', ''))}</p>"
        body = _model(schema, facts.get("requestBody", {}))
        rows = [(one["name"], one["schema"], one.get("description", "")) for one in facts.get("parameters", ())]
        rows += [(name, one, one.get("description", "")) for name, one in body.get("properties", {}).items()]
        yield _table("takes", rows)
        answer = _model(schema, facts.get("responses", {}).get("200", {}))
        fields = answer.get("properties", {}).items()
        yield _table("answers", [(name, one, one.get("description", "")) for name, one in fields])


def _model(schema: Mapping[str, Any], holder: Mapping[str, Any]) -> Mapping[str, Any]:
    """The model of a body; empty where it is not described."""
    found = holder.get("content", {}).get("application/json", {}).get("schema", {})
    name = found.get("$ref", "").rpartition("/")[2]
    model: Mapping[str, Any] = schema.get("components", {}).get("schemas", {}).get(name, found)
    return model


def _table(what: str, rows: list[tuple[str, Mapping[str, Any], str]]) -> str:
    if not rows:
        return ""
    lines = "".join(
        f"<tr><td><code>{_text(name)}</code></td><td>{_text(_type(kind))}</td><td>{_text(about)}</td></tr>"
        for name, kind, about in rows
    )
    return f"<table><thead><tr><th>{what}</th><th>type</th><th>meaning</th></tr></thead><tbody>{lines}</tbody></table>"


def _type(kind: Mapping[str, Any]) -> str:
    """A type in words."""
    if "anyOf" in kind:
        return " or ".join(_type(one) for one in kind["anyOf"] if one.get("type") != "null")
    if kind.get("type") == "array":
        return f"list of {_type(kind.get('items', {}))}s"
    return str(kind.get("type") or kind.get("$ref", "any").rpartition("/")[2])


def _text(text: object) -> str:
    return html.escape(str(text))
