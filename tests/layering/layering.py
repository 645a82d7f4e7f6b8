"""Fails when an include runs against the layering: core <- pipelines <- {baseline, fused}, core <- graphs,
core <- profiling, all <- study. Usage: layering.py ROOT"""

import re
import sys
from pathlib import Path

# What each layer may include, besides itself.
ALLOWED = {
    "core": set(),
    "pipelines": {"core"},
    "baseline": {"core", "pipelines"},
    "fused": {"core", "pipelines"},
    "graphs": {"core"},
    "profiling": {"core"},
    "study": {"core", "pipelines", "baseline", "fused", "graphs", "profiling"},
}
SUFFIXES = {".hpp", ".h", ".cuh", ".cpp", ".cu", ".inl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def fault(root: Path, file: Path, quote: str, target: str) -> str | None:
    """What is wrong with this include, or None."""
    layer = file.relative_to(root).parts[0]
    if ".." in Path(target).parts:
        return "leaves its folder by '..': write it from the repository's root"
    first = Path(target).parts[0]
    # `cuda/std/...` or `cub/cub.cuh` are no layers; a layer's name is ours only where the file is there.
    if first in ALLOWED and (quote == '"' or (root / target).exists()):
        if first != layer and first not in ALLOWED[layer]:
            return f"{layer} must not include {first}"
        if not (root / target).exists():
            return "there is no such file"
    elif first == "tests":
        return "a layer must not include tests"
    elif quote == '"' and (file.parent / target).exists():
        return f'write it from the repository\'s root: "{layer}/{target}"'
    return None


def violations(root: Path) -> list[str]:
    """One line for each include that breaks the rules, in all layers under root."""
    found = []
    for layer in ALLOWED:
        for file in sorted((root / layer).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                match = INCLUDE.match(line)
                reason = fault(root, file, *match.groups()) if match else None
                if reason:
                    found.append(f"{file.relative_to(root)}:{number}: {line.strip()}: {reason}")
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = violations(Path(arguments[0]).resolve())
    print("\n".join(found) or "every include runs along the layering")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
