//! Programs with the names of compilers that call the real ones, and keep what is needed to link again.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::BuildOptions;
use crate::tools::find as find_tool;

/// Names that builds call compilers by. rustc links by `cc`.
const NAMES: [&str; 6] = ["cc", "gcc", "c++", "g++", "clang", "clang++"];

/// Compilers put every function and every variable into a section of its own, so that a linker can move them.
const SECTIONS: &str = "-ffunction-sections -fdata-sections";

/// The script. Objects are kept as links of the file system, because rustc deletes its own when it is done.
const SCRIPT: &str = r#"#!/bin/sh
# Written by Lotse for one build: calls the compiler, and keeps what is needed to link again.
real='@REAL@'
links=no
for word do
    case $word in
        -c | -S | -E | -M | -MM | -r | -fsyntax-only | -v | --version | -V | -dump* | -print* | --print* | --help*)
            links=never ;;
        -*) ;;
        *) [ $links = never ] || links=yes ;;
    esac
done
if [ $links = yes ]; then
    kept='@LINKS@'/$$
    if mkdir "$kept" 2>/dev/null; then
        printf '%s\0' "$PWD" "$real" "$@" @FLAGS@ > "$kept/words"
        number=0
        for word do
            number=$((number + 1))
            case $word in
                *.o) [ -f "$word" ] && { ln "$word" "$kept/$number.o" 2>/dev/null || cp "$word" "$kept/$number.o"; } ;;
            esac
        done
    fi
fi
exec "$real" @FLAGS@ "$@"
"#;

/// The names, for people.
pub(super) fn names() -> String {
    NAMES.join(", ")
}

/// Where what was linked is kept.
pub(super) fn links(folder: &Path) -> PathBuf {
    folder.join("links")
}

/// Writes the programs into a folder; gives back the variables that make a build use them.
pub(super) fn install(folder: &Path, options: BuildOptions) -> io::Result<Vec<(&'static str, OsString)>> {
    let programs = folder.join("bin");
    fs::create_dir_all(&programs)?;
    fs::create_dir_all(links(folder))?;
    for name in NAMES {
        let Some(real) = find_tool(name) else { continue };
        let path = programs.join(name);
        fs::write(&path, script(&real, &links(folder), options))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    let path = std::env::var_os("PATH").ok_or_else(|| io::Error::other("PATH is not set"))?;
    let all = std::iter::once(programs.clone()).chain(std::env::split_paths(&path));
    let mut variables = vec![("PATH", std::env::join_paths(all).map_err(io::Error::other)?)];
    for (variable, names) in [("CC", &["cc", "gcc", "clang"]), ("CXX", &["c++", "g++", "clang++"])] {
        variables.extend(own_compiler(variable, names, &programs));
    }
    Ok(variables)
}

/// A compiler that the user named by its path is replaced by the program of its name.
fn own_compiler(variable: &'static str, names: &[&str], programs: &Path) -> Option<(&'static str, OsString)> {
    let given = PathBuf::from(std::env::var_os(variable)?);
    let name = given.file_name()?.to_str().filter(|name| names.contains(name))?;
    given.is_absolute().then(|| (variable, programs.join(name).into_os_string()))
}

fn script(real: &Path, links: &Path, options: BuildOptions) -> String {
    let align = options.align.map_or_else(String::new, |bytes| format!(" -falign-functions={bytes}"));
    let quoted = |path: &Path| path.display().to_string().replace('\'', "'\\''");
    SCRIPT
        .replace("@REAL@", &quoted(real))
        .replace("@LINKS@", &quoted(links))
        .replace("@FLAGS@", &format!("{SECTIONS}{align}"))
}
