# SPDX-License-Identifier: Apache-2.0
"""External data through the CLI: it works from the output's place, and reaches
no file outside the model's folder."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import SparseTensorProto, TensorProto, helper

from cli_runner import assert_refused, assert_written, run

COUNT = 64
SIZE = COUNT * 4


def external(name, location, offset=None, length=SIZE, checksum=None):
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[COUNT],
                         data_location=TensorProto.EXTERNAL)
    entries = {"location": location, "offset": offset, "length": length, "checksum": checksum}
    for key, value in entries.items():
        if value is not None:
            tensor.external_data.add(key=key, value=str(value))
    return tensor


def model_of(*tensors):
    """y = x + the sum of all `tensors`."""
    names = [t.name for t in tensors]
    graph = helper.make_graph(
        [helper.make_node("Sum", ["x", *names], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [COUNT])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [COUNT])], initializer=tensors)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def values(seed):
    return np.random.default_rng(seed).standard_normal(COUNT).astype(np.float32)


def run_model(path):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.zeros(COUNT, np.float32)})[0]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path


def save(folder, model, **files):
    """Files are written as name.with.dots=bytes under in/; "/" is "__"."""
    for name, data in files.items():
        path = folder / "in" / name.replace("__", "/").replace("_bin", ".bin")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    path = folder / "in" / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize("flags", [["--passes=none"], []], ids=["no pass", "default"])
@pytest.mark.parametrize("out", ["in/out.onnx", "out.onnx", "other/deep/out.onnx"])
def test_several_files_work_from_the_outputs_place(folder, flags, out):
    a, b, c, d = (values(i) for i in range(4))
    model = model_of(external("a", "shared.bin", 0), external("b", "shared.bin", SIZE),
                     external("c", "sub/c.bin", offset=None, length=None),
                     external("d", "d.bin", 4096, checksum="0" * 40))
    source = save(folder, model, shared_bin=a.tobytes() + b.tobytes(), sub__c_bin=c.tobytes(),
                  d_bin=bytes(4096) + d.tobytes() + b"more")
    (folder / out).parent.mkdir(parents=True, exist_ok=True)
    assert_written(run(source, folder / out, *flags))
    expected = run_model(source)
    np.testing.assert_array_equal(run_model(folder / out), expected)
    np.testing.assert_allclose(expected, a + b + c + d, rtol=1e-5, atol=1e-6)


def test_output_works_without_the_input(folder):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    out = folder / "out" / "m.onnx"
    out.parent.mkdir()
    assert_written(run(source, out))
    for path in (source, source.with_name("a.bin")):
        path.unlink()
    np.testing.assert_array_equal(run_model(out), values(0))


@pytest.mark.parametrize("flags", [["--passes=none"], []], ids=["no pass", "default"])
def test_in_place(folder, flags):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    assert_written(run(source, source, *flags))
    assert source.with_name("a.bin").read_bytes() == values(0).tobytes()
    np.testing.assert_array_equal(run_model(source), values(0))
    assert sorted(p.name for p in source.parent.iterdir()) == ["a.bin", "model.onnx"]


def test_relative_paths(folder):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    (folder / "out").mkdir()
    assert_written(run("model.onnx", "../out/m.onnx", cwd=source.parent))
    np.testing.assert_array_equal(run_model(folder / "out/m.onnx"), values(0))
    assert_written(run("in/model.onnx", "m.onnx", cwd=folder))
    np.testing.assert_array_equal(run_model(folder / "m.onnx"), values(0))


@pytest.mark.parametrize("flags", [["--passes=none"], []], ids=["no pass", "default"])
def test_another_file_at_the_destination_is_not_overwritten(folder, flags):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    out = folder / "out"
    out.mkdir()
    (out / "a.bin").write_bytes(b"precious")
    result = run(source, out / "m.onnx", *flags)
    assert (out / "a.bin").read_bytes() == b"precious"
    if result.returncode == 0:  # Brought along under another name.
        np.testing.assert_array_equal(run_model(out / "m.onnx"), values(0))
    else:
        assert_refused(result, "a.bin")
        assert not (out / "m.onnx").exists()


def test_same_file_at_the_destination_is_used(folder):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    out = folder / "out"
    out.mkdir()
    (out / "a.bin").write_bytes(values(0).tobytes())
    assert_written(run(source, out / "m.onnx", "--passes=none"))
    assert sorted(p.name for p in out.iterdir()) == ["a.bin", "m.onnx"]
    assert (out / "m.onnx").read_bytes() == source.read_bytes()


def test_destination_through_a_symlink_is_the_same_folder(folder):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    (folder / "link").symlink_to(folder / "in")
    assert_written(run(source, folder / "link" / "m.onnx", "--passes=none"))
    assert (folder / "in" / "a.bin").read_bytes() == values(0).tobytes()
    assert not (folder / "in" / "a.bin").is_symlink()
    np.testing.assert_array_equal(run_model(folder / "in" / "m.onnx"), values(0))


def in_places(tensor):
    """The tensor as an initializer, an attribute, in a subgraph, a function."""
    value = TensorProto()
    value.CopyFrom(tensor)
    value.name = ""
    constant = helper.make_node("Constant", [], ["k"], value=value)
    shape = helper.make_tensor_value_info("k", TensorProto.FLOAT, [COUNT])
    branch = helper.make_graph([constant], "b", [], [shape])
    other = helper.make_graph([helper.make_node("Identity", ["x"], ["e"])], "e", [],
                              [helper.make_tensor_value_info("e", TensorProto.FLOAT, [COUNT])])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [COUNT])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [COUNT])
    true = helper.make_tensor("c", TensorProto.BOOL, [], [True])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    nodes = {
        "initializer": [helper.make_node("Add", ["x", tensor.name], ["y"])],
        "attribute": [constant, helper.make_node("Add", ["x", "k"], ["y"])],
        "subgraph": [helper.make_node("If", ["c"], ["s"], then_branch=branch, else_branch=other),
                     helper.make_node("Add", ["x", "s"], ["y"])],
        "function": [helper.make_node("F", ["x"], ["y"], domain="local")],
    }
    function = helper.make_function(
        "local", "F", ["p"], ["q"], [constant, helper.make_node("Add", ["p", "k"], ["q"])],
        [helper.make_opsetid("", 17)])
    for place, body in nodes.items():
        initializers = {"initializer": [tensor], "subgraph": [true]}.get(place, [])
        graph = helper.make_graph(body, "g", [x], [y], initializer=initializers)
        yield place, helper.make_model(
            graph, ir_version=8, opset_imports=imports,
            functions=[function] if place == "function" else [])


PLACES = ["initializer", "attribute", "subgraph", "function"]


@pytest.mark.parametrize("place", PLACES)
def test_wherever_the_tensor_stands(folder, place):
    """Read by onnx, since ONNX Runtime takes external data in initializers only."""
    source = save(folder, dict(in_places(external("a", "a.bin")))[place],
                  a_bin=values(0).tobytes())
    (folder / "out").mkdir()
    assert_written(run(source, folder / "out/m.onnx"))
    source.with_name("a.bin").unlink()
    assert (folder / "out/a.bin").read_bytes() == values(0).tobytes()
    onnx.load(folder / "out/m.onnx")


@pytest.mark.parametrize("place", PLACES)
def test_leaving_the_folder_is_refused_wherever_the_tensor_stands(folder, place):
    source = save(folder, dict(in_places(external("a", "../a.bin")))[place])
    (folder / "a.bin").write_bytes(values(0).tobytes())
    assert_refused(run(source, folder / "out.onnx"), "../a.bin")
    assert not (folder / "out.onnx").exists()


def outside(folder):
    (folder / "secret.bin").write_bytes(values(0).tobytes())
    return folder / "secret.bin"


@pytest.mark.parametrize("location", [
    "../secret.bin", "sub/../../secret.bin", "./../secret.bin", "/ABSOLUTE", "..", ".", "",
    "sub/", "..\\secret.bin/../../secret.bin"])
@pytest.mark.parametrize("flags", [[], ["--passes=none"], ["--allow-external-symlinks"]],
                         ids=["default", "no pass", "symlinks allowed"])
def test_locations_outside_are_refused(folder, location, flags):
    secret = outside(folder)
    (folder / "in" / "sub").mkdir()
    source = save(folder, model_of(external("a", location.replace("/ABSOLUTE", str(secret)))))
    (folder / "out").mkdir()
    assert_refused(run(source, folder / "out/m.onnx", *flags), "external data")
    assert list((folder / "out").iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_symlinks_that_leave_need_a_flag(folder, kind):
    secret = outside(folder)
    if kind == "file":
        (folder / "in/link.bin").symlink_to(secret)
        location = "link.bin"
    else:
        (folder / "in/link").symlink_to(folder)
        location = "link/secret.bin"
    source = save(folder, model_of(external("a", location)))
    (folder / "out").mkdir()
    assert_refused(run(source, folder / "out/m.onnx"), location, "--allow-external-symlinks")
    assert list((folder / "out").iterdir()) == []
    assert_written(run(source, folder / "out/m.onnx", "--allow-external-symlinks"))
    np.testing.assert_array_equal(run_model(folder / "out/m.onnx"), values(0))


def test_symlinks_that_stay_are_fine(folder):
    source = save(folder, model_of(external("a", "link.bin")), blob_bin=values(0).tobytes())
    (folder / "in/link.bin").symlink_to("blob.bin")
    (folder / "out").mkdir()
    assert_written(run(source, folder / "out/m.onnx"))
    (folder / "in/blob.bin").unlink()
    np.testing.assert_array_equal(run_model(folder / "out/m.onnx"), values(0))


def test_a_cache_made_of_symlinks(folder):
    """As model hubs lay it out: snapshots/model.onnx -> ../blobs/HASH."""
    blobs, snapshot = folder / "blobs", folder / "snapshots"
    blobs.mkdir()
    snapshot.mkdir()
    (blobs / "m").write_bytes(model_of(external("a", "a.bin")).SerializeToString())
    (blobs / "d").write_bytes(values(0).tobytes())
    (snapshot / "model.onnx").symlink_to("../blobs/m")
    (snapshot / "a.bin").symlink_to("../blobs/d")
    (folder / "out").mkdir()
    out = folder / "out/m.onnx"
    assert_refused(run(snapshot / "model.onnx", out), "--allow-external-symlinks")
    assert_written(run(snapshot / "model.onnx", out, "--allow-external-symlinks"))
    assert not (folder / "out/a.bin").is_symlink()
    np.testing.assert_array_equal(run_model(out), values(0))


@pytest.mark.parametrize("flags", [[], ["--passes=none"]], ids=["default", "no pass"])
@pytest.mark.parametrize("offset,length", [
    (4, SIZE), (0, SIZE + 4), (SIZE + 1, None), (2**63 - 1, SIZE), (-1, SIZE), (0, -1),
    ("x", SIZE), (0, "1e3"), (2**64, SIZE), (2**64 - 1, SIZE), (4, None)])
def test_ranges_that_cannot_be(folder, flags, offset, length):
    source = save(folder, model_of(external("a", "a.bin", offset, length)),
                  a_bin=values(0).tobytes())
    out = folder / "out.onnx"
    assert_refused(run(source, out, *flags), "tensor 'a'")
    assert not out.exists()


def test_missing_file(folder):
    source = save(folder, model_of(external("a", "gone.bin")))
    assert_refused(run(source, folder / "out.onnx"), "gone.bin")
    assert not (folder / "out.onnx").exists()


def test_missing_location(folder):
    model = model_of(external("a", None))
    assert_refused(run(save(folder, model), folder / "out.onnx"), "location")


def test_folder_and_device_as_data(folder):
    (folder / "in/dir.bin").mkdir()
    source = save(folder, model_of(external("a", "dir.bin")))
    assert_refused(run(source, folder / "out.onnx"), "dir.bin")
    (folder / "in/dir.bin").rmdir()
    (folder / "in/dir.bin").symlink_to("/dev/zero")
    assert_refused(run(source, folder / "out.onnx", "--allow-external-symlinks"), "dir.bin")


def test_from_stdin_it_is_refused(folder):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    result = run("-", folder / "in/out.onnx", input=source.read_bytes(), cwd=source.parent)
    assert_refused(result, "external", "a.bin")
    assert not (folder / "in/out.onnx").exists()


def test_to_stdout_nothing_is_brought_along(folder):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    result = run(source, "-", "-q", "--passes=none", cwd=folder)
    assert_written(result)
    assert result.stdout == source.read_bytes()
    assert not (folder / "a.bin").exists()


def test_the_model_does_not_replace_its_own_weights(folder):
    source = save(folder, model_of(external("a", "a.bin")), a_bin=values(0).tobytes())
    assert_refused(run(source, source.with_name("a.bin")), "a.bin")
    assert source.with_name("a.bin").read_bytes() == values(0).tobytes()
    (folder / "out").mkdir()
    assert_written(run(source, folder / "out/a.bin"))
    np.testing.assert_array_equal(run_model(folder / "out/a.bin"), values(0))


def test_a_second_location_is_refused(folder):
    """onnx and ONNX Runtime follow the last one."""
    secret = outside(folder)
    tensor = external("a", "a.bin")
    tensor.external_data.add(key="location", value=str(secret))
    source = save(folder, model_of(tensor), a_bin=values(0).tobytes())
    assert_refused(run(source, folder / "out.onnx"), "'location' twice")


def sparse(location):
    result = SparseTensorProto(dims=[COUNT])
    result.values.CopyFrom(external("s", "a.bin"))
    result.indices.CopyFrom(helper.make_tensor("", TensorProto.INT64, [COUNT], range(COUNT)))
    result.values.external_data[0].value = location
    return result


def kept_as_bytes(location):
    """External data in what is never rewritten: sparse tensors and training info."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [COUNT])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [COUNT])
    imports = [helper.make_opsetid("", 17)]
    neg = helper.make_node("Neg", ["x"], ["y"])
    yield "sparse initializer", helper.make_model(helper.make_graph(
        [helper.make_node("Add", ["x", "s"], ["y"])], "g", [x], [y],
        sparse_initializer=[sparse(location)]), ir_version=8, opset_imports=imports)
    yield "sparse attribute", helper.make_model(helper.make_graph(
        [helper.make_node("Constant", [], ["k"], sparse_value=sparse(location)),
         helper.make_node("Add", ["x", "k"], ["y"])], "g", [x], [y]),
        ir_version=8, opset_imports=imports)
    indices = sparse("a.bin")
    indices.indices.CopyFrom(external("", location, length=None))
    indices.indices.data_type = TensorProto.INT32
    yield "sparse indices", helper.make_model(helper.make_graph(
        [helper.make_node("Add", ["x", "s"], ["y"])], "g", [x], [y],
        sparse_initializer=[indices]), ir_version=8, opset_imports=imports)
    training = helper.make_model(helper.make_graph([neg], "g", [x], [y]),
                                 ir_version=8, opset_imports=imports)
    training.training_info.add().algorithm.CopyFrom(helper.make_graph(
        [helper.make_node("Constant", [], ["k"], value=external("", location))], "step", [], []))
    yield "training info", training


@pytest.mark.parametrize("place", [place for place, _ in kept_as_bytes("")])
def test_what_is_kept_as_bytes(folder, place):
    secret = outside(folder)
    source = save(folder, dict(kept_as_bytes(f"../{secret.name}"))[place],
                  a_bin=values(0).tobytes())
    assert_refused(run(source, folder / "out.onnx"), "../secret.bin")
    source = save(folder, dict(kept_as_bytes("a.bin"))[place])
    (folder / "out").mkdir()
    assert_written(run(source, folder / "out/m.onnx"))
    assert (folder / "out/a.bin").read_bytes() == values(0).tobytes()
    (folder / "out/a.bin").write_bytes(b"precious")
    assert_refused(run(source, folder / "out/m.onnx"), "out/a.bin")
    assert (folder / "out/a.bin").read_bytes() == b"precious"
