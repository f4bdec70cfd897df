"""Every page passes axe, fits phones and desks in light and dark, and asks nothing of the network."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.browsers import browser
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.detection.detectors import combined
from textveil.detection.evaluation import spans_page
from textveil.detection.kinds import GROUPS
from textveil.pages.comparison import compared
from textveil.pages.rendering import review_page
from textveil.risk.attack import risk
from textveil.risk.page import write_page
from textveil.sanitize.policy.making import correctable
from textveil.sanitize.policy_report import Attack, MeasuredRisk, SenderReport
from textveil.sanitize.report_pages import report_page, sender_page
from textveil_lab.audit.report.page import to_html
from textveil_lab.frontiers.page import write_frontier
from textveil_lab.frontiers.study import Sizes

pytest.importorskip("matplotlib")
PAGES = (
    "audit.html",
    "spans.html",
    "reference.html",
    "frontier/index.html",
    "filed.html",
    "sender.html",
    "review.html",
)
PRIVATE_PAGES = ("risk.html", "riskiest.html", "risk/risk.html", "sender.html")
RECORDS = [("Anna Kowalczyk", "Leeds", "cats"), ("Omar Haddad", "Ulm", "bees"), ("Mary Jones", "York", "w" * 200)]
reference_page = pytest.importorskip("textveil.server.page").reference_page


FULL = (
    "Mrs. Maria Gonzalez of Acme Corp, Leeds, MRN 4471298: admitted 27/02/2015 at 10:30, aged 44, BP 101/77. Call "
    "020 7946 0321, mail maria@acme.example, see https://acme.example/x or @mariag, 10.1.2.3, paid $1,200; she is a "
    "Catholic teacher; took 20 mg for 3 weeks, 12 tablets; password is hunter2Secret."
)
"""A value of nearly every kind."""

RISK = MeasuredRisk(
    tuple(
        Attack(name, known, 0.14, 0.3, 0.06, 0.27)
        for name in ("tf-idf", "vectors")
        for known in ("originals", "public")
    ),
    {"words": 0.5, "content_words": 0.18},
    0.2,
    "ab" * 32,
)


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
    pieces = compared(text, text.replace("Maria", "Anna"))
    reviewed = review_page([(1, pieces)], correctable("identifiers"), labels="textveil detect", groups=GROUPS)
    (folder / "review.html").write_text(reviewed)
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
    release = tv.Sanitizer("clinical")(FULL)
    (folder / "filed.html").write_text(report_page(replace(release.report(), release_sha256=RISK.release), RISK))
    sender = SenderReport(setting=release.setting, mapped=0, sample=[(FULL + "w" * 200, release.text)])
    (folder / "sender.html").write_text(sender_page(sender))
    return folder


@pytest.mark.parametrize("name", PAGES + PRIVATE_PAGES)
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


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("policy", ["clinical", "all-words"])
def test_the_page_to_file_prints_on_two_sheets(chromium: Any, tmp_path: Path, policy: str, paper: str) -> None:
    (tmp_path / "filed.html").write_text(
        report_page(replace(tv.Sanitizer(policy)(FULL).report(), release_sha256=RISK.release), RISK)
    )
    page = chromium.new_page()
    page.goto((tmp_path / "filed.html").as_uri())
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 2
    page.close()
