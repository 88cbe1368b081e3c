# SPDX-License-Identifier: Apache-2.0
"""Being here, it lets every test import handmade and conformance."""
