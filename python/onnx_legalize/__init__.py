# SPDX-License-Identifier: Apache-2.0
"""Python tools around onnx-legalize: what runtimes can run, by trying."""
