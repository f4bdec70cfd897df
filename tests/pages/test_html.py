"""Pages hold their figures and files, lose nothing that is seen, and break no markup."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from textveil.pages.html import STYLE, data_address, html_figure, html_table, page_head

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="720.5pt" height="100pt" viewBox="0 0 720.5 100">\n'
    '<path d="M 10.123456 0.98765 L 3 4.5" style="stroke:#0072B2" transform="scale(0.015625)"/>'
    '<text x="1.23456" y="2">it\'s 100 % & <more></text></svg>\n'
)


def held(address: str) -> str:
    head, _, content = address.partition(",")
    return base64.b64decode(content).decode("latin-1") if head.endswith("base64") else unquote(content)


def test_a_figure_is_held_in_hundredths_and_else_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "one.svg"
    path.write_text(SVG, encoding="utf-8")
    address = data_address(path)
    wanted = SVG.replace("10.123456 0.98765", "10.12 0.98").replace('x="1.23456"', 'x="1.23"')
    wanted = " ".join(wanted.split())
    assert held(address) == wanted, "scales keep their digits, or text would change its size"
    assert re.fullmatch(r"data:image/svg\+xml;charset=utf-8,[^'#&\n]*", address), "ends no attribute and no address"


def test_other_files_are_held_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "one.png").write_bytes(bytes(range(256)))
    assert held(data_address(tmp_path / "one.png")) == bytes(range(256)).decode("latin-1")
    (tmp_path / "one.csv").write_text('word,share\n"it\'s, 1.23456",é\n', encoding="utf-8")
    assert not set("'\"<>&#\n") & set(data_address(tmp_path / "one.csv"))
    assert held(data_address(tmp_path / "one.csv")) == 'word,share\n"it\'s, 1.23456",é\n'


def test_a_figure_is_at_least_readable_and_at_most_as_wide_as_the_page(tmp_path: Path) -> None:
    path = tmp_path / "one.svg"
    for points, pixels in ((300, 320), (720.5, 769), (2000, 960)):
        path.write_text(SVG.replace("720.5pt", f"{points}pt"), encoding="utf-8")
        assert f"style='min-width:{pixels}px'" in html_figure(path, "what it shows")
    assert "alt='a &lt;b&gt; &#x27;c&#x27;'" in html_figure(path, "a <b> 'c'")
    (tmp_path / "one.png").write_bytes(b"")
    assert "min-width" not in html_figure(tmp_path / "one.png", "")


@pytest.mark.parametrize("stacked", [False, True])
def test_tables_escape_label_and_lead(stacked: bool) -> None:
    table = html_table(("a<b", "c'd"), [("1 & 2", "<i>")], stacked=stacked, links=["#x'y"])
    assert "<th>a&lt;b</th>" in table and "&lt;i&gt;</td>" in table
    assert "<a href='#x&#x27;y'>1 &amp; 2</a>" in table
    assert ("data-label='c&#x27;d'" in table) is stacked
    assert ("class='stacked'" in table) is stacked


def test_numbers_stay_on_one_line_and_sentences_do_not() -> None:
    assert "class='numbers'" in html_table(("a",), [("x" * 39,)])
    assert "class='prose'" in html_table(("a",), [("x" * 40,)])
    assert ".numbers td{white-space:nowrap}" in STYLE


def test_a_page_fits_narrow_screens() -> None:
    assert "width=device-width" in page_head("a & b") and "<title>a &amp; b</title>" in page_head("a & b")
    assert "@media(max-width:40rem)" in STYLE and ".wide{overflow-x:auto" in STYLE
