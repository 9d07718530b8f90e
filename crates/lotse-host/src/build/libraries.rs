//! Shared libraries that a build made, kept with the builds of a program that uses them.
//!
//! Without them a program would load another library of the same name: the system's, or the one of the user's working tree, the
//! same for all revisions. So a copy lies beside the builds, and each build looks there before it looks anywhere else:
//!
//! ```text
//! app/0/app        DT_RPATH $ORIGIN/../libraries, which the loader searches before LD_LIBRARY_PATH
//! app/libraries/libw.so
//! ```
//!
//! A library may state a search path of its own (DT_RUNPATH), for which the loader ignores the one of the program. Libraries that
//! only other libraries use are therefore linked to the program too: the loader takes what is loaded already.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::elf::{DT_NEEDED, DT_SONAME, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader as _};
use object::{Endianness, FileKind, Object as _, ObjectSymbol as _};

use super::{BuildError, Link};

/// The folder of libraries beside those of the builds.
const FOLDER: &str = "libraries";
/// Where a build searches first.
pub(super) const SEARCH: &str = "-Wl,-rpath,$ORIGIN/../libraries";

/// A program to be linked again, and the libraries that the same build made.
#[derive(Debug)]
pub(super) struct Kept {
    /// The link, with the arguments that make the program find its libraries.
    pub(super) link: Link,
    /// The names of the libraries that the program loads.
    pub(super) used: Vec<String>,
    /// The names of libraries that the program does not load at its start; it may open them later.
    pub(super) opened: Vec<String>,
}

/// Copies the libraries that a program uses, out of those that the build made or that the link names below `root`, into a
/// folder of builds.
pub(super) fn keep(link: &Link, made: &[PathBuf], root: &Path, folder: &Path) -> Result<Kept, BuildError> {
    let program = read(&link.output)?;
    let known = known(link, made, root)?;
    let used = closure(link, &program, &known)?;
    // The linker runs in another folder.
    let place = std::path::absolute(folder.join(FOLDER)).map_err(BuildError::file(folder))?;
    if !used.is_empty() {
        fs::create_dir_all(&place).map_err(BuildError::file(&place))?;
    }
    for name in &used {
        let (from, to) = (&known[name].0, place.join(name));
        fs::copy(from, &to).map_err(BuildError::file(&to))?;
    }
    let indirect: Vec<&String> = used.iter().filter(|name| !program.needed.contains(name)).collect();
    let opened = if program.opens_libraries { opened(made, &known, &used) } else { Vec::new() };
    let link = if used.is_empty() { link.clone() } else { with_search(link, &place, &indirect) };
    Ok(Kept { link, used: used.into_iter().collect(), opened })
}

/// Refuses a build that the loader gives another library than the one of the same name that is kept with it.
pub(super) fn check(program: &Path, used: &[String], folder: &Path) -> Result<(), BuildError> {
    let Some(loader) = read(program)?.loader.filter(|loader| !used.is_empty() && loader.exists()) else {
        return Ok(());
    };
    let start = |source| BuildError::Start { program: loader.display().to_string(), source };
    let output = Command::new(&loader).arg("--list").arg(program).output().map_err(start)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let place = folder.join(FOLDER).canonicalize().map_err(BuildError::file(folder))?;
    for name in used {
        let Some(found) = text.lines().find_map(|line| loaded(line, name)) else { continue };
        let is_own = Path::new(found).canonicalize().is_ok_and(|found| found.starts_with(&place));
        if !is_own {
            return Err(BuildError::OtherLibrary {
                program: program.display().to_string(),
                name: name.clone(),
                found: found.to_owned(),
            });
        }
    }
    Ok(())
}

/// The file of a library in a line of the loader: `libw.so => /usr/lib/libw.so (0x7f12)`.
fn loaded<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let file = line.trim_start().strip_prefix(name)?.strip_prefix(" => ")?;
    Some(file.rsplit_once(" (").map_or(file, |(file, _)| file))
}

/// The libraries by the names that programs have for them: first those that the link names, then the last made.
fn known(
    link: &Link,
    made: &[PathBuf],
    root: &Path,
) -> Result<BTreeMap<String, (PathBuf, Dynamic)>, BuildError> {
    let root = root.canonicalize().map_err(BuildError::file(root))?;
    let own = |path: &PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(&root));
    let named = shared_inputs(link).into_iter().filter(|path| made.contains(path) || own(path));
    let mut known = BTreeMap::new();
    for path in named.chain(made.iter().rev().cloned()) {
        let dynamic = read(&path)?;
        let plain = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = dynamic.name.clone().or(plain) {
            known.entry(name).or_insert((path, dynamic));
        }
    }
    Ok(known)
}

/// The shared libraries that a link names by their paths, or by `-lname` in a folder of `-L`.
fn shared_inputs(link: &Link) -> Vec<PathBuf> {
    let words = || link.arguments.iter().filter_map(|word| word.to_str());
    let is_shared = |word: &&str| {
        let name = Path::new(word).file_name().map_or("", |name| name.to_str().unwrap_or(""));
        !word.starts_with('-') && (name.ends_with(".so") || name.contains(".so."))
    };
    let paths = words().filter(is_shared).map(|word| link.directory.join(word));
    let folders: Vec<&str> = words().filter_map(|word| word.strip_prefix("-L")).collect();
    let files = words().filter_map(|word| word.strip_prefix("-l")).flat_map(|name| {
        let file = move |folder: &&str| link.directory.join(folder).join(format!("lib{name}.so"));
        folders.iter().map(file).find(|file| file.exists())
    });
    paths.chain(files).filter(|path| path.is_file()).collect()
}

/// The names of the known libraries that a program loads, directly or through other libraries.
fn closure(
    link: &Link,
    program: &Dynamic,
    known: &BTreeMap<String, (PathBuf, Dynamic)>,
) -> Result<BTreeSet<String>, BuildError> {
    let mut used = BTreeSet::new();
    let mut open: Vec<&String> = program.needed.iter().collect();
    while let Some(name) = open.pop() {
        let file = name.rsplit('/').next().unwrap_or(name);
        if file != name && known.contains_key(file) {
            return Err(BuildError::LibraryByPath { program: link.name(), library: name.clone() });
        }
        if let Some((_, dynamic)) = known.get(name)
            && used.insert(name.clone())
        {
            open.extend(&dynamic.needed);
        }
    }
    Ok(used)
}

/// The libraries that the build made and that the program does not load; without those that a compiler loads.
fn opened(
    made: &[PathBuf],
    known: &BTreeMap<String, (PathBuf, Dynamic)>,
    used: &BTreeSet<String>,
) -> Vec<String> {
    let is_open = |(name, (path, _)): &(&String, &(PathBuf, Dynamic))| {
        made.contains(path) && !used.contains(*name) && !super::link::is_of_compiler(path)
    };
    known.iter().filter(is_open).map(|(name, _)| name.clone()).collect()
}

/// A link whose program searches its libraries beside the builds. The first path that is given is searched first; `DT_RPATH`
/// instead of `DT_RUNPATH` precedes the user's `LD_LIBRARY_PATH`.
fn with_search(link: &Link, place: &Path, indirect: &[&String]) -> Link {
    let mut arguments = vec![OsString::from(SEARCH)];
    arguments.extend(link.arguments.iter().cloned());
    if !indirect.is_empty() {
        let mut folder = OsString::from("-L");
        folder.push(place);
        arguments.extend([OsString::from("-Wl,--push-state,--no-as-needed"), folder]);
        // A library without a name of its own would be looked for by the path that it is linked by.
        arguments.extend(indirect.iter().map(|name| OsString::from(format!("-l:{name}"))));
        arguments.push("-Wl,--pop-state".into());
    }
    arguments.push("-Wl,--disable-new-dtags".into());
    Link { arguments, ..link.clone() }
}

/// What a program or a library says about shared libraries.
#[derive(Debug, Default)]
struct Dynamic {
    /// The loader that starts a program.
    loader: Option<PathBuf>,
    /// The name under which programs look for a library, if it has one.
    name: Option<String>,
    needed: Vec<String>,
    /// Whether it calls `dlopen`.
    opens_libraries: bool,
}

/// Reads a program or a library; of a file that is neither nothing is known.
fn read(path: &Path) -> Result<Dynamic, BuildError> {
    let bytes = fs::read(path).map_err(BuildError::file(path))?;
    let dynamic = match FileKind::parse(&*bytes) {
        Ok(FileKind::Elf32) => parse::<FileHeader32<Endianness>>(&bytes),
        Ok(FileKind::Elf64) => parse::<FileHeader64<Endianness>>(&bytes),
        _ => return Ok(Dynamic::default()),
    };
    dynamic.map_err(|error| BuildError::file(path)(std::io::Error::other(error)))
}

/// The loader is named by a segment, libraries by the dynamic table, and `dlopen` by the symbols that other libraries define.
fn parse<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> object::Result<Dynamic> {
    let header = Elf::parse(bytes)?;
    let endian = header.endian()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut dynamic = Dynamic::default();
    for segment in header.program_headers(endian, bytes)? {
        if let Some(path) = segment.interpreter(endian, bytes)? {
            dynamic.loader = Some(PathBuf::from(text(path)));
        }
    }
    let table = header.sections(endian, bytes)?.dynamic_table(endian, bytes)?;
    for entry in &table {
        match entry.tag {
            DT_NEEDED => dynamic.needed.push(text(table.string(entry)?)),
            DT_SONAME => dynamic.name = Some(text(table.string(entry)?)),
            _ => {}
        }
    }
    let file = object::File::parse(bytes)?;
    let opens = |symbol: object::Symbol<'_, '_>| {
        symbol.is_undefined() && symbol.name().is_ok_and(|name| ["dlopen", "dlmopen"].contains(&name))
    };
    dynamic.opens_libraries = file.dynamic_symbols().any(opens);
    Ok(dynamic)
}
