//! One recording: where things lie, and the environment of the command.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use lotse_wire::{DIRECTORY_VARIABLE, DROP_VARIABLE};

use super::runner::{RESTORE_VARIABLE, TIMES_VARIABLE};
use super::waiting::CollectorProcess;
use super::{
    COLLECTOR_VARIABLE, COMPILER_LINK, EXCLUDE_VARIABLE, LINES_VARIABLE, NOTES_VARIABLE, OBJECT_VARIABLE,
    ONLY_VARIABLE, RUNNER_LINK, flags,
};
use crate::cache::Cache;
use crate::offspring::end_with_lotse;
use crate::rings::RingDirectory;
use crate::source::FileError;

/// Why a program cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub enum SpyError {
    /// There is no runtime for this machine.
    #[error("programs can be recorded on Linux on x86-64 and aarch64 only")]
    Unsupported,
    /// No compiler.
    #[error("cannot ask the compiler for its version (`rustc -vV`): {0}")]
    NoCompiler(String),
    /// No place for builds.
    #[error("there is no place for recorded builds: set HOME, XDG_CACHE_HOME or --target-dir")]
    NoPlace,
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A program.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// Which.
        program: String,
        /// Why.
        source: io::Error,
    },
}

/// The compiler, as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// The first line of `rustc -vV`.
    pub version: String,
    /// The platform it runs on.
    pub host: String,
    /// The version of LLVM.
    pub llvm: Option<String>,
}

impl Toolchain {
    /// Asks the compiler that Cargo would use here; `chosen` is what follows `+` in the command.
    pub fn query(chosen: Option<&str>) -> Result<Self, SpyError> {
        let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        if let Some(chosen) = chosen {
            command.env("RUSTUP_TOOLCHAIN", chosen);
        }
        let output = command.arg("-vV").output().map_err(|error| SpyError::NoCompiler(error.to_string()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Self::parse(&text)
            .ok_or_else(|| SpyError::NoCompiler(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }

    fn parse(text: &str) -> Option<Self> {
        let after = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned);
        let version = text.lines().next()?.to_owned();
        Some(Self { version, host: after("host: ")?, llvm: after("LLVM version: ") })
    }
}

/// What shall be built how.
#[derive(Debug, Clone, Default)]
pub struct RecordedBuild {
    /// Crates to compile with callbacks; all if empty.
    pub only: Vec<String>,
    /// Crates to compile without.
    pub exclude: Vec<String>,
    /// The target directory; one in the user's cache if missing.
    pub target: Option<PathBuf>,
    /// Whether a full ring drops events instead of waiting.
    pub drop: bool,
}

/// A crate that was compiled with callbacks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompiledCrate {
    /// The compiler's name of it.
    pub name: String,
    /// Whether it belongs to the user's own sources.
    pub own: bool,
    /// The level of optimisation: 0 to 3, s, z.
    pub level: String,
}

/// One recording.
#[derive(Debug)]
pub struct SpySession {
    rings: RingDirectory,
    target: PathBuf,
    unrecorded: PathBuf,
    notes: PathBuf,
    object: PathBuf,
    toolchain: Toolchain,
    build: RecordedBuild,
}

impl SpySession {
    /// Prepares everything a recorded command needs.
    pub fn prepare(toolchain: Toolchain, build: RecordedBuild) -> Result<Self, SpyError> {
        if !lotse_spy_rt::SUPPORTED {
            return Err(SpyError::Unsupported);
        }
        let TargetDirectories { target, unrecorded } = target_directories(&toolchain, &build)?;
        let notes = target.join("lotse-notes");
        make(&notes)?;
        let object = target.join("lotse-spy-rt.o");
        fs::write(&object, lotse_spy_rt::OBJECT).map_err(FileError::new("write", &object))?;
        let rings = RingDirectory::create()?;
        let session = Self { rings, target, unrecorded, notes, object, toolchain, build };
        session.link()?;
        Ok(session)
    }

    fn link(&self) -> Result<(), SpyError> {
        let own = env::current_exe().map_err(|source| SpyError::Start { program: "lotse".into(), source })?;
        for name in [COMPILER_LINK, RUNNER_LINK] {
            let link = self.rings.path().join(name);
            symlink(&own, &link).map_err(FileError::new("make a link at", &link))?;
        }
        Ok(())
    }

    /// Where the rings are.
    pub fn rings(&self) -> &Path {
        self.rings.path()
    }

    /// Whether a program stopped recording because nobody read its records.
    pub fn is_stopped(&self) -> bool {
        self.rings.is_stopped()
    }

    /// Where recorded builds are kept.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Whether the command was built before for a run without recording, so that only what changed is compiled.
    pub fn has_unrecorded_build(&self) -> bool {
        self.unrecorded.is_dir()
    }

    /// Crates that were compiled with callbacks, sorted by name.
    pub fn crates(&self) -> Vec<CompiledCrate> {
        let Ok(entries) = fs::read_dir(&self.notes) else { return Vec::new() };
        let mut crates: Vec<CompiledCrate> = entries.flatten().filter_map(|entry| compiled(&entry)).collect();
        crates.sort();
        crates
    }

    /// Starts the collector: Lotse itself with these arguments. What is written to its standard input ends it.
    pub fn start_collector(&self, arguments: &[OsString]) -> Result<CollectorProcess, SpyError> {
        use std::os::unix::process::CommandExt as _;
        let own = env::current_exe().map_err(|source| SpyError::Start { program: "lotse".into(), source })?;
        let mut command = Command::new(own);
        // A group of its own: Ctrl-C ends the program, and the collector writes what it has.
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
        let started = command.spawn().map(CollectorProcess::new);
        started.map_err(|source| SpyError::Start { program: "lotse".into(), source })
    }

    /// Starts the user's command so that what it runs is recorded.
    pub fn start(&self, command: &[OsString], collector: u32) -> Result<Child, SpyError> {
        let mut changes = self.common(&self.target);
        changes.push(("RUSTC_WRAPPER".into(), self.rings.path().join(COMPILER_LINK).into()));
        changes.push(("RUSTDOCFLAGS".into(), self.doctest_flags()));
        let mut child = prepared(command, &changes);
        child.env(DIRECTORY_VARIABLE, self.rings.path()).env(COLLECTOR_VARIABLE, collector.to_string());
        child.env(NOTES_VARIABLE, &self.notes).env(OBJECT_VARIABLE, &self.object);
        for (variable, list) in [(ONLY_VARIABLE, &self.build.only), (EXCLUDE_VARIABLE, &self.build.exclude)] {
            if !list.is_empty() {
                child.env(variable, list.join(","));
            }
        }
        if self.build.drop {
            child.env(DROP_VARIABLE, "1");
        }
        spawn(child)
    }

    /// Starts the user's command without recording, for its time: times and samples of its programs go into `times`.
    pub fn start_unrecorded(&self, command: &[OsString], times: &Path) -> Result<Child, SpyError> {
        let mut changes = self.common(&self.unrecorded);
        changes.push(("RUSTC_WRAPPER".into(), self.rings.path().join(COMPILER_LINK).into()));
        let mut child = prepared(command, &changes);
        child.env(LINES_VARIABLE, "1");
        child.env(TIMES_VARIABLE, times).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        spawn(child)
    }

    /// Changes of the environment that both runs have.
    fn common(&self, target: &Path) -> Vec<(OsString, OsString)> {
        let platform = self.toolchain.host.to_uppercase().replace('-', "_");
        vec![
            ("CARGO_TARGET_DIR".into(), target.into()),
            ("CARGO_BUILD_TARGET".into(), self.toolchain.host.clone().into()),
            (format!("CARGO_TARGET_{platform}_RUNNER").into(), self.rings.path().join(RUNNER_LINK).into()),
        ]
    }

    fn doctest_flags(&self) -> OsString {
        let mut flags: OsString = env::var_os("RUSTDOCFLAGS").into_iter().collect();
        for flag in flags::link(&self.object.to_string_lossy()) {
            flags.push(" ");
            flags.push(&flag);
        }
        flags
    }
}

fn compiled(entry: &fs::DirEntry) -> Option<CompiledCrate> {
    let name = entry.file_name().to_str()?.strip_prefix("crate-")?.to_owned();
    let text = fs::read_to_string(entry.path()).ok()?;
    let (owner, level) = text.split_once(' ')?;
    Some(CompiledCrate { name, own: owner == "own", level: level.to_owned() })
}

/// A command with changes that the runner takes back.
fn prepared(command: &[OsString], changes: &[(OsString, OsString)]) -> Command {
    let (program, arguments) =
        command.split_first().map_or((OsStr::new(""), &[][..]), |(first, rest)| (first, rest));
    let mut child = Command::new(program);
    child.args(arguments);
    let names: Vec<&str> = changes.iter().filter_map(|(name, _)| name.to_str()).collect();
    child.env(RESTORE_VARIABLE, names.join(","));
    for (name, value) in changes {
        if let Some(was) = env::var_os(name) {
            child.env(format!("LOTSE_SPY_WAS_{}", name.display()), was);
        }
        child.env(name, value);
    }
    child
}

/// Starts a command that ends when Lotse is killed.
fn spawn(mut command: Command) -> Result<Child, SpyError> {
    let program = command.get_program().to_string_lossy().into_owned();
    end_with_lotse(&mut command);
    command.spawn().map_err(|source| SpyError::Start { program, source })
}

/// The target directories of Lotse's own.
#[derive(Debug)]
struct TargetDirectories {
    /// For recorded builds: by the project, the compiler and what is compiled how, so that what lies there fits.
    target: PathBuf,
    /// For builds without recording: by the project and the compiler, so that it is built once, whatever is recorded.
    unrecorded: PathBuf,
}

fn target_directories(toolchain: &Toolchain, build: &RecordedBuild) -> Result<TargetDirectories, SpyError> {
    let builds = match &build.target {
        Some(target) => target.clone(),
        None => Cache::of_user(0).ok_or(SpyError::NoPlace)?.directory().join("spy"),
    };
    let here = env::current_dir().map_err(FileError::new("find", Path::new(".")))?;
    Ok(directories_for(&builds, &workspace_root(&here), toolchain, build))
}

fn directories_for(
    builds: &Path,
    root: &Path,
    toolchain: &Toolchain,
    build: &RecordedBuild,
) -> TargetDirectories {
    let name: String = root.file_name().into_iter().map(OsStr::to_string_lossy).collect();
    let named =
        |kind: &str, key: &[u8]| builds.join(format!("{name}-{kind}{:016x}", crate::cache::hash(key)));
    let mut key = root.as_os_str().as_encoded_bytes().to_vec();
    key.extend(format!("{toolchain:?}").bytes());
    let unrecorded = named("unrecorded-", &[&key[..], format!("{:?}", flags::names()).as_bytes()].concat());
    key.extend(format!("{:?}{:?}{:?}", build.only, build.exclude, flags::callbacks()).bytes());
    key.extend(lotse_spy_rt::OBJECT);
    TargetDirectories { target: named("", &key), unrecorded }
}

/// The outermost directory above that has a manifest.
fn workspace_root(here: &Path) -> PathBuf {
    let with_manifest = here.ancestors().filter(|folder| folder.join("Cargo.toml").is_file());
    with_manifest.last().unwrap_or(here).to_path_buf()
}

fn make(folder: &Path) -> Result<(), FileError> {
    fs::create_dir_all(folder).map_err(FileError::new("create", folder))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{RecordedBuild, TargetDirectories, Toolchain, directories_for};

    fn toolchain(version: &str) -> Toolchain {
        Toolchain { version: version.to_owned(), host: "x86_64-unknown-linux-gnu".to_owned(), llvm: None }
    }

    #[test]
    fn without_recording_a_project_is_built_once() {
        let at = |root: &str, version: &str, only: &[&str]| {
            let build = RecordedBuild {
                only: only.iter().map(|&name| name.to_owned()).collect(),
                ..RecordedBuild::default()
            };
            let TargetDirectories { target, unrecorded } =
                directories_for(Path::new("/cache"), Path::new(root), &toolchain(version), &build);
            (target, unrecorded)
        };
        let (target, unrecorded) = at("/home/a/solver", "1.95", &[]);
        assert_eq!(at("/home/a/solver", "1.95", &[]), (target.clone(), unrecorded.clone()));
        let (other, same) = at("/home/a/solver", "1.95", &["matrix"]);
        assert_ne!(other, target, "other crates have callbacks");
        assert_eq!(same, unrecorded, "which a run without recording does not have");
        assert_ne!(at("/home/a/solver", "1.96", &[]).1, unrecorded);
        assert_ne!(at("/home/b/solver", "1.95", &[]).1, unrecorded);
        assert_ne!(target, unrecorded);
    }

    #[test]
    fn the_compiler_describes_itself() {
        let text = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nLLVM version: 22.1.2\n";
        let toolchain = Toolchain::parse(text).unwrap();
        assert_eq!(toolchain.host, "x86_64-unknown-linux-gnu");
        assert_eq!(toolchain.llvm.as_deref(), Some("22.1.2"));
        assert_eq!(Toolchain::parse("nothing of the kind"), None);
    }
}
