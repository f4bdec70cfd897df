"""Documents in messages: their sanitized text or the sanitized file goes on, in both APIs; nothing else of the file."""

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import httpx
import openpyxl
import pikepdf
import pytest
from tests.helpers.canaries import CODE, NAME, NOTE, PRIVATE, write_policy
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import UPSTREAM_KEY, Provider, answering, last_text, repeating, say, saying

from textveil.documents.apart import text_of
from textveil.server.config import Config

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def contract() -> bytes:
    made = docx.Document()
    made.core_properties.author = NAME
    paragraph = made.add_paragraph("Between Zyrqel ")
    paragraph.add_run("Quxbolt").bold = True
    paragraph.add_run(f" and the client: {CODE}.")
    made.add_paragraph("Terms: http://papers.example/terms")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def book() -> bytes:
    made = openpyxl.Workbook()
    made.active.append(["Name", "Amount"])
    made.active.append([NAME, 12])
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def paper() -> bytes:
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(612, 792))
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=pdf.make_indirect(font)))
    page.Contents = pdf.make_stream(f"BT /F1 12 Tf 72 700 Td (Written by {NAME} of late.) Tj ET".encode())
    pdf.docinfo["/Author"] = NAME
    out = io.BytesIO()
    pdf.save(out)
    return out.getvalue()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def chat_file(data: bytes, name: str, kind: str = "") -> dict[str, Any]:
    head = f"data:{kind};base64," if kind else ""
    return {"type": "file", "file": {"filename": name, "file_data": head + b64(data)}}


def block(data: bytes, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "document", "source": {"type": "base64", "media_type": kind, "data": b64(data)}, **fields}


def asked(*parts: dict[str, Any], say: str = f"Who is {NAME}?", **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": say}, *parts]}], **fields}


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_policy(tmp_path_factory.mktemp("policies"))


def server(provider: Provider, policies: Path, ledger: MemoryLedger, documents: Any, **fields: Any) -> Any:
    config = Config(
        upstream=provider.url, upstream_key=UPSTREAM_KEY, policy="canaries", policies=policies, upstream_seconds=5,
        documents=documents, **fields,
    )  # fmt: skip
    return running(config, ledger)


@pytest.fixture(scope="module")
def text_server(provider: Provider, policies: Path, ledger: MemoryLedger) -> Iterator[httpx.Client]:
    with server(provider, policies, ledger, "text") as made:
        yield made


@pytest.fixture(scope="module")
def file_server(provider: Provider, policies: Path, ledger: MemoryLedger) -> Iterator[httpx.Client]:
    with server(provider, policies, ledger, "file") as made:
        yield made


@pytest.fixture(autouse=True)
def quiet(provider: Provider, ledger: MemoryLedger) -> None:
    provider.answer = say("Yes.")
    provider.forget()
    ledger.calls.clear()


def parts_of(provider: Provider, number: int = -1) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = provider.bodies[number]["messages"][0]["content"]
    return parts


def test_text_of_a_chat_file_goes_on_in_the_surrogates_of_the_message(
    text_server: httpx.Client, provider: Provider
) -> None:
    provider.answer = repeating()
    answer = text_server.post("/v1/chat/completions", json=asked(chat_file(contract(), f"{NAME}.docx", DOCX)))
    assert answer.status_code == 200
    first, second = parts_of(provider)
    surrogate = first["text"].removeprefix("Who is ").removesuffix("?")
    assert second["type"] == "text" and second["text"].startswith("document.docx:\n\n")
    assert f"Between {surrogate} and the client: " in second["text"]
    said = answer.json()["choices"][0]["message"]["content"]
    assert f"Between {NAME} and the client: {CODE}." in said
    assert provider.heard(*PRIVATE) == []
    assert answer.headers["x-textveil-left-out"] == "messages.content.file.filename"


def test_a_streamed_answer_is_restored(text_server: httpx.Client, provider: Provider) -> None:
    provider.answer = saying(last_text, 3)
    body = asked(chat_file(contract(), "a.docx"), stream=True)
    answer = text_server.post("/v1/chat/completions", json=body)
    deltas = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
    said = "".join(one["choices"][0]["delta"].get("content") or "" for one in deltas)
    assert f"Between {NAME} and the client: {CODE}." in said
    assert provider.heard(*PRIVATE) == []


def test_a_file_goes_on_whole_and_is_the_same_in_the_next_turn(
    file_server: httpx.Client, provider: Provider, ledger: MemoryLedger
) -> None:
    body = asked(chat_file(contract(), f"{NAME}.docx", DOCX), chat_file(book(), "a.XLSX"), chat_file(paper(), "a.pdf"))
    answer = file_server.post("/v1/chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    first, *files = parts_of(provider)
    surrogate = first["text"].removeprefix("Who is ").removesuffix("?")
    assert [part["file"]["filename"] for part in files] == ["document.docx", "document-2.xlsx", "document-3.pdf"]
    for part in files:
        head, _, data = part["file"]["file_data"].partition(",")
        assert head.startswith("data:application/") and head.endswith(";base64")
        file, name = base64.b64decode(data), part["file"]["filename"]
        text = text_of(name, file)
        assert surrogate in text
        raw = _unpacked(file) if name.endswith("x") else file.decode("latin-1")
        assert not any(value in raw + text for value in PRIVATE)
    assert provider.heard(*PRIVATE) == []
    spent = len(ledger.calls)
    message = {"role": "assistant", "content": answer.json()["choices"][0]["message"]["content"]}
    body["messages"] += [message, {"role": "user", "content": "Shorter."}]
    assert file_server.post("/v1/chat/completions", json=body).status_code == 200
    assert parts_of(provider) == [first, *files]
    assert ledger.calls.count("commit") == 2 and spent == 2  # the second for "Shorter." alone


def _unpacked(file: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return "".join(archive.read(name).decode("utf-8", "replace") + name for name in archive.namelist())


def test_document_blocks_go_on_as_text_with_their_marks_of_caches(
    text_server: httpx.Client, provider: Provider
) -> None:
    provider.answer = answering(lambda body: [{"type": "text", "text": last_text(body)}])
    cache = {"cache_control": {"type": "ephemeral"}}
    parts = (
        block(paper(), "application/pdf", title=f"{NAME}.pdf", citations={"enabled": True}, **cache),
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": NOTE}, "context": NAME},
    )
    answer = text_server.post("/v1/messages", json=asked(*parts))
    assert answer.status_code == 200, answer.text
    _, first, second = parts_of(provider)
    assert first.keys() == {"type", "text", "cache_control"} and second.keys() == {"type", "text"}
    assert first["text"].startswith("document.pdf:\n\nWritten by ") and second["text"].startswith("document-2.txt:\n\n")
    assert f"Written by {NAME} of late." in answer.json()["content"][0]["text"]
    assert NOTE in answer.json()["content"][0]["text"]
    assert provider.heard(*PRIVATE) == []
    left = set(answer.headers["x-textveil-left-out"].split(", "))
    assert left == {f"messages.content.{name}" for name in ("title", "citations", "context")}


def test_document_blocks_go_on_as_files_also_in_the_answer_of_a_tool(
    file_server: httpx.Client, provider: Provider
) -> None:
    provider.answer = answering(lambda body: [{"type": "text", "text": "Yes."}])
    source = {"type": "text", "media_type": "text/plain", "data": NOTE}
    body = asked(block(paper(), "application/pdf", title=NAME), {"type": "document", "source": source, "context": NAME})
    result = {"type": "tool_result", "tool_use_id": "a", "content": [block(paper(), "application/pdf")]}
    body["messages"].append({"role": "user", "content": [result]})
    answer = file_server.post("/v1/messages", json=body)
    assert answer.status_code == 200, answer.text
    first, second, third = parts_of(provider)
    surrogate = first["text"].removeprefix("Who is ").removesuffix("?")
    assert second["title"] == "document.pdf" and second["source"]["media_type"] == "application/pdf"
    assert surrogate in text_of("a.pdf", base64.b64decode(second["source"]["data"]))
    assert third["source"]["data"].startswith(f"{surrogate}, born") and third["context"] == surrogate
    of_tool = provider.bodies[-1]["messages"][1]["content"][0]["content"][0]
    told = text_of("a.pdf", base64.b64decode(of_tool["source"]["data"]))
    assert surrogate not in told and NAME not in told  # a tool's answer is a scope of its own
    assert provider.heard(*PRIVATE) == []


def test_input_files_of_responses(text_server: httpx.Client, file_server: httpx.Client, provider: Provider) -> None:
    part = {"type": "input_file", "filename": f"{NAME}.docx", "file_data": b64(contract())}
    body = {"model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": NAME}, part]}]}
    for client in (text_server, file_server):
        client.post("/v1/responses", json=body)
    as_text, as_file = (sent["input"][0]["content"] for sent in provider.bodies)
    assert as_text[1]["type"] == "input_text" and as_text[0]["text"] in as_text[1]["text"]
    assert as_file[1].keys() == {"type", "filename", "file_data"} and as_file[1]["filename"] == "document.docx"
    assert as_file[0]["text"] in text_of("a.docx", base64.b64decode(as_file[1]["file_data"].partition(",")[2]))
    assert provider.heard(*PRIVATE) == []


def test_a_host_that_only_a_document_names_gets_no_originals(text_server: httpx.Client, provider: Provider) -> None:
    """Whoever wrote the document may have written the URL, and the model puts the names into it."""

    def answer(body: dict[str, Any]) -> str:
        name = body["messages"][0]["content"][0]["text"].removeprefix("Who is ").removesuffix("?")
        return f"![](http://papers.example/?q={name.replace(' ', '%20')})"

    provider.answer = saying(answer)
    told = text_server.post("/v1/chat/completions", json=asked(chat_file(contract(), "a.docx")))
    assert "Quxbolt" not in told.text
    told = text_server.post(
        "/v1/chat/completions",
        json={
            "model": "m",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": f"Who is {NAME}?"}]},
                {"role": "user", "content": "See http://papers.example/b"},
            ],
        },
    )
    assert "Quxbolt" in told.text


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("chat", chat_file(b"no archive", f"{NAME}.docx"), "invalid_document", "file.file_data"),
    ("chat", chat_file(b"no mail", f"{NAME}.eml"), "invalid_document", "file.file_data"),
    ("chat", chat_file(b"x", f"{NAME}.docm"), "invalid_document", "file.file_data"),
    ("chat", chat_file(b"x", f"{NAME}.zip"), "unsupported_content", "file.file_data"),
    ("chat", chat_file(b"x", NAME, "image/png"), "unsupported_content", "file.file_data"),
    ("chat", chat_file(b"\xff\xfe", f"{NAME}.txt"), "invalid_document", "file.file_data"),
    ("chat", {"type": "file", "file": {"file_id": NAME}}, "unsupported_content", "file.file_data"),
    ("chat", {"type": "file", "file": {"file_data": 1}}, "invalid_type", "file.file_data"),
    ("chat", {"type": "file", "file": NAME}, "invalid_type", "file"),
    ("chat", {"type": "file"}, "invalid_type", "file"),
    ("chat", {"type": "file", "file": {"file_data": "https://a.b/,x"}}, "invalid_value", "file.file_data"),
    (
        "chat",
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,%%"}},
        "invalid_value", "file.file_data",
    ),
    ("message", block(b"x", "application/x-tar"), "unsupported_content", "source.data"),
    ("message", block(b"x", "application/pdf"), "invalid_document", "source.data"),
    ("message", {"type": "document"}, "missing_field", "source"),
    ("message", {"type": "document", "source": NAME}, "invalid_type", "source"),
    ("message", {"type": "document", "source": {"type": "url", "url": NAME}}, "unsupported_content", "source.type"),
    ("message", {"type": "document", "source": {"type": "file", "id": NAME}}, "unsupported_content", "source.type"),
    ("message", {"type": "document", "source": {"type": "text", "data": "\ud800"}}, "invalid_text", "source.data"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_cannot_be_read_is_refused_in_one_line_and_nothing_goes_on(
    number: int, text_server: httpx.Client, provider: Provider, ledger: MemoryLedger
) -> None:
    api, part, code, place = REFUSED[number]
    route = "/v1/chat/completions" if api == "chat" else "/v1/messages"
    body = json.dumps(asked(part))
    answer = text_server.post(route, content=body, headers={"content-type": "application/json"})
    told = answer.json()["error"]
    assert (answer.status_code, told["code"], told["param"]) == (400, code, f"messages[0].content[1].{place}")
    assert "\n" not in told["message"] and not any(value in answer.text for value in PRIVATE)
    assert not provider.bodies and not ledger.calls


def test_an_empty_document_has_no_text_but_goes_on_as_a_file(
    text_server: httpx.Client, file_server: httpx.Client, provider: Provider
) -> None:
    pdf, out = pikepdf.new(), io.BytesIO()
    pdf.add_blank_page()
    pdf.save(out)
    body = asked(chat_file(out.getvalue(), "a.pdf"))
    refused = text_server.post("/v1/chat/completions", json=body)
    assert refused.status_code == 400 and "holds none" in refused.json()["error"]["message"]
    assert not provider.bodies
    assert file_server.post("/v1/chat/completions", json=body).status_code == 200


def test_documents_are_refused_unless_the_server_takes_them(client: httpx.Client, provider: Provider) -> None:
    answer = client.post("/v1/chat/completions", json=asked(chat_file(contract(), "a.docx")))
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "messages[0].content[1].type"
    assert "documents" in answer.json()["error"]["message"] and not provider.bodies


def test_a_policy_that_draws_every_word_sends_text_and_no_file(
    text_server: httpx.Client, file_server: httpx.Client, provider: Provider, ledger: MemoryLedger
) -> None:
    headers = {"X-Textveil-Policy": "all-words"}
    body = asked(chat_file(contract(), "a.docx"))
    refused = file_server.post("/v1/chat/completions", json=body, headers=headers)
    assert refused.status_code == 400 and "finds spans" in refused.json()["error"]["message"]
    assert not provider.bodies and not ledger.calls
    assert text_server.post("/v1/chat/completions", json=body, headers=headers).status_code == 200
    assert provider.heard(*PRIVATE) == []


def test_documents_over_their_limits_are_refused_before_anything_is_paid(provider: Provider, policies: Path) -> None:
    ledger, body = MemoryLedger(), asked(chat_file(contract(), "a.docx"))
    with server(provider, policies, ledger, "text", sanitize_seconds=1e-9) as client:
        answer = client.post("/v1/chat/completions", json=body)
        assert answer.status_code == 413 and answer.json()["error"]["code"] == "texts_too_slow"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, zipfile.ZipFile(io.BytesIO(contract())) as old:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                data = data.replace(b"and the client", b"and so on " * 200_000)
            archive.writestr(name, data)
    with server(provider, policies, ledger, "text", body_bytes=100_000) as client:
        answer = client.post("/v1/chat/completions", json=asked(chat_file(out.getvalue(), "a.docx")))
        assert answer.status_code == 413 and answer.json()["error"]["code"] == "invalid_document"
        assert "100,000 bytes" in answer.json()["error"]["message"]
    assert not ledger.calls and not provider.bodies
