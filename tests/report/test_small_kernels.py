"""The curve of small kernels: what it reads, the line through it, the published figures beside it, and bad recordings."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "report"))
import small_kernels  # noqa: E402
from figure import BadRecording  # noqa: E402

A_US, B_GBPS = 1.25, 5000.0
SIZES = [2**16, 2**20, 2**25]


@pytest.fixture
def recording(tmp_path):
    """Every variant on one line: 1.25 us and 5000 GB/s."""
    rows = []
    for variant in ("separate/stream", "separate/graph", "persistent/stream", "fused/graph"):
        for size in SIZES:
            for aggregate in ("median", None):
                period = 16 * (A_US + size / B_GBPS * 1e-3) * (1 if aggregate else 7)
                rows.append({"name": f"chain/{variant}/throughput/n:{size // 8}/k:16/iterations:9/manual_time",
                             "aggregate_name": aggregate, "period_us": period})
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "chain.json").write_text(json.dumps({"benchmarks": rows}))
    (tmp_path / "study.json").write_text(json.dumps({"gpu": "a GPU"}))
    return tmp_path


def test_medians_a_step_by_bytes(recording):
    data = small_kernels.data_of(recording)
    assert set(data["measured"]) == set(small_kernels.SERIES)
    for points in data["measured"].values():
        assert points == {size: pytest.approx(A_US + size / B_GBPS * 1e-3) for size in SIZES}


def test_the_line_is_the_one_that_the_points_lie_on(recording):
    data = small_kernels.data_of(recording)
    assert small_kernels.line_of(data["measured"]["graph"]) == pytest.approx((A_US, B_GBPS))


def test_published_figures_between_their_sizes():
    known = {100: 10.0, 10000: 1000.0}
    assert small_kernels.between(known, 100) == 10.0
    assert small_kernels.between(known, 1000) == pytest.approx(100.0)
    assert small_kernels.between(known, 20000) == 1000.0
    for points in small_kernels.published().values():
        assert points[65536] > 0 and len(points) > 20


def test_the_table_has_a_row_a_size_and_the_line(recording):
    table = small_kernels.table_of(small_kernels.data_of(recording)).splitlines()
    assert [line.split("|")[1].strip() for line in table[2:]] == ["64 KiB", "1 MiB", "32 MiB", "µs before the first byte",
                                                                  "GB/s after it"]
    assert len({line.count("|") for line in table}) == 1
    assert "| 1.25 |" in table[-2] and "| 5000 |" in table[-1]


def test_same_recording_same_bytes(recording, tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg"):
        assert small_kernels.main([str(recording), str(tmp_path / name)]) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_recording_without_the_rows_says_what_is_missing(recording, tmp_path, capsys):
    file = recording / "bench" / "chain.json"
    content = json.loads(file.read_text())
    content["benchmarks"] = [row for row in content["benchmarks"] if "persistent" not in row["name"]]
    file.write_text(json.dumps(content))
    with pytest.raises(BadRecording, match="persistent/stream"):
        small_kernels.data_of(recording)
    assert small_kernels.main([str(recording), str(tmp_path / "out.svg")]) == 2
    assert "chain.json" in capsys.readouterr().err
    assert not (tmp_path / "out.svg").exists()
