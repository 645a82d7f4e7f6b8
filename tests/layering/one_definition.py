"""No two headers may define a type of one name in one namespace: two that never meet in a file compile and link, and
the program then destroys the one as if it were the other. Usage: one_definition.py ROOT"""

import re
import sys
from collections import defaultdict
from pathlib import Path

LAYERS = ("core", "pipelines", "baseline", "fused", "graphs", "profiling", "study")
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)\b[^;]*$")


def definitions(text: str) -> list[str]:
    """Qualified names of the types that a header defines at namespace scope, which is not indented here."""
    namespace, found = "", []
    for line in text.splitlines():
        if opened := NAMESPACE.match(line):
            namespace = opened[1]
        elif defined := TYPE.match(line):
            found.append(f"{namespace}::{defined[1]}")
    return found


def duplicates(headers: dict[str, str]) -> list[str]:
    places = defaultdict(list)
    for name, text in headers.items():
        for defined in definitions(text):
            places[defined].append(name)
    return [f"{defined} is defined in {' and in '.join(names)}" for defined, names in places.items() if len(names) > 1]


def self_test() -> None:
    one = "namespace gvf::graphs {\nstruct Built {\n  int x;\n};\nstruct Later;\n}\n"
    other = one.replace("int", "long")
    assert duplicates({"a.hpp": one, "b.hpp": other}) == ["gvf::graphs::Built is defined in a.hpp and in b.hpp"]
    assert not duplicates({"a.hpp": one, "b.hpp": other.replace("gvf::graphs", "gvf::study")})


def main(root: Path) -> int:
    self_test()
    files = [file for layer in LAYERS for ending in ("*.hpp", "*.cuh") for file in sorted((root / layer).rglob(ending))]
    found = duplicates({str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files})
    print("\n".join(found) or f"every type of {len(files)} headers is defined once")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
