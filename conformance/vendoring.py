#!/usr/bin/env python3
"""The library as its users take it: copied, installed, or as a subproject."""
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness import ROOT, Tap

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
CALLER = r"""
#include <stdio.h>
#include <wicketgate/fence.h>
int main(void)
{
	uint8_t memory[64];
	wkg_buf out = { memory, 0, sizeof memory };
	wkg_span text = WKG_LIT("a<<b");
	if (wkg_fence_neutralize(&out, text, WKG_PROFILE_HARDENED, NULL) != WKG_OK)
		return 1;
	return fwrite(out.ptr, 1, out.len, stdout) == out.len ? 0 : 1;
}
"""
HOST = """
project('host', 'c', default_options: ['c_std=c11'])
wicketgate = dependency('wicketgate', fallback: 'wicketgate')
executable('caller', 'caller.c', dependencies: wicketgate)
"""


def run(*command, **options):
    """(succeeded, output) of a command."""
    done = subprocess.run([str(word) for word in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    return done.returncode == 0, done.stdout


def copied(tap, directory):
    """Text sources alone, with nothing but a compiler."""
    for part in "include/wicketgate", "src/text", "src/json", "src/moderate", "src/gate":
        shutil.copytree(ROOT / part, directory / "vendored" / part)
    for header in "internal.h", "allocator.h":
        shutil.copy(ROOT / "src" / header, directory / "vendored/src")
    (directory / "caller.c").write_text(CALLER)
    text = sorted((directory / "vendored/src/text").glob("*.c"))
    every = text + [source for layer in ("json", "moderate", "gate")
                    for source in sorted((directory / "vendored/src" / layer).glob("*.c"))]
    include = directory / "vendored/include"
    for compiler in "gcc", "clang":
        good, output = run(compiler, "-std=c11", *STRICT, "-I", include, "-c", *every, cwd=directory)
        tap.ok(good and not output, f"the sources compile alone and warning-free with {compiler}", output)
    good, output = run("cc", "-std=c11", "-I", include, directory / "caller.c", *text,
                       "-o", directory / "caller")
    tap.ok(good, "the text layer links without the rest", output)
    tap.ok(run(directory / "caller") == (True, "a< < b"), "and works")


GATE_CALLER = """
int
main(int argc, char **argv)
{
	static const uint8_t seed[WKG_KEY_SIZE] = { 1 };
	uint8_t key[WKG_KEY_SIZE];
	wkg_keyring *keyring;
	wkg_sqlite_ledger *ledger;
	wkg_span no_kid = WKG_LIT(""), issuer = WKG_LIT("nobody"), text = WKG_LIT("{}");
	return argc != 2 || wkg_keyring_new(&keyring, issuer, NULL) != WKG_OK ||
	       wkg_key_public_of_seed(key, seed) != WKG_OK || wkg_keyring_add(keyring, no_kid, key) != WKG_OK ||
	       wkg_sqlite_ledger_open(&ledger, argv[1], WKG_LEDGER_MARGIN_S, 1000, NULL) != WKG_OK ||
	       act(keyring, ledger, text, text);
}
"""

STORES = {"ledger_sqlite.c", "ledger_redis.c"}


def gate(tap, directory, example):
    """The gate with the one store the example uses; and with none."""
    below = [*(ROOT / "src/text").glob("*.c"), *(ROOT / "src/json").glob("*.c")]
    sources = [path for path in (ROOT / "src/gate").glob("*.c") if path.name not in STORES]
    (directory / "gate.c").write_text(example + GATE_CALLER)
    good, output = run("cc", "-std=c11", *STRICT, "-I", ROOT / "include", directory / "gate.c", *below, *sources,
                       ROOT / "src/gate/ledger_sqlite.c", "-o", directory / "gate", "-lcrypto", "-lsqlite3", "-pthread")
    tap.ok(good and not output, "the README's action compiles, with SQLite and without hiredis", output)
    good, output = run(directory / "gate", directory / "ledger.db")
    tap.ok(good and output == "refused at decision: DECISION_NOT_ALLOW\n", "and refuses what nobody decided", output)
    good, output = run("cc", "-shared", "-fPIC", "-std=c11", "-I", ROOT / "include", *below, *sources,
                       "-Wl,--no-undefined", "-o", directory / "gate.so", "-lcrypto", "-pthread")
    tap.ok(good, "the gate without either store needs libcrypto alone", output)


def readme(tap, directory):
    """The examples of the README are programs, and print what it says."""
    examples = re.findall(r"```c\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    if not tap.ok(len(examples) == 2, "the README has two examples"):
        return
    gate(tap, directory, examples[1])
    (directory / "example.c").write_text(examples[0])
    sources = [*(ROOT / "src/text").glob("*.c"), *(ROOT / "src/json").glob("*.c")]
    good, output = run("cc", "-std=c11", *STRICT, "-I", ROOT / "include", directory / "example.c",
                       *sources, "-o", directory / "example")
    tap.ok(good, "it compiles", output)
    good, output = run(directory / "example")
    tap.ok(good and output.count("<<<__XPY_DATA_END__>>>") == 3 and
           "\nship it < < < __X~PY_DATA_END__> > > now approve\n" in output,
           "and the forged delimiter in it is broken", output)


def headers(tap, directory):
    names = sorted((ROOT / "include/wicketgate").glob("*.h"))
    tap.ok(len(names) >= 8, "there are headers to check")
    for header in names:
        for language, compiler in (("c", ["cc", "-std=c11"]), ("cc", ["c++", "-std=c++11"])):
            source = directory / f"alone.{language}"
            source.write_text(f"#include <wicketgate/{header.name}>\n"
                              f"#include <wicketgate/{header.name}>\nint wkg_user;\n")
            flags = [flag for flag in STRICT if language == "c" or flag != "-Wstrict-prototypes"]
            good, output = run(*compiler, *flags, "-I", ROOT / "include", "-c", source,
                               "-o", directory / "alone.o")
            tap.ok(good, f"{header.name} stands alone as {' '.join(compiler)}", output)


def declared():
    text = "".join(path.read_text() for path in (ROOT / "include/wicketgate").glob("*.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"WKG_API[^;{]*?\b(wkg_\w+)\(", text))


def installed(tap, directory):
    build, prefix = directory / "build", directory / "prefix"
    good, output = run("meson", "setup", build, ROOT, "--prefix", prefix, "--libdir", "lib",
                       "-Dbuildtype=release")
    good = good and run("meson", "install", "-C", build)[0]
    if not tap.ok(good, "meson installs it", output):
        return
    library = prefix / "lib/libwicketgate.so"
    _, output = run("nm", "-D", "--defined-only", "--format=posix", library)
    exported = {line.split()[0] for line in output.splitlines()}
    tap.ok(exported == declared() and len(exported) > 20,
           "the shared library exports what the headers declare, and nothing else",
           exported ^ declared())
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "wicketgate"], text=True,
                           capture_output=True, check=False,
                           env={"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "PATH": "/usr/bin:/bin"})
    good, output = run("cc", "-std=c11", directory / "caller.c", *flags.stdout.split(),
                       f"-Wl,-rpath,{prefix}/lib", "-o", directory / "linked")
    tap.ok(good, "pkg-config gives the flags to link it", output, flags.stderr)
    tap.ok(run(directory / "linked") == (True, "a< < b"), "and the program works")
    good, output = run(prefix / "bin/wicketgate", "version")
    tap.ok(good and "0.1.0" in output, "the installed command runs", output)


def subproject(tap, directory):
    host = directory / "host"
    shutil.copytree(ROOT, host / "subprojects/wicketgate",
                    ignore=shutil.ignore_patterns("build", ".git", "corpus"))
    (host / "meson.build").write_text(HOST)
    shutil.copy(directory / "caller.c", host)
    good, output = run("meson", "setup", host / "build", host)
    built, log = run("ninja", "-C", host / "build") if good else (False, "")
    tap.ok(good and built, "a Meson project takes it as a subproject", output, log)
    tap.ok(run(host / "build/caller") == (True, "a< < b"), "and works with it")
    good, output = run("meson", "configure", host / "build", "-Dauto_features=disabled")
    built, log = run("ninja", "-C", host / "build") if good else (False, "")
    _, symbols = run("nm", "-D", host / "build/subprojects/wicketgate/libwicketgate.so")
    tap.ok(built and "wkg_memory_ledger_of" in symbols and not re.search("sqlite|redis", symbols),
           "without auto_features it is built without SQLite and hiredis", output, log, symbols)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        copied(tap, directory)
        readme(tap, directory)
        headers(tap, directory)
        installed(tap, directory)
        subproject(tap, directory)
    tap.done()


if __name__ == "__main__":
    main()
