"""The figure: what it shows, that the same recording gives the same bytes, and what it says about bad recordings."""

import json
import math
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "report"))
sys.path.insert(0, str(Path(__file__).parent))
import figure  # noqa: E402
import synthetic_recording  # noqa: E402

RECORDING = ROOT / "tests" / "data" / "recording"


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(RECORDING, tmp_path / "recording")
    return tmp_path / "recording"


def edit(file, change):
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def test_the_shipped_recording_is_what_its_script_writes(tmp_path):
    synthetic_recording.write(tmp_path)
    written = {f.relative_to(tmp_path): f.read_text() for f in tmp_path.rglob("*.json")}
    shipped = {f.relative_to(RECORDING): f.read_text() for f in RECORDING.rglob("*.json")}
    assert written == shipped


def test_parts_add_up_to_the_wall_and_follow_the_split():
    data = figure.data_of(RECORDING, "sum_abs", None, None)
    assert list(data["sizes"]) == ["65536", str(2**28)]
    rows = json.loads((RECORDING / "attribution" / "sum_abs.json").read_text())["rows"]
    walls = {row["name"]: row["wall_us"] for row in rows}
    for n, variants in data["sizes"].items():
        assert list(variants) == list(figure.VARIANTS)
        for variant, parts in variants.items():
            assert math.isclose(sum(parts.values()), walls[f"sum_abs/{variant}/n:{n}"], rel_tol=1e-9)
    large = data["sizes"][str(2**28)]
    assert large["separate/stream"]["busy: round trip"] > 2 * large["separate/stream"]["busy: essential"]
    assert "busy: not split" in data["sizes"]["65536"]["separate/stream"]
    assert "busy: essential" in large["fused/graph"]


def test_same_recording_same_bytes_without_a_date(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg"):
        assert figure.main([str(RECORDING), str(tmp_path / name)]) == 0
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    assert "<dc:date>" not in text
    assert figure.fingerprint(figure.data_of(RECORDING, "sum_abs", None, None)) in text


def test_a_changed_number_changes_the_fingerprint(copy):
    before = figure.fingerprint(figure.data_of(copy, "sum_abs", None, None))
    edit(copy / "attribution" / "sum_abs.json", lambda c: c["rows"][0]["parts"].update(gap_us=9.0))
    assert figure.fingerprint(figure.data_of(copy, "sum_abs", None, None)) != before


def test_withheld_and_absent_rows_say_why_and_negative_parts_stay_negative(copy, tmp_path):
    pytest.importorskip("matplotlib")

    def change(content):
        first = content["rows"][0]
        content["rows"][0] = {"name": first["name"], "withheld": "3 records dropped"}
        content["rows"] = [r for r in content["rows"] if "blocked/graph" not in r["name"]]

    edit(copy / "attribution" / "sum_abs.json", change)
    small = figure.data_of(copy, "sum_abs", None, None)["sizes"]["65536"]
    assert small["separate/stream"] == {"withheld": "3 records dropped"}
    assert small["blocked/graph"] == {"withheld": "not attributed"}
    assert small["fused/graph"]["residual"] < 0
    assert figure.main([str(copy), str(tmp_path / "x.svg")]) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["rows"][0]["parts"].pop("gap_us"), "rows[0] is no row"),
        (lambda c: c["rows"][1]["parts"].update(busy_us=float("nan")), "not a finite number"),
        (lambda c: c.update(rows=[]), "has no rows"),
    ],
)
def test_damage_is_named(copy, tmp_path, capsys, change, message):
    edit(copy / "attribution" / "sum_abs.json", change)
    assert figure.main([str(copy), str(tmp_path / "x.svg")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x.svg").exists()


def test_cut_off_file_and_unknown_size(copy, tmp_path, capsys):
    assert figure.main([str(copy), str(tmp_path / "x.svg"), "--large", "77"]) == 2
    assert "no size n:77; there are: 65536" in capsys.readouterr().err
    (copy / "attribution" / "sum_abs.json").write_text('{"rows": [')
    assert figure.main([str(copy), str(tmp_path / "x.svg")]) == 2
    assert "sum_abs.json:1:" in capsys.readouterr().err
