"""Chrome traces, fresh ones and those of shipped recordings, under several readers: a strict reading of the format,
trace-lanefix, and Perfetto's trace processor. GVF_SAMPLE_TIMELINES is the program that writes the fresh ones."""

import copy
import io
import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import perfetto_wasm
import trace_format

ROOT = Path(__file__).resolve().parents[2]
RECORDED = sorted((ROOT / "docs" / "recordings").glob("*/timeline/*.json"))
if "GVF_TIMELINES" in os.environ:  # a folder of others, as `gvf attribute --timeline-dir` writes them
    RECORDED += sorted(Path(os.environ["GVF_TIMELINES"]).glob("*.json"))
WORKS = ("kernel", "memcpy", "memset", "graph")
PARTS = {"launch latency", "gap", "starved", "busy", "completion"}


@pytest.fixture(scope="session")
def samples(tmp_path_factory) -> dict[str, Path]:
    program = Path(os.environ.get("GVF_SAMPLE_TIMELINES", ROOT / "build" / "tests" / "gvf_sample_timelines"))
    if "GVF_SAMPLE_TIMELINES" not in os.environ and not program.exists():
        pytest.skip(f"{program} is not built: cmake --build --preset release")
    folder = tmp_path_factory.mktemp("timelines")
    subprocess.run([program, folder], check=True)
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def per_iteration_ns(trace: dict) -> list[int]:
    sums = Counter()
    for part in trace_format.slices_of(trace, "part"):
        sums[part["args"]["iteration"]] += trace_format.ns(part["dur"])
    return [sums[i] for i in sorted(sums)]


# --- the strict reading ---


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_timelines_keep_to_the_format(path):
    trace = trace_format.load(path)
    assert trace_format.faults(trace) == []
    assert trace_format.slices_of(trace, "iteration") and trace_format.slices_of(trace, *WORKS)


def test_samples_keep_to_the_format(samples):
    assert {"stream", "graph", "stream_pdl", "works_without_calls", "bandwidth"} <= samples.keys()
    found = {name: trace_format.faults(trace_format.load(path)) for name, path in samples.items()}
    assert found == dict.fromkeys(samples, [])


def test_samples_hold_what_went_in(samples):
    for name, path in samples.items():
        trace = trace_format.load(path)
        expected = trace["otherData"]["expected"]
        assert len(trace_format.slices_of(trace, "api")) == expected["calls"], name
        assert len(trace_format.slices_of(trace, *WORKS)) == expected["works"], name
        assert len(trace_format.events_of(trace, "s")) == expected["arrows"], name
        assert len(trace_format.events_of(trace, "C")) == expected["counters"], name
        assert [s["args"]["wall_ns"] for s in trace_format.slices_of(trace, "iteration")] == expected["walls_ns"], name
        assert per_iteration_ns(trace) == (expected["walls_ns"] if expected["parts"] else []), name
        assert {part["name"] for part in trace_format.slices_of(trace, "part")} <= PARTS, name


def first(trace, phase, category=None):
    return next(e for e in trace["traceEvents"] if e["ph"] == phase and category in (None, e.get("cat")))


def stretch(trace, category, us):
    first(trace, "X", category)["dur"] += us


MUTATIONS = {
    "a part 1 ns too long": (lambda t: stretch(t, "part", 0.001), "the part before ends at"),
    "a kernel into the next": (lambda t: stretch(t, "kernel", 3.0), "after what encloses it"),
    "a negative duration": (lambda t: first(t, "X", "kernel").update(dur=-1), "dur is -1"),
    "an arrow without its head": (lambda t: t["traceEvents"].remove(first(t, "f")), "has one end only"),
    "an arrow from nowhere": (lambda t: first(t, "s").update(ts=1e6), "lies in no slice"),
    "an arrow back in time": (lambda t: first(t, "f").update(ts=0.1), "points back in time"),
    "a head that binds to the next slice": (lambda t: first(t, "f").update(bp="n"), "binds to the next slice"),
    "a track without a name": (lambda t: t["traceEvents"].remove(first(t, "M")), "has no name"),
    "a track named twice": (lambda t: t["traceEvents"].append(first(t, "M")), "is given 2 times"),
    "an unknown phase": (lambda t: first(t, "X").update(ph="Q"), "unknown phase"),
    "an unknown key": (lambda t: first(t, "X").update(thread=3), "unknown key thread"),
    "no ts": (lambda t: first(t, "X").pop("ts"), "no ts"),
    "text for a time": (lambda t: first(t, "X").update(ts="1"), "ts is '1'"),
    "a counter of words": (lambda t: first(t, "C").update(args={"GB/s": "fast"}), "counter with"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_strict_reading_finds(samples, name):
    mutate, fault = MUTATIONS[name]
    trace = copy.deepcopy(trace_format.load(samples["bandwidth"]))
    mutate(trace)
    assert any(fault in found for found in trace_format.faults(trace))


def test_the_strict_reading_refuses_what_is_no_json(tmp_path):
    for text in ('{"traceEvents": NaN}', '{"traceEvents": [], "traceEvents": []}'):
        path = tmp_path / "trace.json"
        path.write_text(text)
        with pytest.raises(trace_format.NotATrace):
            trace_format.load(path)


# --- a reader that others wrote ---


def test_trace_lanefix_moves_nothing(samples, tmp_path):
    """trace-lanefix moves slices that Perfetto couldn't nest onto lanes of their own."""
    trace_lanefix = pytest.importorskip("trace_lanefix", reason="pip install -r tests/timeline/requirements.txt")
    fixed = tmp_path / "fixed.json"

    def slices(path):
        found = trace_format.slices_of(json.loads(path.read_text()))
        return sorted((s["pid"], s["tid"], s["ts"], s["dur"], s["name"]) for s in found)

    for name, path in samples.items():
        trace_lanefix.fix_overlaps(str(path), str(fixed), snap_threshold_us=0)
        assert slices(fixed) == slices(path), name

    # It can: the lanes of the overlapping kernels put back on one track.
    trace = trace_format.load(samples["stream_pdl"])
    device = {s["tid"] for s in trace_format.slices_of(trace, "kernel")}
    assert len(device) == 2
    for slice_ in trace_format.slices_of(trace, "kernel"):
        slice_["tid"] = min(device)
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(trace))
    trace_lanefix.fix_overlaps(str(broken), str(fixed), snap_threshold_us=0)
    assert slices(fixed) != slices(broken)


# --- Perfetto ---


class NativeTraceProcessor:
    """The binary named by TRACE_PROCESSOR, through the `perfetto` package."""

    def __init__(self, trace: bytes):
        api = pytest.importorskip("perfetto.trace_processor", reason="pip install -r tests/timeline/requirements.txt")
        config = api.TraceProcessorConfig(bin_path=os.environ["TRACE_PROCESSOR"])
        self._processor = api.TraceProcessor(trace=io.BytesIO(trace), config=config)

    def query(self, sql):
        return list(self._processor.query(sql))


def in_perfetto(path: Path):
    reader = NativeTraceProcessor if "TRACE_PROCESSOR" in os.environ else perfetto_wasm.TraceProcessor
    try:
        return reader(path.read_bytes())
    except perfetto_wasm.Unavailable as reason:
        pytest.skip(f"no Perfetto trace processor here: {reason}")


def complaints(processor) -> dict[str, int]:
    rows = processor.query("select name, value from stats where value > 0 and severity in ('error', 'data_loss')")
    return {row.name: row.value for row in rows}


SLICES = """select slice.name, slice.category, slice.ts, slice.dur, slice.depth,
                   thread.name as track, process.name as process,
                   extract_arg(slice.arg_set_id, 'args.iteration') as iteration
            from slice join thread_track on slice.track_id = thread_track.id
                       join thread using (utid) join process using (upid)"""


def test_perfetto_reads_the_samples(samples):
    for name, path in samples.items():
        trace = trace_format.load(path)
        expected = trace["otherData"]["expected"]
        processor = in_perfetto(path)
        assert complaints(processor) == {}, name

        slices = processor.query(SLICES)
        counts = Counter(row.category for row in slices)
        assert counts["api"] == expected["calls"], name
        assert sum(counts[kind] for kind in WORKS) == expected["works"], name
        assert [row.dur for row in slices if row.category == "iteration"] == expected["walls_ns"], name

        # Every slice at its ns, on its own track, and nothing but calls inside calls is nested.
        read = Counter((row.name, row.ts, row.ts + row.dur) for row in slices)
        assert read == Counter((s["name"], *trace_format.span(s)) for s in trace_format.slices_of(trace)), name
        homes = {"iteration": "iterations", "part": "iterations", "api": "host"} | dict.fromkeys(WORKS, "device")
        assert all(row.process == homes[row.category] for row in slices), name
        assert all(row.depth == 0 for row in slices if row.category != "api"), name
        tracks = {row.track for row in slices if row.process == "iterations"}
        assert tracks == {"iteration", "parts of the iteration"} if expected["parts"] else {"iteration"}, name

        parts = Counter()
        for row in slices:
            if row.category == "part":
                parts[row.iteration] += row.dur
        assert [parts[i] for i in sorted(parts)] == (expected["walls_ns"] if expected["parts"] else []), name

        flows = processor.query(
            """select tail.category as tail, head.category as head
               from flow join slice as tail on tail.id = slice_out join slice as head on head.id = slice_in"""
        )
        assert len(flows) == expected["arrows"], name
        assert all(flow.tail == "api" and flow.head in WORKS for flow in flows), name
        assert processor.query("select count(*) as n from counter")[0].n == expected["counters"], name


def test_perfetto_loses_overlapping_kernels_of_one_track(samples, tmp_path):
    """Why lanes are needed, and that this test would see it."""
    trace = trace_format.load(samples["stream_pdl"])
    for slice_ in trace_format.slices_of(trace, "kernel"):
        slice_["tid"] = slice_["pid"]
    path = tmp_path / "one_lane.json"
    path.write_text(json.dumps(trace))
    processor = in_perfetto(path)
    kernels = [row for row in processor.query(SLICES) if row.category == "kernel" and row.track == "stream 13"]
    assert len(kernels) < trace["otherData"]["expected"]["works"]


def test_perfetto_reads_the_recorded_timelines():
    for path in RECORDED:
        trace = trace_format.load(path)
        processor = in_perfetto(path)
        assert complaints(processor) == {}, path
        assert processor.query("select count(*) as n from slice")[0].n == len(trace_format.slices_of(trace)), path
        assert processor.query("select count(*) as n from flow")[0].n == len(trace_format.events_of(trace, "s")), path
