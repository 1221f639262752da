"""Reads the files that fluid-ffi/tests/c/exports.c leaves with programs that are not ours, and compares each
number with what the library answered, to the last bit: foreign_readers.py FOLDER.

PLY: meshio (all properties) and VTK (points). VTK: VTK and meshio. For .fga and .vf there is no reader that
installs by itself (Unreal and Unity read them): they are read here as the formats are described in public,
independently of vorton_export.h.

- .fga: numbers and commas, as Unreal's importer takes them (VectorFieldFactory.cpp): three integers, six
  floats of the box, and exactly 3 n floats, x fastest
- .vf: https://github.com/peeweek/VectorFieldFile, and Unity's importer (com.unity.visualeffectgraph)
"""
import struct
import sys

import meshio
import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder = sys.argv[1]
COUNTS = (19, 7, 10)
TEXELS = COUNTS[0] * COUNTS[1] * COUNTS[2]
LOW = numpy.array((-1.25, -0.5, -0.625))
SIZE = numpy.array((0.125, 0.25, 0.125))
HIGH = LOW + SIZE * COUNTS


def raw(name, kind="f4"):
    return numpy.fromfile(f"{folder}/{name}.raw", kind)


def same(what, found, expected):
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    assert found.dtype.itemsize >= expected.dtype.itemsize, (what, found.dtype)
    assert numpy.array_equal(found, expected), what


def points_of(name):
    reader = vtk.vtkPLYReader()
    reader.SetFileName(f"{folder}/{name}.ply")
    reader.Update()
    return vtk_to_numpy(reader.GetOutput().GetPoints().GetData())


vortons = raw("vortons", numpy.dtype([("position", "f4", 3), ("strength", "f4", 3), ("volume", "f4"),
                                      ("mass_deviation", "f4"), ("dye", "f4"), ("age", "f4"), ("flags", "u4"),
                                      ("fuel", "f4"), ("id", "u8")]))
assert len(vortons) > 100 and vortons["dye"].max() > 0 and vortons["fuel"].max() > 0 and numpy.unique(vortons["id"]).size == len(vortons)
mesh = meshio.read(f"{folder}/vortons.ply")
same("vortons", mesh.points, vortons["position"])
same("strength", numpy.stack([mesh.point_data[f"strength_{axis}"] for axis in "xyz"], 1), vortons["strength"])
for name in ("volume", "mass_deviation", "dye", "age", "fuel", "flags"):
    same(name, mesh.point_data[name], vortons[name])
same("id", mesh.point_data["vorton_id"] + (mesh.point_data["vorton_id_high"].astype("u8") << numpy.uint64(32)),
     vortons["id"])
assert (mesh.point_data["radius"] > 0).all() and numpy.unique(mesh.point_data["radius"]).size == 1
same("vortons, VTK", points_of("vortons"), vortons["position"])

mesh = meshio.read(f"{folder}/tracers.ply")
positions = raw("tracers_positions").reshape(-1, 3)
same("tracers", mesh.points, positions)
for name, kind in (("age", "f4"), ("value", "f4"), ("tracer_id", "u4"), ("tag", "u4")):
    same(name, mesh.point_data[name], raw(f"tracers_{name.replace('tracer_', '')}", kind))
same("tracers, VTK", points_of("tracers"), positions)

reader = vtk.vtkStructuredPointsReader()
reader.SetFileName(f"{folder}/field.vtk")
reader.ReadAllVectorsOn()
reader.ReadAllScalarsOn()
reader.Update()
image = reader.GetOutput()
assert image.GetDimensions() == COUNTS and image.GetSpacing() == tuple(SIZE), image
assert image.GetOrigin() == tuple(LOW + SIZE / 2), image
data = image.GetPointData()
ARRAYS = ("velocity", "vorticity", "density", "density_deviation", "temperature", "dye")
assert data.GetNumberOfArrays() == len(ARRAYS)
mesh = meshio.read(f"{folder}/field.vtk")
for name in ARRAYS:
    expected = raw(name)
    if name in ("velocity", "vorticity"):
        expected = expected.reshape(-1, 3)
    assert expected.size >= TEXELS and numpy.abs(expected).max() > 0, name
    same(name, vtk_to_numpy(data.GetArray(name)), expected)
    same(f"{name}, meshio", numpy.asarray(mesh.point_data[name]).reshape(expected.shape).astype("f4"), expected)
same("points, meshio", mesh.points[:, 0].astype("f8"), numpy.tile(LOW[0] + SIZE[0] * (numpy.arange(19) + 0.5), 70))

# From here on the readers are this script. Grids [z][y][x][component].
world = raw("velocity").reshape(COUNTS[2], COUNTS[1], COUNTS[0], 3)

text = open(f"{folder}/velocity.fga", encoding="ascii").read()
numbers = text.split(",")
assert len(numbers) == 9 + 3 * TEXELS and numbers[-1].strip() != "", len(numbers)
assert tuple(int(number) for number in numbers[:3]) == COUNTS
box = numpy.array([float(number) for number in numbers[3:9]])
numpy.testing.assert_array_equal(box, 100 * numpy.array((LOW[0], -HIGH[1], LOW[2], HIGH[0], -LOW[1], HIGH[2])))
field = numpy.array([float(number) for number in numbers[9:]], "f4").reshape(world.shape)
same("fga", field, world[:, ::-1] * numpy.array((100, -100, 100), "f4"))

data = open(f"{folder}/velocity.vf", "rb").read()
assert data[:4] == b"VF_V" and struct.unpack("<3H", data[4:10]) == (COUNTS[0], COUNTS[2], COUNTS[1])
assert len(data) == 10 + 12 * TEXELS
field = numpy.frombuffer(data, "<f4", offset=10).reshape(COUNTS[1], COUNTS[2], COUNTS[0], 3)
same("vf", field, world.transpose(1, 0, 2, 3)[..., (0, 2, 1)])
data = open(f"{folder}/dye.vf", "rb").read()
assert data[:4] == b"VF_F" and len(data) == 10 + 4 * TEXELS
same("vf of dye", numpy.frombuffer(data, "<f4", offset=10).reshape(COUNTS[1], COUNTS[2], COUNTS[0]),
     raw("dye").reshape(COUNTS[2], COUNTS[1], COUNTS[0]).transpose(1, 0, 2))

print(f"{len(vortons)} vortons, {len(positions)} tracers and {TEXELS} texels: VTK {vtk.vtkVersion.GetVTKVersion()}, "
      f"meshio {meshio.__version__} and readers of .fga and .vf find the bits of the library")
