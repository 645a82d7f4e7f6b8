"""What is shipped under docs/recordings: whole, self-consistent, and silent about whose machine it was made on."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = sorted(path.parent for path in (ROOT / "docs" / "recordings").glob("*/study.json"))


def test_there_is_a_recording():
    assert RECORDINGS


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_parts_and_residual_are_the_wall(recording):
    rows = [row for file in recording.glob("attribution/*.json") for row in json.loads(file.read_text())["rows"]]
    attributed = [row for row in rows if "parts" in row]
    assert attributed
    for row in attributed:
        assert sum(row["parts"].values()) == pytest.approx(row["wall_us"], rel=1e-6), row["name"]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_no_row_is_an_error_and_no_check_failed(recording):
    for file in recording.glob("bench/*.json"):
        errors = [
            row["name"]
            for row in json.loads(file.read_text())["benchmarks"]
            if row.get("error_occurred") and not row["error_message"].startswith("not applicable: ")
        ]
        assert not errors
    checks = json.loads((recording / "check.json").read_text())["rows"]
    assert checks and all(row["verdict"] != "FAIL" for row in checks)


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_it_does_not_say_where_it_ran(recording):
    for file in recording.glob("bench/*.json"):
        context = json.loads(file.read_text())["context"]
        assert context["host_name"] == ""
        assert "/" not in context["executable"]
    for file in recording.glob("*.json"):
        assert "/home/" not in file.read_text() and "/root/" not in file.read_text()


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.name)
def test_no_file_is_large(recording):
    assert all(file.stat().st_size <= 5 << 20 for file in recording.rglob("*"))
