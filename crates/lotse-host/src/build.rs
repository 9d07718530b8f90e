//! Builds of one program with different layouts: functions and data are at other addresses in each build.
//!
//! The user's own build command runs once, with wrapper scripts in front of the compilers on `PATH`. A wrapper has the name of
//! a compiler, calls the real one, and keeps the inputs of each link (`drivers`). Each link can be repeated afterwards with
//! sections or objects in another order, or behind padding (`relink`): that takes a part of a second and changes no instruction.

mod archive;
pub mod copies;
mod draw;
mod drivers;
mod git;
mod libraries;
mod link;
mod padding;
mod relink;
mod variants;

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use git::{
    GitState, Revision, checkout, git_head, git_state, is_of_one_repository, place_in_repository, resolve,
    top,
};
pub use link::Link;
pub use relink::{Method, Relinker};
pub use variants::{Builds, Layouts, Libraries, Origin};

use crate::offspring::end_with_lotse;
use crate::scratch::Scratch;

/// Why a build failed.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file or folder could not be used.
    #[error("cannot use {}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// A program did not start.
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: std::io::Error },
    /// The build command failed.
    #[error("the build command `{command}` failed: {status}")]
    Failed { command: String, status: std::process::ExitStatus },
    /// Nothing was linked while the command ran.
    #[error(
        "{command} linked no program; was everything built already (clean it, or use --git), or does it call its compiler by \
         another name than {names}, or by a path that was configured before (configure in the same command: \
         sh -c 'cmake -B build && cmake --build build')?"
    )]
    NothingLinked {
        command: String,
        /// The names of compilers that get wrappers.
        names: String,
    },
    /// A link could not be repeated.
    #[error("{} could not be linked again: {message}", output.display())]
    Relink {
        output: PathBuf,
        /// The first lines that the linker printed.
        message: String,
    },
    /// A program looks for a library of the build in the working directory.
    #[error(
        "{program} was linked with {library}, a path that it looks for where it runs, so that all builds would use one library; link \
         with -L and -l, or give the library a name (-Wl,-soname)"
    )]
    LibraryByPath { program: String, library: String },
    /// The loader finds another library than the one of the build.
    #[error(
        "{program} would use {found} instead of the {name} that its build made; link with that library statically"
    )]
    OtherLibrary { program: String, name: String, found: String },
    /// The output folder exists and does not contain builds.
    #[error("{} was not made by Lotse: delete it, or choose another folder with --out", folder.display())]
    Foreign { folder: PathBuf },
    #[error("git {what}: {message}")]
    Git {
        /// The git command.
        what: String,
        /// The first line that git printed.
        message: String,
    },
}

impl BuildError {
    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}

/// Options of a build other than its layout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Alignment of functions in bytes. Alignment changes the program, but reduces the effect of layouts.
    pub align: Option<u32>,
    /// A folder that keeps the compiler wrappers after the build, because build tools remember their paths. If absent, the
    /// wrappers are deleted with the build.
    pub compilers: Option<PathBuf>,
    /// Show the output of the build only if it fails.
    pub quiet: bool,
}

/// A finished build. Its programs can be linked again until this value is dropped.
#[derive(Debug)]
pub struct Built {
    /// The links of programs; only the last link of each output file.
    pub links: Vec<Link>,
    /// Shared libraries that the build linked, the last one last; they are not linked again.
    pub libraries: Vec<PathBuf>,
    _scratch: Scratch,
}

/// The versions of the compilers, as they print them when called in a folder (a toolchain file there may select another
/// version). Part of the key of a cached build.
pub fn compilers(folder: &Path) -> String {
    let version = |name: &str| {
        let output = Command::new(name).arg("--version").current_dir(folder).output();
        output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    ["cc", "c++", "rustc"].map(version).concat()
}

/// Runs a build command in a folder. A command that links no program is an error.
pub fn build(folder: &Path, argv: &[String], options: &BuildOptions) -> Result<Built, BuildError> {
    let built = run(folder, argv, options)?;
    if built.links.is_empty() {
        return Err(BuildError::NothingLinked { command: argv.join(" "), names: drivers::names() });
    }
    Ok(built)
}

/// Runs a build command in a folder without compiler wrappers, as the user would.
pub fn run_plainly(folder: &Path, argv: &[String]) -> Result<(), BuildError> {
    execute(folder, argv, &[], None)
}

/// Runs a build command, with an environment that does not refer to the folder or the repository that Lotse was started in. Its
/// output goes to standard error, or to the file `log`, which is copied to standard error if the command fails.
fn execute(
    folder: &Path,
    argv: &[String],
    environment: &[(&str, OsString)],
    log: Option<&Path>,
) -> Result<(), BuildError> {
    let command = argv.join(" ");
    let [program, arguments @ ..] = argv else {
        return Err(BuildError::NothingLinked { command, names: drivers::names() });
    };
    let mut line = Command::new(program);
    line.args(arguments).current_dir(folder).envs(environment.iter().cloned());
    // `$(PWD)` of a Makefile is this variable, which would refer to the folder that Lotse was started in.
    line.env("PWD", std::path::absolute(folder).map_err(BuildError::file(folder))?).env_remove("OLDPWD");
    for name in git::LOCAL {
        line.env_remove(name);
    }
    match log {
        // Standard output is reserved for Lotse's own result.
        None => line.stdout(std::io::stderr()),
        Some(path) => {
            let file = File::create(path).map_err(BuildError::file(path))?;
            line.stderr(file.try_clone().map_err(BuildError::file(path))?).stdout(file)
        }
    };
    end_with_lotse(&mut line);
    let status = line.status().map_err(|source| BuildError::Start { program: program.clone(), source })?;
    if status.success() {
        return Ok(());
    }
    if let Some(path) = log {
        let shown = File::open(path).and_then(|mut file| std::io::copy(&mut file, &mut std::io::stderr()));
        shown.map_err(BuildError::file(path))?;
    }
    Err(BuildError::Failed { command, status })
}

/// Runs a build command in a folder. A command that links nothing is not an error.
pub fn run(folder: &Path, argv: &[String], options: &BuildOptions) -> Result<Built, BuildError> {
    let scratch = Scratch::create().map_err(BuildError::file(&std::env::temp_dir()))?;
    let environment = drivers::install(scratch.path(), options).map_err(BuildError::file(scratch.path()))?;
    let log = options.quiet.then(|| scratch.path().join("output"));
    execute(folder, argv, &environment, log.as_deref())?;
    let linked = link::linked(&drivers::links(scratch.path()), folder);
    let (links, libraries) = linked.map_err(BuildError::file(scratch.path()))?;
    Ok(Built { links, libraries, _scratch: scratch })
}

#[cfg(test)]
mod tests;
