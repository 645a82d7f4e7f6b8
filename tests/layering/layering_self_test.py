"""The layering check can fail, for each rule, and lets through what is allowed."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from layering import ALLOWED, main, violations


class Layering(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for layer in ALLOWED:
            (self.root / layer).mkdir()
            (self.root / layer / "there.hpp").write_text("#pragma once\n")

    def include(self, where: str, line: str) -> list[str]:
        (self.root / where).write_text(f"#pragma once\n{line}\n")
        return violations(self.root)

    def test_every_pair_of_layers(self):
        for layer, allowed in ALLOWED.items():
            for other in ALLOWED:
                with self.subTest(layer=layer, other=other):
                    found = self.include(f"{layer}/user.cu", f'#include "{other}/there.hpp"')
                    self.assertEqual(len(found), 0 if other == layer or other in allowed else 1, found)
                    (self.root / layer / "user.cu").unlink()

    def test_rules_of_the_design(self):
        """Spelt out once more, so that an edit of ALLOWED alone does not pass."""
        for layer, other in [
            ("core", "pipelines"), ("core", "study"), ("pipelines", "baseline"), ("pipelines", "fused"),
            ("baseline", "fused"), ("fused", "baseline"), ("graphs", "pipelines"), ("profiling", "pipelines"),
            ("graphs", "profiling"), ("profiling", "graphs"), ("fused", "study"), ("graphs", "fused"),
        ]:
            with self.subTest(layer=layer, other=other):
                found = self.include(f"{layer}/user.hpp", f'#include "{other}/there.hpp"')
                self.assertEqual(len(found), 1)
                self.assertIn(f"{layer}/user.hpp:2", found[0])
                self.assertIn(f"{layer} must not include {other}", found[0])
                (self.root / layer / "user.hpp").unlink()

    def test_ways_around_it(self):
        for line in ["#include <study/there.hpp>", '#  include "study/there.hpp"', '#include "../study/there.hpp"',
                     '#include "there.hpp"', '#include "core/absent.hpp"', '#include "tests/catch.hpp"']:
            with self.subTest(line=line):
                self.assertEqual(len(self.include("core/user.hpp", line)), 1)

    def test_others_are_no_layers(self):
        for line in ["#include <vector>", "#include <cub/cub.cuh>", '#include "generated/gvf_git.hpp"',
                     "#include <fused/absent.hpp>", '// #include "study/there.hpp"']:
            with self.subTest(line=line):
                self.assertEqual(self.include("core/user.hpp", line), [])

    def test_exit_codes(self):
        self.assertEqual(main([str(self.root)]), 0)
        self.include("core/user.hpp", '#include "study/there.hpp"')
        self.assertEqual(main([str(self.root)]), 1)
        self.assertEqual(main([]), 2)


if __name__ == "__main__":
    unittest.main()
