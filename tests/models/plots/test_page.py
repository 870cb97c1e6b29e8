"""Pages: nothing from elsewhere, a policy that allows only their own script and style, a script that reads."""

import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from models.plots.chart import Axis, Chart, Curve, Mark
from models.plots.page import page
from models.plots.surface import Point, Surface

NODE = shutil.which("node")
STUB = Path(__file__).with_name("document.js")
HOSTILE = "</script><b>here & <i>there"


def chart() -> Chart:
    curve = Curve("roof", ((1.0, 1e-6), (100.0, 1e-4)), "blue")
    return Chart(HOSTILE, Axis(1, 100, "f"), Axis(1e-6, 1e-2, "time", "s"), (curve,), (Mark(10, 1e-3, HOSTILE),))


def surface() -> Surface:
    axes = Axis(1, 10, "x"), Axis(1, 10, "y"), Axis(1, 4, "z", "op/s")
    values = [[1.0, 2.0], [3.0, 4.0]]
    return Surface("bounds", axes, (1.0, 10.0), (1.0, 10.0), values, (Point(1.0, 10.0, 2.0, HOSTILE, "dot"),))


def hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_the_script_and_the_style_of_the_page_and_nothing_else() -> None:
    text = page("a page", [chart(), surface()])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert (len(scripts), len(styles)) == (1, 1)
    assert policy.group(1) == (
        f"default-src 'none'; script-src {hashed(scripts[0])}; style-src {hashed(styles[0])}; base-uri 'none'"
    )
    assert "style=" not in text  # attributes would be refused by it
    assert not re.search(r"\bon\w+=", text)


def test_nothing_comes_from_elsewhere() -> None:
    text = page("a page", [chart(), surface()])
    links = {link for link in re.findall(r"https?://[^\s\"'<)]+", text)}
    assert links == {"http://www.w3.org/2000/svg"}  # a name, not a place
    assert not re.search(r"<(link|img|iframe|script src)", text)


def test_texts_end_no_script_and_make_no_tags() -> None:
    text = page(HOSTILE, [chart(), surface()])
    assert "<b>" not in text
    assert text.count("</script>") == 1 + 1 + 2  # the script, the inks, two figures


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_the_script_reads_values_and_turns(tmp_path: Path) -> None:
    done = subprocess.run(
        [NODE or "", str(STUB)], input=page("p", [chart(), surface()]), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    told = dict(line.split(" = ", 1) for line in done.stdout.splitlines())
    assert told["hint"].startswith("Point at")
    assert told["curve"] == "f 10 · roof 10 us"  # in the middle between 1 us and 100 us
    assert told["mark"].startswith("</script><b>here & <i>there · f 10")
    assert told["outside"] == told["hint"]
    assert int(told["painted"]) > 0
    assert told["turned"] == "true"
    assert told["point"].startswith("</script><b>here")
    assert "z 2 op/s" in told["point"]


def test_the_pictures_stand_below_a_heading_in_the_main_part() -> None:
    text = page("two <pictures>", [chart(), surface()])
    main = re.search(r"<main>(.*)</main>", text, re.DOTALL)
    assert main is not None
    assert main[1].startswith("<h1>two &lt;pictures&gt;</h1>")
    assert main[1].count("<figure>") == text.count("<figure>") == 2
