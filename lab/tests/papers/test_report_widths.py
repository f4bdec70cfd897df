"""A report in a real browser: at the width of a phone and of a desk nothing but tables and figures scrolls sideways."""

import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil_lab.papers.report import Basis, Item, Paper
from textveil_lab.papers.reproduction import reproduce
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.plots import new_figure
from textveil_lab.tables import Table

pytest.importorskip("matplotlib")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDTHS = (390, 1280)
LONG = "https://example.org/" + "a-very-long-address-without-any-space" * 4


def wide(setting: StudySetting) -> ItemOutcome:
    chart = new_figure(["One", "Two", "Three"], x="x", y="y")
    ways = {f"way {number}": f"{number}.123 (0.001 to 0.002)" for number in range(4)}
    return ItemOutcome(
        tables={"": Table(columns=tuple(f"column {i} {LONG}" for i in range(12)), rows=((LONG, *(1.5,) * 11),))},
        charts={"": chart},
        findings=(f"A finding with {LONG} in it.",),
        comparisons=(Comparison(what=f"loss, {LONG}", paper="1.2", ways=ways, note=LONG),),
        settings={"epsilon": tuple(float(one) for one in range(30)), LONG: LONG},
        judgment=Judgment(reproduced=Reproduced.PARTLY, why=f"Because of {LONG}."),
    )


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_report_is_no_wider_than_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType(__name__)
    module.wide = wide
    monkeypatch.setitem(sys.modules, __name__, module)
    item = Item(name="wide", title=f"Wide {LONG}", basis=Basis.PAPER, about=LONG, target=f"{__name__}:wide")
    study = Paper(name="toy", title="Toy", citation=LONG, sources=LONG, items=(item,), notes=(LONG,))
    setting = StudySetting(vocabularies=(made_vocabulary(20),), origin=LONG)
    reproduce(study, study.items, tmp_path / "out", setting)
    page = (tmp_path / "out/index.html").read_text()
    assert _overflows(page, tmp_path) == [0] * len(WIDTHS)
    broken = page.replace(".wide{overflow-x:auto", ".wide{overflow-x:visible").replace("overflow-wrap:", "x:")
    assert min(_overflows(broken, tmp_path)) > 0, "the mutant lets wide things be wide"


def _overflows(page: str, folder: Path) -> list[int]:
    """Pixels by which the page is wider than each of ``WIDTHS``, all details open."""
    told = (
        "<script>for(const one of document.querySelectorAll('details'))one.open=true;"
        "const root=document.documentElement;parent.postMessage(root.scrollWidth-root.clientWidth,'*')</script>"
    )
    (folder / "page.html").write_text(page.replace("</body>", f"{told}</body>"))
    frames = "".join(f"<iframe src='page.html' width='{width}' height='800'></iframe>" for width in WIDTHS)
    listener = "<title>-</title><script>onmessage=one=>{document.title+=' ['+one.data+']'}</script>"
    (folder / "frames.html").write_text(f"<!doctype html>{listener}{frames}")
    assert CHROMIUM is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=5000"]
    options += [f"--user-data-dir={folder / 'profile'}", "--dump-dom", (folder / "frames.html").as_uri()]
    done = subprocess.run([CHROMIUM, *options], capture_output=True, text=True, timeout=600, check=False)
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    if title is None:
        pytest.skip("Chromium does not start here")
    return [int(one) for one in re.findall(r"\[(\d+)\]", title[1])]
