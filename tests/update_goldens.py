#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rewrites what the golden cases expect from what comes out now.

    tests/update_goldens.py [--binary build/release/bin/onnx_legalize_tests] [PASS[/CASE]]

Review the difference with git before committing it. Exits 1 where a case fails
for another reason than its expectation.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("case", nargs="?", default="", metavar="PASS[/CASE]")
    parser.add_argument(
        "--binary", default=ROOT / "build/release/bin/onnx_legalize_tests"
    )
    args = parser.parse_args()
    pattern = re.sub(r"[^A-Za-z0-9]", "_", args.case)
    env = dict(os.environ, ONNX_LEGALIZE_UPDATE_GOLDENS="1")
    command = [args.binary, f"--gtest_filter=Golden/*/{pattern}*", "--gtest_brief=1"]
    return subprocess.run(command, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
