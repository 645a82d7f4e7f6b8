"""Small kernels again and again: chain's bandwidth by bytes a step, as a stream, as a graph and with grid barriers,
beside what gpu-benches published for the same GPU.

Usage: small_kernels.py RECORDING_DIR OUT.svg [--table]. Reads bench/chain.json and study.json, and
report/published/gpu_benches_h200.csv. The same recording gives the same bytes. --table prints the figures."""

import argparse
import csv
import hashlib
import json
import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from figure import BadRecording, load  # noqa: E402

PUBLISHED = Path(__file__).parent / "published" / "gpu_benches_h200.csv"
# Series of the published file: our variant, what it is called, colour (Okabe and Ito).
SERIES = {
    "stream": ("separate/stream", "a launch a step", "#0072B2"),
    "graph": ("separate/graph", "a graph", "#E69F00"),
    "grid_sync": ("persistent/stream", "one kernel, grid barriers", "#009E73"),
}
ROW = re.compile(r"chain/(?P<variant>\w+/\w+)/throughput/n:(?P<n>\d+)/k:(?P<k>\d+)/iterations:")
STEPS = 16
LARGEST = 33_554_432  # bytes; two buffers of half as much each still fit the L2


def published() -> dict[str, dict[int, float]]:
    """Series -> bytes -> GB/s."""
    lines = [line for line in PUBLISHED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    return {name: {int(row["bytes"]): float(row[name]) for row in rows} for name in SERIES}


def data_of(recording: Path) -> dict:
    """What is shown: the GPU; series -> bytes a step -> microseconds a step, medians of repetitions."""
    file = recording / "bench" / "chain.json"
    names = {variant: name for name, (variant, _, _) in SERIES.items()}
    measured: dict[str, dict[int, float]] = {name: {} for name in SERIES}
    for index, row in enumerate(load(file).get("benchmarks", [])):
        try:
            match = ROW.match(row["name"])
            if not match or row.get("aggregate_name") != "median" or int(match["k"]) != STEPS:
                continue
            size = 8 * int(match["n"])  # a step reads and writes n floats
            if match["variant"] in names and 65536 <= size <= LARGEST:
                measured[names[match["variant"]]][size] = float(row["period_us"]) / STEPS
        except (KeyError, ValueError, TypeError) as error:
            raise BadRecording(f"{file}: benchmarks[{index}] is no row of a benchmark ({error!r})") from error
    for name, points in measured.items():
        if len(points) < 2:
            raise BadRecording(f"{file}: has fewer than two sizes of chain/{SERIES[name][0]} at k:{STEPS}")
    return {"gpu": load(recording / "study.json").get("gpu", "unknown GPU"),
            "measured": {name: dict(sorted(points.items())) for name, points in measured.items()}}


def gbps(size: float, us: float) -> float:
    return size / us * 1e-3


def line_of(points: dict[int, float]) -> tuple[float, float]:
    """(a us, b GB/s) of T = a + bytes / b, bytes -> us a step, by least squares of relative deviations."""
    weights = [(1 / us**2, size, us) for size, us in points.items()]
    w, wx, wy = (sum(f(*p) for p in weights) for f in (lambda v, x, y: v, lambda v, x, y: v * x, lambda v, x, y: v * y))
    wxx, wxy = (sum(f(*p) for p in weights) for f in (lambda v, x, y: v * x * x, lambda v, x, y: v * x * y))
    slope = (w * wxy - wx * wy) / (w * wxx - wx * wx)
    return (wy - slope * wx) / w, 1e-3 / slope


def between(points: dict[int, float], size: float) -> float:
    """The published figure at this size: on a straight line of logarithms between its neighbours."""
    sizes = sorted(points)
    below = max((s for s in sizes if s <= size), default=sizes[0])
    above = min((s for s in sizes if s >= size), default=sizes[-1])
    if below == above:
        return points[below]
    share = math.log(size / below) / math.log(above / below)
    return math.exp((1 - share) * math.log(points[below]) + share * math.log(points[above]))


def size_text(size: int) -> str:
    return f"{size // 1024} KiB" if size < 2**20 else f"{size // 2**20} MiB"


def table_of(data: dict) -> str:
    """Markdown: GB/s at each size beside the published ones, then the line through each series."""
    known = published()
    lines = ["| bytes a step | " + " | ".join(f"{SERIES[name][1]} | published" for name in SERIES) + " |",
             "| ---: |" + " ---: |" * (2 * len(SERIES))]
    for size in sorted(set.intersection(*(set(points) for points in data["measured"].values()))):
        cells = [f"{gbps(size, data['measured'][name][size]):.0f} | {between(known[name], size):.0f}" for name in SERIES]
        lines.append(f"| {size_text(size)} | " + " | ".join(cells) + " |")
    for what, number, decimals in (("µs before the first byte", 0, 2), ("GB/s after it", 1, 0)):
        cells = []
        for name in SERIES:
            theirs = {size: size / rate * 1e-3 for size, rate in known[name].items()}
            cells += [f"{line_of(data['measured'][name])[number]:.{decimals}f}", f"{line_of(theirs)[number]:.{decimals}f}"]
        lines.append(f"| {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def fingerprint(data: dict) -> str:
    """Of everything that is drawn and how: stands in the SVG, so that drift is seen without drawing."""
    code = Path(__file__).read_bytes() + PUBLISHED.read_bytes()
    return hashlib.sha256(code + json.dumps(data, sort_keys=True).encode()).hexdigest()


def draw(data: dict, out: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "gvf", "font.family": "DejaVu Sans", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.6), facecolor="white")
    known = published()
    for name, (variant, words, colour) in SERIES.items():
        points = data["measured"][name]
        axes.plot(list(points), [gbps(size, us) for size, us in points.items()], "o-", color=colour,
                  label=f"chain/{variant}: {words}")
        axes.plot(list(known[name]), list(known[name].values()), "--", color=colour, linewidth=1, alpha=0.8)
    axes.plot([], [], "--", color="#555555", linewidth=1, label="the same by gpu-benches, published")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = sorted(data["measured"]["graph"])
    axes.set_xticks(ticks, [size_text(size) for size in ticks])
    axes.set_xlabel("bytes that a step reads and writes")
    axes.set_ylabel("GB/s")
    axes.set_title(f"Small kernels again and again, {data['gpu']}", fontsize=11)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "gvf report/small_kernels.py",
                                                "Description": f"data {fingerprint(data)}"})
    pyplot.close(figure)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--table", action="store_true", help="print the figures as Markdown")
    chosen = parser.parse_args(arguments)
    try:
        data = data_of(chosen.recording)
        if chosen.table:
            print(table_of(data))
        draw(data, chosen.out)
    except BadRecording as error:
        print(f"small_kernels.py: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"small_kernels.py: {error}: install requirements.txt, or run ./bootstrap", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
