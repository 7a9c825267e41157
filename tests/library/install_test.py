"""The installed library can be moved, exports only its public symbols, and builds the samples and the program of the documentation."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SPIRA_BUILD"])
PROGRAM, CMAKE, COMPILER = os.environ["SPIRA_PROGRAM"], os.environ["SPIRA_CMAKE"], os.environ["CXX"]
ORACLE = ROOT / "tests" / "fixtures" / "oracle"
COMPONENTS = ("libspira0", "libspira-dev")
STRICT = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SANITIZE = [f"-fsanitize={os.environ['SPIRA_SANITIZE']}"] if os.environ.get("SPIRA_SANITIZE") else []
# Without a GPU, `spira` and the samples run on the CPU, where results always have the same bits.
ENVIRONMENT = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "CXXFLAGS": " ".join(STRICT + SANITIZE)}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def arrays_of(file):
    """Returns the arrays of a .safetensors file: name -> bytes."""
    data = file.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: data[8 + length:][slice(*entry["data_offsets"])] for name, entry in header.items()}


class Installed(unittest.TestCase):
    """Builds the samples against the library in `prefix`, which a subclass sets."""
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)

    def built(self, kind, program):
        """Builds a sample, or all of them, with the shared library or the archive, and returns the folder of the programs."""
        build = self.folder / kind
        run(CMAKE, "-S", ROOT / "samples" / "cpp", "-B", build, "-G", os.environ["SPIRA_GENERATOR"], f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DSPIRA_COMPONENTS={kind}", f"-DCMAKE_CXX_COMPILER={COMPILER}")
        run(CMAKE, "--build", build, "--target", program)
        return build

    def expect_same_outputs(self, program, network, scene, voxel, options):
        """Compares the files of the sample `infer` with the outputs that `spira run` writes."""
        out = self.folder / "out"
        run(program, network, scene, voxel, out, *options)
        file = self.folder / "outputs.safetensors"
        grid = [] if str(scene).endswith(".safetensors") else ["--grid", voxel]
        run(PROGRAM, "run", *(["--voxels", scene] if not grid else [scene, *grid]), "--network", network, *(["--weights", *options] if options else []),
            "--repeat", "1", "--warmup", "0", "--outputs", file)
        arrays = arrays_of(file)
        self.assertGreaterEqual(len(arrays), 2)
        for name, values in arrays.items():
            written = out / name.replace(".points", ".coordinates")
            self.assertEqual(written.read_bytes(), values, f"{network} {name}")
            self.assertGreater(len(values), 0)


class InstalledLibrary(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for component in COMPONENTS:
            run(CMAKE, "--install", BUILD, "--prefix", cls.folder / "first", "--component", component)
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)
        cls.headers = sorted((cls.prefix / "include" / "spira").glob("*.hpp"))

    def test_samples_give_the_outputs_of_the_program(self):
        for kind, program in (("shared", "all"), ("static", "infer")):
            with self.subTest(kind):
                programs = self.built(kind, program)
                self.expect_same_outputs(programs / "infer", "resn21", "street", "0.2", [])
        # A batch, and a network whose last layer is on points.
        for network, voxels in (("second", "second.batch"), ("spvcnn", "spvcnn.capture")):
            fixture = ORACLE / network
            self.expect_same_outputs(programs / "infer", fixture / f"{network}.json", fixture / f"{voxels}.safetensors", "1",
                                     [fixture / f"{network}.safetensors"])
        run(self.folder / "shared" / "tune_layers", ORACLE / "second" / "second.json", ORACLE / "second" / "second.batch.safetensors", "1", "1",
            self.folder / "tuned")
        run(PROGRAM, "validate", *(self.folder / "tuned").glob("*.json"))
        self.assertEqual(len([*(self.folder / "tuned").glob("*.json")]), 3)

    def test_the_first_program_of_the_page_runs(self):
        page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
        program = re.search(r"```cpp\n(.*?)```", page, re.S).group(1)
        self.assertLessEqual(len(program.splitlines()), 20)
        (self.folder / "page.cpp").write_text(program)
        flags = ["-I", self.prefix / "include", "-L", self.prefix / "lib", "-lspira"]
        if shutil.which("pkg-config"):
            ENVIRONMENT["PKG_CONFIG_PATH"] = str(next(self.prefix.glob("lib/**/pkgconfig")))
            flags = run("pkg-config", "--cflags", "--libs", "spira >= 0.1").split()
        library = next(self.prefix.glob("lib/**/libspira.so")).parent
        run(COMPILER, *STRICT, *SANITIZE, self.folder / "page.cpp", "-o", self.folder / "page", *flags, f"-Wl,-rpath,{library}")
        promised = re.search(r"`\./page resn21 street` prints `(.*)`", page).group(1)
        self.assertEqual(run(self.folder / "page", "resn21", "street"), promised + "\n")
        self.assertRegex(promised, r"^\d+ voxels, 128 channels$")

    def test_the_other_programs_of_the_page_compile(self):
        page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
        parts = re.findall(r"```cpp\n(.*?)```", page, re.S)[1:]
        self.assertGreaterEqual(len(parts), 4)
        source = "#include <fstream>\n#include <spira/compiled_runner.hpp>\n#include <spira/profile.hpp>\n#include <spira/runner.hpp>\n"
        for number, part in enumerate(parts):
            source += (f"void part{number}(const spira::Network& network, const spira::Model& model, const spira::Scene& scene, std::int64_t count, "
                       "std::int64_t voxels, std::int64_t points, std::int64_t channels, const spira::Scene& example, const void* gpu_xyz, "
                       "const void* gpu_intensity, void* stream, const std::vector<float>& positions, const std::vector<float>& values) {\n"
                       + "{\n" + part.replace(" = ...", "") + "}\n}\n")  # The inner braces let a part declare variables with the names of parameters.
        (self.folder / "parts.cpp").write_text(source)
        run(COMPILER, "-std=c++20", "-fsyntax-only", "-I", self.prefix / "include", self.folder / "parts.cpp")

    def test_each_header_compiles_alone(self):
        self.assertEqual(len(self.headers), 10)
        compilers = [subprocess.Popen([COMPILER, *STRICT, "-fsyntax-only", "-I", self.prefix / "include", "-include", header, "-x", "c++", "/dev/null"],
                                      stderr=subprocess.PIPE, text=True) for header in self.headers]
        for header, compiler in zip(self.headers, compilers):
            self.assertEqual((header.name, compiler.communicate()[1], compiler.returncode), (header.name, "", 0))

    def test_no_file_names_a_folder_of_the_build_machine(self):
        texts = {file: file.read_text(encoding="utf-8") for pattern in ("*.cmake", "*.pc", "*.hpp") for file in self.prefix.rglob(pattern)}
        self.assertGreater(len(texts), len(self.headers) + 6)
        for file, text in texts.items():
            self.assertNotIn(str(BUILD), text, file.name)
            self.assertNotIn(str(ROOT), text, file.name)
        (package,) = (text for file, text in texts.items() if file.suffix == ".pc")
        self.assertNotRegex(package, r"(?m)(^|[ =]|-[IL])/", "an absolute path")
        self.assertRegex(package, r"(?m)^Libs: -L\$\{libdir\} -lspira$")

    def test_only_the_public_symbols_are_visible(self):
        wanted = re.findall(r"^    (\w+);$", (ROOT / "app" / "library" / "libspira.map").read_text(encoding="utf-8"), re.M)
        self.assertEqual(len(wanted), len(set(wanted)))
        found = run(os.environ["SPIRA_NM"], "-D", "--defined-only", os.environ["SPIRA_LIBRARY_FILE"])
        self.assertEqual(set(re.findall(r"^[0-9a-f]+ \w (.*)$", found, re.M)), set(wanted))

    def test_soname_namespace_and_package_have_the_same_number(self):
        (soname,) = re.findall(r"SONAME.*\[(.*)\]", run("readelf", "-d", os.environ["SPIRA_LIBRARY_FILE"]))
        number = re.fullmatch(r"libspira\.so\.(\d+)", soname).group(1)
        text = (ROOT / "app" / "library" / "libspira.map").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"5spira2v(\d)", text)), {number})
        packages = (ROOT / "cmake" / "SpiraPackage.cmake").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"PACKAGE_NAME libspira(\d+)", packages)), {number})

    def test_another_minor_version_or_component_is_refused(self):
        for request, why in (("0.2", "0.1.0"), ("0.1 COMPONENTS dynamic", "shared and static")):
            source = self.folder / "refused" / request.replace(" ", "_")
            source.mkdir(parents=True)
            (source / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(Refused LANGUAGES NONE)\nfind_package(Spira {request} REQUIRED)\n")
            done = subprocess.run([CMAKE, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr)


class DebianPackages(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        missing = [tool for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file") if shutil.which(tool) is None]
        if missing:
            raise unittest.SkipTest(f"{missing[0]} is missing")
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-D", f"CPACK_COMPONENTS_ALL={';'.join(COMPONENTS)}", "-B", cls.folder / "packages")
        cls.packages = [next((cls.folder / "packages").glob(f"{component}_*.deb")) for component in COMPONENTS]
        for package in cls.packages:
            run("dpkg-deb", "-x", package, cls.folder / "root")
        cls.prefix = cls.folder / "root" / "usr"

    def test_samples_give_the_outputs_of_the_program(self):
        self.expect_same_outputs(self.built("shared", "infer") / "infer", "resn21", "street", "0.2", [])

    def test_packages_depend_on_each_other(self):
        fields = [dict(re.findall(r"^(\S+): (.*)$", run("dpkg-deb", "-f", package), re.M)) for package in self.packages]
        version = fields[0]["Version"]
        self.assertIn(f"libspira0 (= {version})", fields[1]["Depends"].split(", "))
        self.assertIn("zlib1g-dev", fields[1]["Depends"].split(", "))
        self.assertRegex(fields[0]["Depends"], "libstdc.*zlib1g ")
        self.assertEqual(run("dpkg-deb", "-I", self.packages[0], "shlibs").split(), ["libspira", "0", "libspira0", "(>=", f"{version})"])


if __name__ == "__main__":
    unittest.main()
