//! Builds of one program whose functions and data lie elsewhere in each.
//!
//! The user's own build command runs once. Compilers are found on `PATH` by their names, and there Lotse puts programs of the
//! same names that call the real ones and keep what they link (`drivers`). Each link can be repeated afterwards with sections
//! or objects in another order, or behind padding (`relink`): that takes a part of a second and changes no instruction.

mod archive;
pub mod copies;
mod draw;
mod drivers;
mod git;
mod link;
mod padding;
mod relink;
mod variants;

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use git::{Revision, State, checkout, head, place_in_repository, resolve, state, top};
pub use link::Link;
pub use relink::{Method, Relinker};
pub use variants::{Builds, Layouts, Origin};

use crate::offspring::end_with_lotse;
use crate::scratch::Scratch;

/// Why there is no build.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file or folder could not be used.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A program did not start.
    #[error("cannot start {program}: {source}")]
    Start {
        /// Its name.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// The build command failed.
    #[error("the build command `{command}` failed: {status}")]
    Failed {
        /// As it was called.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// Nothing was linked while the command ran.
    #[error(
        "{command} linked no program; was everything built already (clean it, or use --git), or does it call its compiler by \
         another name than {names}, or by a path that was configured before (configure in the same command: \
         sh -c 'cmake -B build && cmake --build build')?"
    )]
    NothingLinked {
        /// As it was called.
        command: String,
        /// The names of compilers that are seen.
        names: String,
    },
    /// A link could not be repeated.
    #[error("{} could not be linked again: {message}", output.display())]
    Relink {
        /// The program.
        output: PathBuf,
        /// What the linker said.
        message: String,
    },
    /// A folder is in the way.
    #[error("{} was not made by Lotse: delete it, or choose another folder with --out", folder.display())]
    Foreign {
        /// Which.
        folder: PathBuf,
    },
    /// git refused.
    #[error("git {what}: {message}")]
    Git {
        /// What it was asked for.
        what: String,
        /// What it said.
        message: String,
    },
}

impl BuildError {
    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}

/// What changes about a build beside its layout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Functions begin at multiples of so many bytes: a change of the program that makes layouts matter less.
    pub align: Option<u32>,
    /// Where the programs stay that stand for compilers: build tools remember their paths. Without it they go with the build.
    pub compilers: Option<PathBuf>,
    /// The build's output is shown only if it fails.
    pub quiet: bool,
}

/// A finished build: what it linked can be linked again as long as this lives.
#[derive(Debug)]
pub struct Built {
    /// The programs that it linked, the last one of each file.
    pub links: Vec<Link>,
    /// Shared libraries that it made: they are not linked again.
    pub libraries: Vec<PathBuf>,
    _kept: Scratch,
}

/// What the compilers of this machine say they are, in a folder that may choose them: another compiler makes another build.
pub fn compilers(folder: &Path) -> String {
    let version = |name: &str| {
        let output = Command::new(name).arg("--version").current_dir(folder).output();
        output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    ["cc", "c++", "rustc"].map(version).concat()
}

/// Runs a build command in a folder, which must link a program.
pub fn build(folder: &Path, argv: &[String], options: &BuildOptions) -> Result<Built, BuildError> {
    let built = run(folder, argv, options)?;
    if built.links.is_empty() {
        return Err(BuildError::NothingLinked { command: argv.join(" "), names: drivers::names() });
    }
    Ok(built)
}

/// Runs a build command in a folder with the compilers as they are: what it makes is the user's own build.
pub fn run_plainly(folder: &Path, argv: &[String]) -> Result<(), BuildError> {
    execute(folder, argv, &[], None)
}

/// Runs a build command; its output goes to standard error, or to the file `log`, and from there to standard error if it fails.
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
    match log {
        // Standard output is for the answer.
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

/// Runs a build command in a folder. It may link nothing.
pub fn run(folder: &Path, argv: &[String], options: &BuildOptions) -> Result<Built, BuildError> {
    let kept = Scratch::create().map_err(BuildError::file(&std::env::temp_dir()))?;
    let environment = drivers::install(kept.path(), options).map_err(BuildError::file(kept.path()))?;
    let log = options.quiet.then(|| kept.path().join("output"));
    execute(folder, argv, &environment, log.as_deref())?;
    let linked = link::linked(&drivers::links(kept.path()));
    let (links, libraries) = linked.map_err(BuildError::file(kept.path()))?;
    Ok(Built { links, libraries, _kept: kept })
}

#[cfg(test)]
mod tests;
