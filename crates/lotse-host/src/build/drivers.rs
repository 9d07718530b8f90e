//! Compiler wrappers: scripts with the names of compilers that call the real ones and keep the inputs of each link.
//!
//! Build tools such as CMake remember the path of the compiler that they found. The scripts therefore stay in place after the
//! build, in a folder whose name is a digest of their contents; without the environment variables that Lotse sets for a build
//! they only call the real compiler.

use std::collections::{BTreeSet, hash_map::DefaultHasher};
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::BuildOptions;
use crate::tools::find_tool;

/// Names of compilers; a target may precede and a version may follow. rustc links with `cc`.
const NAMES: [&str; 6] = ["cc", "gcc", "c++", "g++", "clang", "clang++"];

/// Options that put every function and every variable into a section of its own, so that a linker can move them.
const SECTIONS: &str = "-ffunction-sections -fdata-sections";

/// The wrapper script. It keeps hard links to the objects and archives of a link, because rustc deletes its objects afterwards, and
/// to the output, because a build may move it.
/// Archives on another file system are used in place: rustc's temporary ones are on the same file system, and others are not
/// deleted. Thin archives are used in place because they name their members by relative paths; so are Rust's own libraries.
const SCRIPT: &str = r#"#!/bin/sh
# Written by Lotse: calls the compiler. While `lotse bench build` runs, it also keeps what is needed to link again.
real='@REAL@'
[ -d "$LOTSE_LINKS" ] || exec "$real" "$@"
words() {
    for word do
        if [ "${word#@}" != "$word" ] && [ -f "${word#@}" ]; then
            # Responses have words in quotes, as xargs reads them. What it does not understand stays as it is.
            xargs printf '%s\0' < "${word#@}" > "$kept/response" 2>/dev/null && { cat "$kept/response"; continue; }
        fi
        printf '%s\0' "$word"
    done
}
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
    # Numbers of processes come again in long builds.
    kept=$LOTSE_LINKS/$$
    until mkdir "$kept" 2>/dev/null; do kept=$kept.; done
    words "$PWD" "$real" "$@" $LOTSE_FLAGS > "$kept/words"
    number=-2
    tr '\0\n' '\n\1' < "$kept/words" | while IFS= read -r word; do
        number=$((number + 1))
        case $word in
            *.o) [ -f "$word" ] && { ln -L "$word" "$kept/$number.o" 2>/dev/null || cp "$word" "$kept/$number.o"; } ;;
            */lib/rustlib/*) ;;
            *.a | *.rlib)
                [ -f "$word" ] && IFS= read -r magic < "$word" && [ "$magic" = '!<arch>' ] &&
                    ln -L "$word" "$kept/$number.${word##*.}" 2>/dev/null ;;
        esac
    done
    "$real" $LOTSE_FLAGS "$@" || exit
    output=a.out previous=
    for word do
        case $previous$word in -o?*) output=${word#-o} ;; esac
        previous=
        [ "$word" != -o ] || previous=-o
    done
    [ ! -f "$output" ] || ln -L "$output" "$kept/output" 2>/dev/null || cp "$output" "$kept/output"
    exit 0
fi
exec "$real" $LOTSE_FLAGS "$@"
"#;

/// The names of compilers as one text, for messages.
pub(super) fn names() -> String {
    NAMES.join(", ")
}

/// The folder for the inputs of links.
pub(super) fn links(folder: &Path) -> PathBuf {
    folder.join("links")
}

/// Writes the wrappers. Returns the environment variables that make a build use them.
pub(super) fn install(scratch: &Path, options: &BuildOptions) -> io::Result<Vec<(&'static str, OsString)>> {
    fs::create_dir_all(links(scratch))?;
    let path = std::env::var_os("PATH").ok_or_else(|| io::Error::other("PATH is not set"))?;
    let scripts: Vec<(String, String)> =
        compilers(&path).into_iter().filter_map(|name| Some((script(&find_tool(&name)?), name))).collect();
    // If the user's cache cannot be written, the wrappers are deleted with the build.
    let kept = options.compilers.as_deref().and_then(|base| write(&scripts, base).ok());
    let programs = kept.map_or_else(|| write(&scripts, scratch), Ok)?;
    let all = std::iter::once(programs.clone()).chain(std::env::split_paths(&path));
    let align = options.align.map_or_else(String::new, |bytes| format!(" -falign-functions={bytes}"));
    let mut variables = vec![
        ("PATH", std::env::join_paths(all).map_err(io::Error::other)?),
        ("LOTSE_LINKS", links(scratch).into_os_string()),
        ("LOTSE_FLAGS", OsString::from(format!("{SECTIONS}{align}"))),
    ];
    for variable in ["CC", "CXX"] {
        variables.extend(own_compiler(variable, &programs));
    }
    Ok(variables)
}

/// The names of all compilers in the folders of `PATH`.
fn compilers(path: &OsString) -> BTreeSet<String> {
    // Folders of PATH need not exist.
    let folders = std::env::split_paths(path).filter_map(|folder| fs::read_dir(folder).ok());
    let names = folders.flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| is_compiler(name)).collect()
}

/// Whether a name is that of a compiler, possibly with target and version: `x86_64-linux-gnu-gcc-12`.
fn is_compiler(name: &str) -> bool {
    let is_version =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let plain = match name.rsplit_once('-') {
        Some((plain, version)) if is_version(version) => plain,
        _ => name,
    };
    // A target consists of a machine and a system: `x86_64-linux-gnu`. `ccache-gcc` or `c89-gcc` is something else.
    let (target, last) = plain.rsplit_once('-').unwrap_or(("x-x", plain));
    NAMES.contains(&last) && target.contains('-')
}

/// Writes the scripts into a folder whose name contains their digest. Such a folder is never changed.
fn write(scripts: &[(String, String)], base: &Path) -> io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    scripts.hash(&mut hasher);
    let folder = base.join(format!("compilers-{:016x}", hasher.finish()));
    if folder.exists() {
        return Ok(folder);
    }
    fs::create_dir_all(base)?;
    let partial = tempfile::Builder::new().prefix("partial-").tempdir_in(base)?;
    for (text, name) in scripts {
        let path = partial.path().join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    fs::set_permissions(partial.path(), fs::Permissions::from_mode(0o755))?;
    let partial = partial.keep();
    match fs::rename(&partial, &folder) {
        // Another process of Lotse wrote the same scripts meanwhile.
        Err(_) if folder.exists() => fs::remove_dir_all(&partial)?,
        result => result?,
    }
    Ok(folder)
}

/// The variable `CC` or `CXX` with the path of the wrapper, if the user set it to an absolute path.
fn own_compiler(variable: &'static str, programs: &Path) -> Option<(&'static str, OsString)> {
    let given = PathBuf::from(std::env::var_os(variable)?);
    let own = programs.join(given.file_name()?);
    (given.is_absolute() && own.exists()).then(|| (variable, own.into_os_string()))
}

fn script(real: &Path) -> String {
    SCRIPT.replace("@REAL@", &real.display().to_string().replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::{is_compiler, script, write};

    #[test]
    fn compilers_are_known_by_their_names() {
        for name in ["cc", "g++", "gcc-12", "clang-14", "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-g++-12"] {
            assert!(is_compiler(name), "{name}");
        }
        for name in
            ["gcc-ar", "gcc-ar-12", "c89-gcc", "clang-format", "ccache", "ld", "clang-tidy-14", "cc1", "-12"]
        {
            assert!(!is_compiler(name), "{name}");
        }
    }

    #[test]
    fn programs_are_written_once() {
        let base = tempfile::tempdir().unwrap();
        let scripts = [(script("/usr/bin/it's gcc".as_ref()), "gcc".to_owned())];
        let folder = write(&scripts, base.path()).unwrap();
        let made = std::fs::metadata(folder.join("gcc")).unwrap().modified().unwrap();
        assert_eq!(write(&scripts, base.path()).unwrap(), folder);
        assert_eq!(std::fs::metadata(folder.join("gcc")).unwrap().modified().unwrap(), made);
        let other = [(script("/usr/bin/cc".as_ref()), "gcc".to_owned())];
        assert_ne!(write(&other, base.path()).unwrap(), folder);
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 2, "no partial folder is left");
    }
}
