//! Published crates that nobody prepared for `lotse spy`, and their sources.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::workshop::Workshop;

/// What is special about a crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// Its tests start threads.
    Threads,
    /// It has a build script.
    BuildScript,
    /// It is, or has, a procedural macro.
    Macro,
    /// Several crates in one workspace.
    Workspace,
}

/// A crate, or several that make a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    /// What the table calls it.
    pub name: &'static str,
    /// Name and version of each.
    pub crates: &'static [(&'static str, &'static str)],
    /// What is special about it.
    pub traits: &'static [Trait],
    /// Which tests; all but those in documentation if empty.
    pub arguments: &'static [&'static str],
}

macro_rules! published {
    ($($name:literal $version:literal [$($special:ident)*] $($argument:literal)*;)*) => {
        [$(Published {
            name: $name,
            crates: &[($name, $version)],
            traits: &[$(Trait::$special),*],
            arguments: &[$($argument),*],
        }),*]
    };
}

/// The crates, one at a time.
const SINGLE: &[Published] = &published! {
    "strsim" "0.11.1" [];
    "smallvec" "1.16.4" [];
    "arrayvec" "0.7.8" [];
    "indexmap" "2.14.2" [];
    "petgraph" "0.8.3" [];
    "crossbeam-channel" "0.5.17" [Threads] "--test" "array" "--test" "list" "--test" "zero";
    "serde_json" "1.0.154" [BuildScript];
    "priority-queue" "2.7.0" [];
    "hashbrown" "0.17.1" [Threads];
    "fixedbitset" "0.5.7" [];
    "rayon-core" "1.13.0" [Threads BuildScript];
    "thiserror" "2.0.21" [BuildScript Macro];
    "miniz_oxide" "0.9.1" [];
    "textwrap" "0.16.4" [];
    "similar" "3.2.1" [];
    "semver" "1.0.28" [];
    "aho-corasick" "1.1.5" [];
    "regex-syntax" "0.8.11" [];
    "slab" "0.4.12" [];
    "bytes" "1.12.1" [Threads];
    // Its other tests start examples that `--tests` does not build.
    "csv" "1.4.0" [] "--lib";
    "lru" "0.19.0" [Threads];
    "threadpool" "1.8.1" [Threads];
    "flume" "0.12.0" [Threads];
    "nom" "8.0.0" [];
    "tinyvec" "1.13.3" [];
    "num-bigint" "0.5.1" [];
    "unicode-segmentation" "1.13.3" [];
    "bit-vec" "0.10.1" [];
    "radix_trie" "0.3.0" [];
    "itertools" "0.15.0" [];
    "bitvec" "1.1.1" [];
    "heck" "0.5.0" [];
    "unicode-width" "0.2.2" [];
};

/// Crates that are put into one workspace.
const WORKSPACES: &[Published] = &[Published {
    name: "crossbeam (workspace)",
    crates: &[("crossbeam-queue", "0.3.14"), ("crossbeam-deque", "0.8.8")],
    traits: &[Trait::Threads, Trait::BuildScript, Trait::Workspace],
    arguments: &["--workspace", "--tests"],
}];

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Published> {
    SINGLE.iter().chain(WORKSPACES)
}

impl Published {
    /// Letters for what is special about it.
    #[must_use]
    pub fn letters(&self) -> String {
        let letter = |it: &Trait| match it {
            Trait::Threads => 't',
            Trait::BuildScript => 'b',
            Trait::Macro => 'm',
            Trait::Workspace => 'w',
        };
        self.traits.iter().map(letter).collect()
    }

    /// Writes the sources, as published, into a folder of their own.
    pub fn unpack(&self, workshop: &mut Workshop) -> Result<PathBuf, Error> {
        let folder = workshop.path("source");
        remove(&folder)?;
        match self.crates {
            [(name, version)] => {
                copy(&fetched(workshop, name, version)?, &folder)?;
                append(&folder.join("Cargo.toml"), "\n[workspace]\n")?;
            }
            several => {
                for (name, version) in several {
                    copy(&fetched(workshop, name, version)?, &folder.join(name))?;
                }
                let members: Vec<&str> = several.iter().map(|(name, _)| *name).collect();
                append(
                    &folder.join("Cargo.toml"),
                    &format!("[workspace]\nresolver = \"2\"\nmembers = {members:?}\n"),
                )?;
            }
        }
        Ok(folder)
    }
}

/// Where Cargo keeps the source of a crate, once it has downloaded it.
fn fetched(workshop: &mut Workshop, name: &str, version: &str) -> Result<PathBuf, Error> {
    let folder = workshop.path("fetch");
    remove(&folder)?;
    let source = folder.join("src");
    fs::create_dir_all(&source).map_err(Error::file("make", &source))?;
    let head =
        "[package]\nname = \"fetch\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n";
    append(&folder.join("Cargo.toml"), &format!("{head}{name} = \"={version}\"\n"))?;
    append(&source.join("lib.rs"), "")?;
    let manifest = folder.join("Cargo.toml").display().to_string();
    let argv =
        ["cargo", "metadata", "--format-version", "1", "--manifest-path", &manifest].map(str::to_owned);
    let answer = workshop.run("cargo", &argv, &[0])?.stdout;
    let answer: Metadata =
        serde_json::from_str(&answer).map_err(|source| Error::Json { tool: "cargo", source })?;
    let found =
        answer.packages.into_iter().find(|package| package.name == name && package.version == version);
    let manifest = found.map(|package| package.manifest_path);
    let folder = manifest.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    folder.ok_or_else(|| Error::Answer { tool: "cargo", what: format!("{name} {version}") })
}

/// What `cargo metadata` prints, as far as it is used here.
#[derive(serde::Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(serde::Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
}

fn append(path: &Path, text: &str) -> Result<(), Error> {
    let mut whole =
        if path.exists() { fs::read(path).map_err(Error::file("read", path))? } else { Vec::new() };
    whole.extend_from_slice(text.as_bytes());
    fs::write(path, whole).map_err(Error::file("write", path))
}

/// Deletes a folder, if it is there.
pub(super) fn remove(folder: &Path) -> Result<(), Error> {
    if folder.exists() { fs::remove_dir_all(folder).map_err(Error::file("delete", folder)) } else { Ok(()) }
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(Error::file("make", to))?;
    for entry in fs::read_dir(from).map_err(Error::file("read", from))? {
        let path = entry.map_err(Error::file("read", from))?.path();
        let Some(name) = path.file_name() else { continue };
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).map_err(Error::file("copy", &path))?;
        }
    }
    Ok(())
}
