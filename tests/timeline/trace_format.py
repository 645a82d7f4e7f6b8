"""A strict reading of Chrome's Trace Event Format, as far as gvf writes it: what is not known to be right is a fault.

Times are compared in whole ns: a file's µs are rounded, which gives back what was written."""

import json
import math
from collections import defaultdict
from pathlib import Path

# Phase -> keys that must be there, and their types. Booleans are no numbers here.
NUMBER = (int, float)
ON_TRACK = {"ph": str, "name": str, "pid": int, "tid": int}
TIMED = ON_TRACK | {"ts": NUMBER}
PHASES = {
    "X": TIMED | {"cat": str, "dur": NUMBER, "args": dict},
    "M": ON_TRACK | {"args": dict},
    "s": TIMED | {"cat": str, "id": int},
    "f": TIMED | {"cat": str, "id": int, "bp": str},
    "C": TIMED | {"args": dict},
}
OPTIONAL = {"X": {"cname": str}}
METADATA = {"process_name": ("name", str), "thread_name": ("name", str),
            "process_sort_index": ("sort_index", int), "thread_sort_index": ("sort_index", int)}


class NotATrace(Exception):
    pass


def load(path: Path) -> dict:
    """Strict JSON: no NaN, no key twice."""

    def refuse(constant):
        raise NotATrace(f"{path}: {constant} is no JSON")

    def once(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise NotATrace(f"{path}: a key stands twice in one object: {[key for key, _ in pairs]}")
        return dict(pairs)

    return json.loads(path.read_text(), parse_constant=refuse, object_pairs_hook=once)


def ns(us: float) -> int:
    return round(us * 1000)


def events_of(trace: dict, phase: str) -> list[dict]:
    return [event for event in trace["traceEvents"] if event["ph"] == phase]


def slices_of(trace: dict, *categories: str) -> list[dict]:
    return [event for event in events_of(trace, "X") if not categories or event["cat"] in categories]


def span(slice_: dict) -> tuple[int, int]:
    begin = ns(slice_["ts"])
    return begin, begin + ns(slice_["dur"])


def by_track(slices: list[dict]) -> dict[tuple, list[dict]]:
    tracks = defaultdict(list)
    for slice_ in slices:
        tracks[slice_["pid"], slice_["tid"]].append(slice_)
    return tracks


def faults(trace: dict) -> list[str]:
    """All that is wrong with a trace; empty for a good one."""
    found = list(shape_faults(trace))
    if found:
        return found  # the rest reads keys that may be absent
    return [*track_faults(trace), *nesting_faults(trace), *arrow_faults(trace), *part_faults(trace)]


def shape_faults(trace: dict):
    if set(trace) != {"traceEvents", "displayTimeUnit", "otherData"}:
        yield f"keys of the file: {sorted(trace)}"
    if trace.get("displayTimeUnit") != "ns":
        yield f"displayTimeUnit is {trace.get('displayTimeUnit')}"
    for i, event in enumerate(trace.get("traceEvents", [])):
        needed = PHASES.get(event.get("ph"))
        if needed is None:
            yield f"event {i}: unknown phase {event.get('ph')!r}"
            continue
        allowed = needed | OPTIONAL.get(event["ph"], {})
        for key in needed.keys() - event.keys():
            yield f"event {i} ({event['ph']}): no {key}"
        for key, value in event.items():
            if key not in allowed:
                yield f"event {i} ({event['ph']}): unknown key {key}"
            elif not isinstance(value, allowed[key]) or isinstance(value, bool):
                yield f"event {i} ({event['ph']}): {key} is {value!r}"
            elif key in ("ts", "dur", "pid", "tid") and not (math.isfinite(value) and value >= 0):
                yield f"event {i} ({event['ph']}): {key} is {value}"
        if event["ph"] == "f" and event.get("bp") != "e":
            yield f"event {i}: an arrow's head binds to the next slice, not to the enclosing one"
        if event["ph"] == "M":
            key, kind = METADATA.get(event.get("name"), (None, None))
            if key is None or set(event.get("args", {})) != {key} or not isinstance(event["args"][key], kind):
                yield f"event {i}: metadata {event.get('name')!r} with {event.get('args')}"
        if event["ph"] == "C":
            values = list(event.get("args", {}).values())
            if not values or not all(type(value) in NUMBER and math.isfinite(value) for value in values):
                yield f"event {i}: counter with {event.get('args')}"


def track_faults(trace: dict):
    named = defaultdict(list)
    for event in events_of(trace, "M"):
        where = event["pid"] if event["name"].startswith("process") else (event["pid"], event["tid"])
        named[event["name"], where].append(event["args"])
    for (what, where), args in named.items():
        if len(args) > 1:
            yield f"{what} of {where} is given {len(args)} times"
    for track in by_track(slices_of(trace)):
        if ("thread_name", track) not in named:
            yield f"track {track} has no name"
    for event in trace["traceEvents"]:
        if ("process_name", event["pid"]) not in named:
            yield f"process {event['pid']} has no name"
            break


def nesting_faults(trace: dict):
    for track, slices in by_track(slices_of(trace)).items():
        open_slices = []
        for slice_ in sorted(slices, key=lambda s: (span(s)[0], -span(s)[1])):
            begin, end = span(slice_)
            while open_slices and open_slices[-1] <= begin:
                open_slices.pop()
            if open_slices and end > open_slices[-1]:
                late = end - open_slices[-1]
                yield f"track {track}: {slice_['name']!r} at {begin} ns ends {late} ns after what encloses it"
            open_slices.append(end)


def arrow_faults(trace: dict):
    tracks = by_track(slices_of(trace))
    tails, heads = ({}, {})
    for phase, ends in (("s", tails), ("f", heads)):
        for event in events_of(trace, phase):
            key = (event["cat"], event["name"], event["id"])
            if key in ends:
                yield f"arrow {key}: {phase} stands twice"
            ends[key] = event
            at = ns(event["ts"])
            if not any(begin <= at <= end for begin, end in map(span, tracks[event["pid"], event["tid"]])):
                yield f"arrow {key}: {phase} at {at} ns lies in no slice"
    for key in tails.keys() ^ heads.keys():
        yield f"arrow {key} has one end only"
    for key in tails.keys() & heads.keys():
        if heads[key]["ts"] < tails[key]["ts"]:
            yield f"arrow {key} points back in time"


def part_faults(trace: dict):
    """Where there are parts, those of each iteration tile it."""
    parts = sorted(slices_of(trace, "part"), key=span)
    if not parts:
        return
    for i, iteration in enumerate(sorted(slices_of(trace, "iteration"), key=span)):
        reached, end = span(iteration)
        if end - reached != iteration["args"]["wall_ns"]:
            yield f"iteration {i} lasts {end - reached} ns, its wall is {iteration['args']['wall_ns']}"
        for part in (part for part in parts if part["args"]["iteration"] == i):
            begin, part_end = span(part)
            if begin != reached:
                yield f"iteration {i}: {part['name']} begins at {begin} ns, the part before ends at {reached}"
            if part_end - begin != part["args"]["duration_ns"]:
                yield f"iteration {i}: {part['name']} lasts {part_end - begin} ns, not {part['args']['duration_ns']}"
            reached = part_end
        if reached != end:
            yield f"iteration {i}: parts end at {reached} ns, the iteration at {end}"
