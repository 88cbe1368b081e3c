# SPDX-License-Identifier: Apache-2.0
#
# ONNXConfig.cmake insists on Protobuf's own CMake package, which Debian's
# libprotobuf-dev doesn't ship. CMakeLists.txt points Protobuf_DIR here after
# CMake's FindProtobuf module has made the same targets.
set(Protobuf_FOUND TRUE)
