//! The links of a build, as the compiler wrappers recorded them.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use std::ffi::{OsStr, OsString};

use object::{Object as _, ObjectSection as _};

/// One call of a compiler that linked a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The working directory of the call.
    pub directory: PathBuf,
    pub compiler: PathBuf,
    /// The arguments; paths of objects and static libraries refer to the kept copies, since the originals may be deleted.
    pub arguments: Vec<OsString>,
    pub output: PathBuf,
}

impl Link {
    /// Whether a file is the output of this link or has the same bytes, whatever its name.
    pub fn made(&self, file: &Path) -> bool {
        are_same(&self.output, file)
    }

    /// Whether the linker generates code (link-time optimisation), by an option or by objects that contain no machine code.
    pub fn is_optimised(&self) -> bool {
        let asks = |word: &OsString| {
            let word = word.to_string_lossy();
            word.starts_with("-flto") || word.contains("-plugin-opt=O") || word.contains("-plugin-opt=mcpu")
        };
        let is_off = self.arguments.iter().any(|word| word == "-fno-lto");
        let is_object = |word: &&OsString| has_extension(word, &["o"]);
        let objects = || self.arguments.iter().filter(is_object).map(|word| self.directory.join(word));
        !is_off && (self.arguments.iter().any(asks) || objects().any(|path| is_intermediate(&path)))
    }

    /// Whether it is a shared library.
    fn is_shared(&self) -> bool {
        self.arguments.iter().any(|word| word == "-shared")
    }

    /// The name of the program without the hash that cargo appends.
    pub fn name(&self) -> String {
        let name =
            self.output.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        match name.rsplit_once('-') {
            Some((plain, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                plain.to_owned()
            }
            _ => name,
        }
    }
}

/// Whether two paths are one file or have the same bytes.
fn are_same(one: &Path, other: &Path) -> bool {
    let (Ok(first), Ok(second)) = (fs::metadata(one), fs::metadata(other)) else { return false };
    let same_bytes = || matches!((fs::read(one), fs::read(other)), (Ok(a), Ok(b)) if a == b);
    (first.dev(), first.ino()) == (second.dev(), second.ino())
        || (first.len() == second.len() && same_bytes())
}

/// The links of programs, and the shared libraries, whose output files still exist, if need be elsewhere below the folder of the
/// build; only the last link of each file.
pub(super) fn linked(links: &Path, folder: &Path) -> io::Result<(Vec<Link>, Vec<PathBuf>)> {
    let mut kept: Vec<(std::time::SystemTime, PathBuf, Link)> = Vec::new();
    for entry in fs::read_dir(links)? {
        let folder = entry?.path();
        let words = folder.join("words");
        let written = fs::metadata(&words)?.modified()?;
        let output = folder.join("output");
        kept.extend(read(&folder, &fs::read(&words)?).map(|link| (written, output, link)));
    }
    kept.sort_by_key(|(written, ..)| *written);
    let mut all: Vec<Link> = Vec::new();
    let programs = OnceCell::new();
    for (_, output, mut link) in kept {
        // Links of one temporary name may be moved to different places.
        if !is_of_build_tool(&link) && output.exists() && !are_same(&link.output, &output) {
            let moved = programs.get_or_init(|| programs_below(folder));
            link.output = moved.iter().find(|path| are_same(path, &output)).cloned().unwrap_or(link.output);
        }
        all.retain(|known| known.output != link.output);
        if is_code(&link.output) && !is_of_build_tool(&link) {
            all.push(link);
        }
    }
    let (libraries, programs): (Vec<Link>, Vec<Link>) = all.into_iter().partition(Link::is_shared);
    Ok((programs, libraries.into_iter().map(|link| link.output).collect()))
}

/// All programs and libraries below a folder, except for those of git.
fn programs_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(place) = open.pop() {
        let Ok(entries) = fs::read_dir(&place) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => open.push(path),
                Ok(kind) if kind.is_file() && is_code(&path) => found.push(path),
                _ => {}
            }
        }
    }
    found
}

/// Whether a build tool linked the program for itself: build scripts of cargo, and CMake's trial programs.
fn is_of_build_tool(link: &Link) -> bool {
    let is_trial = link.output.components().any(|part| part.as_os_str() == "CMakeFiles");
    is_trial || link.name().starts_with("build_script_")
}

/// Whether a library may be a procedural macro, which rustc loads: cargo puts these into `deps`.
pub(super) fn is_of_compiler(path: &Path) -> bool {
    path.parent().and_then(Path::file_name) == Some(OsStr::new("deps"))
}

fn read(folder: &Path, words: &[u8]) -> Option<Link> {
    let mut words = words.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()));
    let directory = PathBuf::from(words.next()?);
    let compiler = PathBuf::from(words.next()?);
    let mut arguments: Vec<OsString> = words.collect();
    // Every word ends with a zero byte, so an empty one follows the last.
    arguments.pop();
    for (number, argument) in arguments.iter_mut().enumerate() {
        let Some(extension) = Path::new(argument).extension().and_then(OsStr::to_str) else { continue };
        let kept = folder.join(format!("{}.{extension}", number + 1));
        if kept.exists() {
            *argument = kept.into_os_string();
        }
    }
    let output = directory.join(output(&arguments));
    Some(Link { directory, compiler, arguments, output })
}

/// The argument of `-o`, else `a.out`.
fn output(arguments: &[OsString]) -> PathBuf {
    let at = arguments.iter().position(|word| word == "-o");
    let named = at.and_then(|at| arguments.get(at + 1)).map(PathBuf::from);
    let joined = || {
        let word = arguments.iter().find_map(|word| word.to_str()?.strip_prefix("-o").map(str::to_owned));
        word.filter(|word| !word.is_empty()).map(PathBuf::from)
    };
    named.or_else(joined).unwrap_or_else(|| "a.out".into())
}

/// Whether a path ends with one of these extensions.
pub(super) fn has_extension(word: &OsStr, extensions: &[&str]) -> bool {
    let own = Path::new(word).extension().and_then(OsStr::to_str);
    own.is_some_and(|own| extensions.contains(&own))
}

/// Whether an object contains the intermediate code of a compiler: bitcode of LLVM, or sections of gcc's link-time optimisation.
fn is_intermediate(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| {
        let is_gcc = |file: object::File<'_>| {
            file.sections().any(|section| section.name().is_ok_and(|name| name.starts_with(".gnu.lto_")))
        };
        bytes.starts_with(b"BC\xc0\xde") || object::File::parse(&*bytes).is_ok_and(is_gcc)
    })
}

fn is_code(path: &Path) -> bool {
    let executable = fs::metadata(path).is_ok_and(|data| data.is_file() && data.mode() & 0o111 != 0);
    executable && fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF"))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use super::{Link, is_of_build_tool, output, read};

    fn words(all: &[&str]) -> Vec<OsString> {
        all.iter().map(OsString::from).collect()
    }

    #[test]
    fn the_output_is_named_in_either_form() {
        assert_eq!(output(&words(&["a.o", "-o", "prog"])), Path::new("prog"));
        assert_eq!(output(&words(&["-oprog", "a.o"])), Path::new("prog"));
        assert_eq!(output(&words(&["a.o", "-O2"])), Path::new("a.out"));
    }

    #[test]
    fn words_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("2.o"), "").unwrap();
        std::fs::write(folder.path().join("3.rlib"), "").unwrap();
        let words = b"/src\0/usr/bin/gcc\0a b.c\0gone.o\0/tmp/rustc/libx.rlib\0-o\0out\0";
        let link = read(folder.path(), words).unwrap();
        assert_eq!(link.directory, Path::new("/src"));
        assert_eq!(link.output, Path::new("/src/out"));
        assert_eq!(link.arguments[0], "a b.c");
        assert_eq!(PathBuf::from(&link.arguments[1]), folder.path().join("2.o"));
        assert_eq!(PathBuf::from(&link.arguments[2]), folder.path().join("3.rlib"));
        assert_eq!(link.arguments.len(), 5);
    }

    #[test]
    fn cargo_s_names_are_made_plain() {
        let link = |output: &str| Link {
            directory: "/".into(),
            compiler: "cc".into(),
            arguments: Vec::new(),
            output: output.into(),
        };
        assert_eq!(link("/t/release/deps/my_app-0123456789abcdef").name(), "my_app");
        assert_eq!(link("/t/lua-5.4").name(), "lua-5.4");
        assert!(is_of_build_tool(&link("/t/release/build/x/build_script_build-0123456789abcdef")));
        assert!(is_of_build_tool(&link("/t/build/CMakeFiles/3.25.1/CompilerIdC/a.out")));
        assert!(!is_of_build_tool(&link("/t/build/a.out")));
    }
}
