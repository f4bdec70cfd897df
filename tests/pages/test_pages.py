"""Pages hold their figures and files, lose nothing that is seen, and break no markup."""

import base64
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from textveil.pages.rendering import STYLE, data_address, environment, rendered, whole

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="720.5pt" height="100pt" viewBox="0 0 720.5 100">\n'
    '<path d="M 10.123456 0.98765 L 3 4.5" style="stroke:#0072B2" transform="scale(0.015625)"/>'
    '<text x="1.23456" y="2">it\'s 100 % & <more></text></svg>\n'
)


def part(call: str, **values: Any) -> str:
    return environment().from_string("{% import 'parts.html' as parts %}{{ parts." + call + " }}").render(values)


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
    assert address in part("figure(path, 'it')", path=path)


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
        assert f"style='min-width:{pixels}px'" in part("figure(path, 'it')", path=path)
    assert "alt='a &lt;b&gt; &#39;c&#39;'" in part("figure(path, about)", path=path, about="a <b> 'c'")
    (tmp_path / "one.png").write_bytes(b"")
    assert "min-width" not in part("figure(path, '')", path=tmp_path / "one.png")


@pytest.mark.parametrize("stacked", [False, True])
def test_tables_escape_label_and_lead(stacked: bool) -> None:
    values = {"head": ("a<b", "c'd"), "rows": [("1 & 2", "<i>")], "stacked": stacked, "links": ["#x'y"]}
    table = part("table(head, rows, stacked=stacked, links=links)", **values)
    assert "<th scope='col'>a&lt;b</th>" in table and "&lt;i&gt;</td>" in table
    assert "<a href='#x&#39;y'>1 &amp; 2</a>" in table
    assert ("data-label='c&#39;d'" in table) is stacked
    assert ("class='stacked'" in table) is stacked


def test_numbers_stay_on_one_line_and_sentences_do_not() -> None:
    assert "class='numbers'" in part("table(('a',), rows)", rows=[("x" * 39,)])
    assert "class='prose'" in part("table(('a',), rows)", rows=[("x" * 40,)])
    assert ".numbers td,.number{white-space:nowrap}" in STYLE


def test_numbers_break_at_no_sign_and_only_long_runs_break_anywhere() -> None:
    for word in ("-0.5", "[-0.5,", "1e-05)-DP", "10^-1085.8", "4-DP,"):
        assert whole(word) == f"<span class='number'>{word}</span>"
    assert whole("figure-9 2024-01-05 a<b") == "figure-9 2024-01-05 a&lt;b"
    assert whole(f"{'1' * 25}/{'2' * 5}") == f"<span class='long'>{'1' * 25}</span>/<wbr>22222"


def test_a_page_fits_narrow_screens_and_the_dark() -> None:
    page = rendered("base.html", title="a & b")
    assert "width=device-width" in page and "<title>a &amp; b</title>" in page and "<h1>a &amp; b</h1>" in page
    assert "@media(max-width:40rem)" in STYLE and ".wide{overflow-x:auto" in STYLE
    assert "@media(prefers-color-scheme:dark)" in STYLE


def _contrast(first: str, second: str) -> float:
    def luminance(color: str) -> float:
        digits = color.removeprefix("#")
        digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
        parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
        linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_colors_of_text_are_read_on_both_papers() -> None:
    light = dict(re.findall(r"--(\w+):(#\w+)", STYLE.partition("@media")[0]))
    dark = {**light, **dict(re.findall(r"--(\w+):(#\w+)", STYLE.partition("dark){")[2].partition("}}")[0]))}
    for colors in (light, dark):
        assert min(_contrast(colors[name], colors["paper"]) for name in ("ink", "soft", "link", "c0")) > 4.5
        assert min(_contrast(colors[name], colors["tint"]) for name in ("ink", "soft")) > 4.5
        assert min(_contrast(colors[name], "#fff") for name in ("good", "bad", "mute")) > 4.5
