//! Linking again, with sections or objects in another order.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use lotse_model::suite::Varied;

use super::{BuildError, Link};
use crate::tools::find as find_tool;

/// How a layout is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// lld puts functions, constants and variables in random order.
    Sections,
    /// The object files come in random order; for linkers that cannot do more.
    Objects,
}

impl Method {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sections => "sections",
            Self::Objects => "objects",
        }
    }
}

/// Sections that lld may put in any order. Not all of them: the order of those that run before `main` has a meaning.
const SHUFFLED: [(Varied, &str); 4] = [
    (Varied::Functions, ".text*"),
    (Varied::Constants, ".rodata*"),
    (Varied::Data, ".data*"),
    (Varied::Bss, ".bss*"),
];

/// Links programs again.
#[derive(Debug, Clone)]
pub struct Relinker {
    /// How the compiler is told to use lld; nothing where there is none.
    lld: Option<Vec<OsString>>,
    /// Sections to put in another order.
    sections: Vec<&'static str>,
}

impl Relinker {
    /// With the lld of this machine, or the one that comes with Rust.
    pub fn new() -> Self {
        let use_it = || vec![OsString::from("-fuse-ld=lld")];
        let lld = match (find_tool("ld.lld"), rust_lld()) {
            (Some(_), _) => Some(use_it()),
            (None, Some(folder)) => {
                let mut place = OsString::from("-B");
                place.push(folder);
                Some([use_it(), vec![place]].concat())
            }
            (None, None) => None,
        };
        Self { lld, sections: SHUFFLED.map(|(_, sections)| sections).into() }
    }

    /// With only some things in another order; where the linker cannot do that, the objects are.
    #[must_use]
    pub fn varying(self, varied: &[Varied]) -> Self {
        let wanted = SHUFFLED.iter().filter(|(kind, _)| varied.contains(kind));
        Self { sections: wanted.map(|(_, sections)| *sections).collect(), ..self }
    }

    /// The strongest method that works for a program: it is tried.
    pub fn method(&self, link: &Link, scratch: &Path) -> Result<Method, BuildError> {
        let trial = scratch.join("trial");
        if self.lld.is_some()
            && !self.sections.is_empty()
            && self.link(link, Method::Sections, 1, &trial).is_ok()
        {
            return Ok(Method::Sections);
        }
        self.link(link, Method::Objects, 1, &trial).map(|()| Method::Objects)
    }

    /// Links a program into another file, in an order that the seed decides.
    pub fn link(&self, link: &Link, method: Method, seed: u32, to: &Path) -> Result<(), BuildError> {
        let arguments = match method {
            Method::Sections => [&link.arguments[..], &self.shuffling(link, seed)].concat(),
            Method::Objects => shuffled(&link.arguments, seed),
        };
        let mut line = Command::new(&link.compiler);
        line.args(into(&arguments, to)).current_dir(&link.directory);
        let program = link.compiler.display().to_string();
        let output = line.output().map_err(|source| BuildError::Start { program, source })?;
        if output.status.success() && to.exists() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let message = said.lines().take(3).collect::<Vec<_>>().join("; ");
        Err(BuildError::Relink { output: link.output.clone(), message })
    }

    fn shuffling(&self, link: &Link, seed: u32) -> Vec<OsString> {
        let has_lld = link.arguments.iter().any(|word| word.to_string_lossy().starts_with("-fuse-ld=lld"));
        let lld = self.lld.iter().flatten().filter(|_| !has_lld).cloned();
        // 0 would mean another order each time.
        let seed = seed.max(1);
        let shuffle = |sections: &str| OsString::from(format!("-Wl,--shuffle-sections={sections}={seed}"));
        lld.chain(self.sections.iter().map(|sections| shuffle(sections))).collect()
    }
}

impl Default for Relinker {
    fn default() -> Self {
        Self::new()
    }
}

/// The folder in which Rust keeps a linker by the name that gcc looks for.
fn rust_lld() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "target-libdir"]).output().ok()?;
    let libraries = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let folder = libraries.parent()?.join("bin/gcc-ld");
    folder.join("ld.lld").exists().then_some(folder)
}

/// The arguments with another output.
fn into(arguments: &[OsString], to: &Path) -> Vec<OsString> {
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

/// The arguments with their objects in another order; everything else stays where it is.
fn shuffled(arguments: &[OsString], seed: u32) -> Vec<OsString> {
    let is_object = |word: &OsString| Path::new(word).extension() == Some(OsStr::new("o"));
    let mut objects: Vec<OsString> = arguments.iter().filter(|word| is_object(word)).cloned().collect();
    let mut state = u64::from(seed) | 1 << 32;
    for last in (1..objects.len()).rev() {
        // Knuth's generator; its high bits are random enough for an order.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        objects.swap(last, (state >> 33) as usize % (last + 1));
    }
    let mut next = objects.into_iter();
    let replace =
        |word: &OsString| if is_object(word) { next.next() } else { None }.unwrap_or_else(|| word.clone());
    arguments.iter().map(replace).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsString;
    use std::path::Path;

    use super::{into, shuffled};

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_output_is_replaced() {
        let expected = words("a.o b.o -lm -o new");
        assert_eq!(into(&words("a.o -o old b.o -lm"), Path::new("new")), expected);
        assert_eq!(into(&words("-oold a.o b.o -lm"), Path::new("new")), expected);
    }

    #[test]
    fn only_objects_change_their_order() {
        let line = words("-O2 a.o -L. b.o c.o d.o -lm");
        let orders: BTreeSet<Vec<OsString>> = (1..100).map(|seed| shuffled(&line, seed)).collect();
        assert!(orders.len() > 15, "{} of 24 orders", orders.len());
        for order in &orders {
            assert!(order[0] == "-O2" && order[2] == "-L." && order[6] == "-lm", "{order:?}");
            let mut sorted = order.clone();
            sorted.sort();
            let mut expected = line.clone();
            expected.sort();
            assert_eq!(sorted, expected);
        }
        assert_eq!(shuffled(&line, 7), shuffled(&line, 7));
    }
}
