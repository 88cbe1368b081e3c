# SPDX-License-Identifier: Apache-2.0
"""What `./dev demo` runs: docTR's MASTER text recognizer, exported by PyTorch's
TorchScript exporter, on an old ONNX Runtime before and after onnx-legalize."""

import lzma
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "examples"
CLI = ROOT / "build/release/bin/onnx-legalize"
# Of these all refuse the original; the first that is installed is used.
OLD_RUNTIMES = ("1.14.1", "1.17.1", "1.8.1")


def old_python():
    """The interpreter of an old ONNX Runtime, or this one if there is none."""
    for version in OLD_RUNTIMES:
        python = ROOT / ".deps/ort" / version / "bin/python"
        if (python.parent.parent / "stamp").exists():
            return python
    print("No old ONNX Runtime could be installed (each needs its own CPython, see "
          "./dev setup): showing the newest,\nwhich runs the original as well.\n")
    return pathlib.Path(sys.executable)


def show(*command):
    """Prints a command as a user would type it, runs it, returns its status."""
    words = [str(word) for word in command]
    shown = [str(pathlib.Path(word).relative_to(ROOT))
             if word.startswith(str(ROOT)) else word for word in words]
    print("$ " + " ".join(shown), flush=True)
    status = subprocess.run(words, cwd=ROOT, check=False).returncode
    print(flush=True)
    return status


def main():
    out = ROOT / "build/demo"
    out.mkdir(parents=True, exist_ok=True)
    model, legal = out / "master_bool.onnx", out / "master_bool.legal.onnx"
    with lzma.open(HERE / "master_bool.ts.onnx.xz") as packed, \
            open(model, "wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    python, data = old_python(), HERE / "master_bool.npz"
    print("1. The model as it was exported, on an old runtime:\n")
    show(python, HERE / "compare.py", model, data)
    print("2. Legalize it:\n")
    legal.unlink(missing_ok=True)
    status = show(CLI, model, legal)
    if status != 0:
        return status
    print("3. The legalized model on the same runtime, and on the newest:\n")
    status = show(python, HERE / "compare.py", legal, data)
    if str(python) != sys.executable:
        status = show(sys.executable, HERE / "compare.py", legal, data) or status
    return status


if __name__ == "__main__":
    sys.exit(main())
