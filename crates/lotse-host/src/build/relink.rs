//! Repeats a link with sections or objects in another order, or behind padding.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use lotse_model::suite::Varied;

use super::draw::Draw;
use super::link::has_extension;
use super::{BuildError, Link, archive, libraries, padding};
use crate::tools::find_tool;

/// How a layout is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// lld puts functions, constants and variables in random order.
    Sections,
    /// Object files, also those in static libraries, are linked in random order; works with any linker.
    Objects,
    /// Everything is moved by padding of random size; works even for a program of a single object.
    Padding,
}

impl Method {
    /// All methods, the one with the most layouts first.
    pub const ALL: [Self; 3] = [Self::Sections, Self::Objects, Self::Padding];

    /// The name of the method on the command line and in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sections => "sections",
            Self::Objects => "objects",
            Self::Padding => "padding",
        }
    }
}

/// Sections that lld may shuffle. Others must keep their order, such as those of functions that run before `main`.
const SHUFFLED: [(Varied, &str); 4] = [
    (Varied::Functions, ".text*"),
    (Varied::Constants, ".rodata*"),
    (Varied::Data, ".data*"),
    (Varied::Bss, ".bss*"),
];

/// Repeats links with other layouts.
#[derive(Debug, Clone)]
pub struct Relinker {
    /// Arguments that make the compiler use lld; `None` if there is no lld.
    lld: Option<Vec<OsString>>,
    /// Sections to shuffle.
    sections: Vec<&'static str>,
}

impl Relinker {
    /// Uses the lld of this machine, else the one that comes with Rust.
    pub fn new() -> Self {
        let use_lld = || vec![OsString::from("-fuse-ld=lld")];
        let lld = match (find_tool("ld.lld"), rust_lld()) {
            (Some(_), _) => Some(use_lld()),
            (None, Some(folder)) => {
                let mut place = OsString::from("-B");
                place.push(folder);
                Some([use_lld(), vec![place]].concat())
            }
            (None, None) => None,
        };
        Self { lld, sections: SHUFFLED.map(|(_, sections)| sections).into() }
    }

    /// Shuffles only some kinds of sections. If the linker cannot do that, objects are shuffled.
    #[must_use]
    pub fn varying(self, varied: &[Varied]) -> Self {
        let wanted = SHUFFLED.iter().filter(|(kind, _)| varied.contains(kind));
        Self { sections: wanted.map(|(_, sections)| *sections).collect(), ..self }
    }

    /// Whether functions are moved.
    pub(super) fn moves_functions(&self) -> bool {
        let [(_, functions), ..] = SHUFFLED;
        self.sections.is_empty() || self.sections.contains(&functions)
    }

    fn shuffling(&self, lld: &[OsString], link: &Link, seed: u32) -> Vec<OsString> {
        let has_lld = link.arguments.iter().any(|word| word.to_string_lossy().starts_with("-fuse-ld=lld"));
        let lld = lld.iter().filter(|_| !has_lld).cloned();
        // lld takes the seed 0 for a different order in each link.
        let seed = seed.max(1);
        let shuffle = |sections: &str| OsString::from(format!("-Wl,--shuffle-sections={sections}={seed}"));
        lld.chain(self.sections.iter().map(|sections| shuffle(sections))).collect()
    }

    /// The methods to try for a program, the preferred one first. With link-time optimisation the order of objects changes what the
    /// compiler generates, so that it comes last.
    pub(super) fn methods(&self, link: &Link) -> Vec<Method> {
        let [sections, objects, padding] = Method::ALL;
        let [second, third] = if link.is_optimised() { [padding, objects] } else { [objects, padding] };
        let can_shuffle = self.lld.is_some() && !self.sections.is_empty();
        can_shuffle.then_some(sections).into_iter().chain([second, third]).collect()
    }

    /// Links a program into the file `to`, with a layout determined by the seed.
    pub fn link(&self, link: &Link, method: Method, seed: u32, to: &Path) -> Result<(), BuildError> {
        let failed = |message: String| BuildError::Relink { output: link.output.clone(), message };
        let scratch = tempfile::tempdir().map_err(BuildError::file(&std::env::temp_dir()))?;
        // The compiler runs in its original working directory, so the path must be absolute.
        let to = std::path::absolute(to).map_err(BuildError::file(to))?;
        let mut draw = Draw::new(seed);
        let arguments = match method {
            Method::Sections => {
                let lld = self.lld.as_ref().ok_or_else(|| failed(NO_LLD.to_owned()))?;
                [&link.arguments[..], &self.shuffling(lld, link, seed)].concat()
            }
            Method::Objects => {
                let objects = shuffled(&link.arguments, &mut draw);
                let archives = with_archives(&objects, link, &mut draw, scratch.path());
                archives.map_err(|error| failed(error.to_string()))?
            }
            Method::Padding => {
                let words = padding::words(link, seed, scratch.path());
                [words.map_err(|error| failed(error.to_string()))?, link.arguments.clone()].concat()
            }
        };
        let mut line = Command::new(&link.compiler);
        line.args(with_output(&arguments, &to)).args(own_libraries(link)).current_dir(&link.directory);
        let program = link.compiler.display().to_string();
        let output = line.output().map_err(|source| BuildError::Start { program, source })?;
        if output.status.success() && to.exists() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(failed(stderr.lines().take(3).collect::<Vec<_>>().join("; ")))
    }
}

const NO_LLD: &str =
    "there is no lld, neither installed (Debian: apt install lld) nor with Rust; use --method objects";

impl Default for Relinker {
    fn default() -> Self {
        Self::new()
    }
}

/// The folder where Rust keeps its lld under the name that gcc looks for.
fn rust_lld() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "target-libdir"]).output().ok()?;
    let libraries = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let folder = libraries.parent()?.join("bin/gcc-ld");
    folder.join("ld.lld").exists().then_some(folder)
}

/// The arguments with `to` as the output file.
fn with_output(arguments: &[OsString], to: &Path) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("-o") => drop(words.next()),
            Some(text) if text.starts_with("-o") && text.len() > 2 => {}
            _ => kept.push(word.clone()),
        }
    }
    kept.extend([OsString::from("-o"), to.as_os_str().to_owned()]);
    kept
}

/// Additional search paths for libraries that the program looks for relative to itself (`$ORIGIN`), since the new file is in
/// another folder.
fn own_libraries(link: &Link) -> Vec<OsString> {
    let own = link.output.parent().unwrap_or(&link.directory).display().to_string();
    let words = link.arguments.iter().filter_map(|word| word.to_str());
    let relative = words
        .filter(|word| word.contains("$ORIGIN") && word.starts_with("-Wl,") && *word != libraries::SEARCH);
    relative.map(|word| OsString::from(word.replace("$ORIGIN", &own))).collect()
}

/// The arguments with their objects in another order; all other arguments keep their places.
fn shuffled(arguments: &[OsString], draw: &mut Draw) -> Vec<OsString> {
    let is_object = |word: &OsString| has_extension(word, &["o"]);
    let mut objects: Vec<OsString> = arguments.iter().filter(|word| is_object(word)).cloned().collect();
    draw.shuffle(&mut objects);
    let mut next = objects.into_iter();
    let replace =
        |word: &OsString| if is_object(word) { next.next() } else { None }.unwrap_or_else(|| word.clone());
    arguments.iter().map(replace).collect()
}

/// The arguments with static libraries replaced by shuffled copies, which are written into a folder.
fn with_archives(
    arguments: &[OsString],
    link: &Link,
    draw: &mut Draw,
    folder: &Path,
) -> io::Result<Vec<OsString>> {
    let mut words = arguments.to_vec();
    for (number, word) in words.iter_mut().enumerate() {
        let Some(archive) = static_library(link, word) else { continue };
        let to = folder.join(format!("{number}.a"));
        if archive::write_shuffled(&archive, &to, draw)? {
            *word = to.into_os_string();
        }
    }
    Ok(words)
}

/// The static library that an argument refers to: a path, or `-lname` if the first folder of `-L` that has the library has only a
/// static one. Rust's own libraries do not count: copying them takes seconds for each build, and they are not part of the project.
fn static_library(link: &Link, word: &OsString) -> Option<PathBuf> {
    let path = link.directory.join(word);
    if path.to_string_lossy().contains("/lib/rustlib/") {
        return None;
    }
    if has_extension(word, &["a", "rlib"]) && path.is_file() {
        return Some(path);
    }
    let name = word.to_str()?.strip_prefix("-l")?;
    let folders = link.arguments.iter().filter_map(|word| word.to_str()?.strip_prefix("-L"));
    let file = |folder: &str, ending: &str| link.directory.join(folder).join(format!("lib{name}.{ending}"));
    let (shared, plain): (Vec<PathBuf>, Vec<PathBuf>) =
        folders.map(|folder| (file(folder, "so"), file(folder, "a"))).unzip();
    let at = (0..plain.len()).find(|at| shared[*at].is_file() || plain[*at].is_file())?;
    (!shared[at].is_file()).then(|| plain[at].clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsString;
    use std::path::Path;

    use super::super::Link;
    use super::super::draw::Draw;
    use super::{own_libraries, shuffled, static_library, with_output};

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_output_is_replaced() {
        let expected = words("a.o b.o -lm -o new");
        assert_eq!(with_output(&words("a.o -o old b.o -lm"), Path::new("new")), expected);
        assert_eq!(with_output(&words("-oold a.o b.o -lm"), Path::new("new")), expected);
    }

    #[test]
    fn only_objects_change_their_order() {
        let line = words("-O2 a.o -L. b.o c.o d.o -lm");
        let order = |seed: u32| shuffled(&line, &mut Draw::new(seed));
        let orders: BTreeSet<Vec<OsString>> = (1..100).map(order).collect();
        assert!(orders.len() > 15, "{} of 24 orders", orders.len());
        for order in &orders {
            assert!(order[0] == "-O2" && order[2] == "-L." && order[6] == "-lm", "{order:?}");
            let mut sorted = order.clone();
            sorted.sort();
            let mut expected = line.clone();
            expected.sort();
            assert_eq!(sorted, expected);
        }
        assert_eq!(order(7), order(7));
    }

    #[test]
    fn static_libraries_are_found_as_linkers_do() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["one", "two", "none", "lib/rustlib"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in
            ["one/libx.so", "one/libx.a", "two/libx.a", "two/liby-1.2.a", "z.a", "lib/rustlib/libstd.rlib"]
        {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let link = Link {
            directory: folder.path().into(),
            compiler: "cc".into(),
            arguments: words("a.o -Lnone -Lone -Ltwo"),
            output: "app".into(),
        };
        let found = |word: &str| static_library(&link, &word.into());
        assert_eq!(found("z.a"), Some(folder.path().join("z.a")));
        assert_eq!(found("-ly-1.2"), Some(folder.path().join("two/liby-1.2.a")));
        assert_eq!(found("-lx"), None, "the first folder has a shared one");
        assert_eq!(found("-lm"), None);
        assert_eq!(found("gone.a"), None);
        assert_eq!(found("lib/rustlib/libstd.rlib"), None);
    }

    #[test]
    fn libraries_beside_the_program_are_found_from_elsewhere() {
        let link = Link {
            directory: "/src".into(),
            compiler: "cc".into(),
            arguments: words("a.o -Wl,-rpath,$ORIGIN/../lib -lx"),
            output: "/src/bin/app".into(),
        };
        assert_eq!(own_libraries(&link), words("-Wl,-rpath,/src/bin/../lib"));
    }
}
