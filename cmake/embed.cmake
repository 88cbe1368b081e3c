# SPDX-License-Identifier: Apache-2.0
#
# embed_files(GLOB FUNCTION HEADER OUTPUT): writes OUTPUT, a C++ file that
# defines FUNCTION, declared in HEADER: the files' contents by their names
# without the ending.
function(embed_files glob function header output)
  file(GLOB files CONFIGURE_DEPENDS ${glob})
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "\\.[a-z]+$" "" name ${name})
    # As hexadecimal, since the text may hold anything and be long.
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
    string(LENGTH "${bytes}" length)
    math(EXPR length "${length} / 4")
    string(APPEND entries
           "      {\"${name}\", absl::string_view(\"${bytes}\", ${length})},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${output} CONTENT
"#include \"@header@\"

namespace onnx_legalize {

const std::vector<std::pair<absl::string_view, absl::string_view>>&
@function@() {
  static const auto* const files =
      new std::vector<std::pair<absl::string_view, absl::string_view>>{
@entries@      };
  return *files;
}

}  // namespace onnx_legalize
" @ONLY)
endfunction()
