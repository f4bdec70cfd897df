"""A string of JSON is read with what stands around it: keys, its neighbors, the parameter whose value it may be."""

import json
from typing import Any

import pytest
from tests.helpers.servers import running
from tests.helpers.upstream import Provider, answering

from textveil.detection.spans import DetectedSpan
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.making import parts_of
from textveil.server.config import Config

SECRET = "walnut-quarry"
VALUES = {
    "user": "bquimby",
    "password": SECRET,
    "owner": "Ebony",
    "first_name": "Star",
    "account_number": "4471",
    "street": "Rookery Nook",
    "reviewers": ["Rose", "Maria", "Pedro"],
    "nested": {"password": SECRET, "owners": ["Ebony"]},
    "note": 'a "quoted" line\nand \\ another of Maria',
}
PRIVATE = ("bquimby", SECRET, "Ebony", "Star", "4471", "Rookery", "Rose", "Maria", "Pedro")


def sent(body: dict[str, Any], path: str) -> str:
    """What goes on of a request, as JSON without escapes of letters."""
    with Provider() as provider, running(Config(upstream=provider.url, policy="prompts")) as client:
        provider.answer = answering(lambda asked: [{"type": "text", "text": "ok"}], 40)
        answer = client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return json.dumps(provider.bodies[-1], ensure_ascii=False)


def history(arguments: dict[str, Any]) -> dict[str, Any]:
    """A history of Anthropic's API that another program began: nobody here knows its call."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "save", "input": arguments}
    return {
        "model": "m",
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}]},
        ],
        "tools": [{"name": "save", "input_schema": {"type": "object"}}],
    }


def declared(properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Go on."}],
        "tools": [{"name": "save", "input_schema": schema}],
    }


def test_arguments_that_a_client_wrote_are_read_by_their_keys() -> None:
    got = sent(history(VALUES), "/v1/messages")
    assert not [value for value in PRIVATE if value in got]
    said = json.loads(got)["messages"][1]["content"][0]["input"]
    assert (
        said.keys() == VALUES.keys() and len(said["reviewers"]) == 3 and said["nested"].keys() == {"password", "owners"}
    )
    assert said["note"].startswith('a "quoted" line\nand \\ another of ')


def test_examples_of_a_tools_input_are_read_by_their_keys() -> None:
    body = declared({"owner": {"type": "string"}})
    body["tools"][0]["input_examples"] = [VALUES, {"owner": "guest"}]
    got = sent(body, "/v1/messages")
    assert not [value for value in PRIVATE if value in got]
    assert json.loads(got)["tools"][0]["input_examples"][1] == {"owner": "guest"}


@pytest.mark.parametrize("word", ["default", "const"])
def test_a_default_is_read_by_the_name_of_its_parameter(word: str) -> None:
    got = sent(declared({name: {word: value} for name, value in VALUES.items()}), "/v1/messages")
    assert not [value for value in PRIVATE if value in got]


@pytest.mark.parametrize("word", ["enum", "examples"])
def test_allowed_values_are_read_together_and_by_the_name_of_their_parameter(word: str) -> None:
    properties = {
        "owner": {word: ["Ebony", "guest", 4]},
        "password": {"anyOf": [{word: [SECRET]}, {"type": "null"}]},
        "of": {"type": "object", "properties": {"reviewers": {"items": {word: ["Star", "Rose"]}}}},
        "who": {word: ["Maria", "Pedro", "Ebony"]},
        "kind": {word: ["Star", "Rose", "plain", True, None, 1.5]},
    }
    got = json.loads(sent(declared(properties), "/v1/messages"))["tools"][0]["input_schema"]["properties"]
    assert got["owner"][word][0] != "Ebony" and got["owner"][word][1:] == ["guest", 4]
    assert SECRET not in json.dumps(got["password"]) and len(got["who"][word]) == 3
    assert not {"Star", "Rose"} & set(got["of"]["properties"]["reviewers"]["items"][word])
    assert not {"Maria", "Pedro", "Ebony"} & set(got["who"][word])
    assert got["kind"][word] == ["Star", "Rose", "plain", True, None, 1.5]  # nothing says that they are persons


def test_spans_of_a_context_are_cut_to_the_text_in_it() -> None:
    finder = parts_of(policy("prompts")).finder
    assert finder is not None
    around = [DetectedSpan(0, 12, "person", 0.7, "embedded"), DetectedSpan(12, 13, "secret", 0.7, "embedded")]
    alone = [DetectedSpan(4, 8, "person", 0.7, "embedded")]
    assert [span[:3] for span in finder.in_context("Ada Zuse", alone, 10, around)] == [
        (0, 2, "person"),
        (2, 3, "secret"),
        (4, 8, "person"),
    ]
    assert finder.in_context("Ada Zuse", alone, 100, around) == alone
