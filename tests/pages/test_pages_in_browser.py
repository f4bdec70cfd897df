"""Every page passes axe, fits phones and desks in light and dark, and asks nothing of the network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.browsers import browser
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.audit.report.page import to_html
from textveil.detection.detectors import combined
from textveil.detection.page import spans_page
from textveil.frontiers.files import write_frontier
from textveil.frontiers.study import Sizes
from textveil.risk.page import write_page
from textveil.risk.run import risk

pytest.importorskip("matplotlib")
PAGES = ("audit.html", "spans.html", "reference.html", "frontier/index.html")
RISK_PAGES = ("risk.html", "riskiest.html", "risk/risk.html")
RECORDS = [("Anna Kowalczyk", "Leeds", "cats"), ("Omar Haddad", "Ulm", "bees"), ("Mary Jones", "York", "w" * 200)]
reference_page = pytest.importorskip("textveil.server.reference").reference_page


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of each kind, on small inputs."""
    folder = tmp_path_factory.mktemp("pages")
    words = made_vocabulary(30)
    (folder / "audit.html").write_text(to_html(tv.audit(tv.mechanism("gaussian", words, epsilon=4.0, delta=1e-5))))
    text = "Dr. Maria Gonzalez <b>called</b> on 3/4/2024.\n" + "w" * 200
    detector = combined(["embedded"])
    (folder / "spans.html").write_text(spans_page([(text, detector.detect([text])[0])], detector.name))
    fields = {"a field": {"type": "string", "description": "What it says, " + "w" * 200}}
    body = {"content": {"application/json": {"schema": {"properties": fields}}}}
    paths = {"/v1/x": {"post": {"description": "Does.", "requestBody": body, "responses": {"200": body}}}}
    described = {"info": {"title": "API", "version": "1"}, "paths": paths}
    (folder / "reference.html").write_text(reference_page(described))
    sizes = Sizes(draws=50, neighbors=5, pairs=50, texts=20, noisy=10)
    frontier = tv.frontier(["randomized-response", "exponential"], words, epsilons=[1.0, 4.0], sizes=sizes)
    write_frontier(frontier, folder / "frontier")
    people = [f"{name} of {place} keeps <b>{pet}</b>." for name, place, pet in RECORDS]
    (folder / "risk").mkdir()
    write_page(risk(people, people, people[::-1]), folder)
    write_page(risk(people, people, policies=["identifiers"]), folder / "risk")
    return folder


@pytest.mark.parametrize("name", PAGES + RISK_PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_pages_pass_axe_fit_the_width_and_ask_nothing(
    chromium: Any, pages: Path, name: str, width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    page = chromium.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition(":")[0]))
    page.goto((pages / name).as_uri())
    violations = axe.Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in violations] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert asked[0] == "file" and set(asked[1:]) <= {"data"}
    page.close()
