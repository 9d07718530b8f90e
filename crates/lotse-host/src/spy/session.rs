//! One recording: its directories, and the environment of the recorded command.

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
    #[error("programs can be recorded on Linux on x86-64 and aarch64 only")]
    Unsupported,
    #[error("cannot ask the compiler for its version (`rustc -vV`): {0}")]
    NoCompiler(String),
    #[error("there is no place for recorded builds: set HOME, XDG_CACHE_HOME or --target-dir")]
    NoPlace,
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot start `{program}`: {source}")]
    Start { program: String, source: io::Error },
}

/// The description of the compiler, from `rustc -vV`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// The first line.
    pub version: String,
    /// The target triple of the platform that the compiler runs on.
    pub host: String,
    pub llvm: Option<String>,
}

impl Toolchain {
    /// Queries the compiler that Cargo would use in this directory; `chosen` is the toolchain after `+` in the command.
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

/// Options of a recorded build.
#[derive(Debug, Clone, Default)]
pub struct RecordedBuild {
    /// Crates to compile with callbacks; all if empty.
    pub only: Vec<String>,
    /// Crates to compile without callbacks.
    pub exclude: Vec<String>,
    /// The parent of target directories; in the user's cache if absent.
    pub target: Option<PathBuf>,
    /// Whether a full ring drops events instead of waiting.
    pub drop: bool,
}

/// A crate that was compiled with callbacks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompiledCrate {
    /// The crate name as the compiler uses it.
    pub name: String,
    /// Whether it is the user's own crate, not one from a registry.
    pub own: bool,
    /// The optimisation level: 0 to 3, s, z.
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
    /// Creates the directories, the runtime's object file and the links that a recorded command needs.
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

    /// The directory of the rings.
    pub fn rings(&self) -> &Path {
        self.rings.path()
    }

    /// Whether a program stopped recording because its records were not read.
    pub fn is_stopped(&self) -> bool {
        self.rings.is_stopped()
    }

    /// The target directory of recorded builds.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Whether an earlier unrecorded build exists, so that only changed crates are compiled.
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

    /// Starts the collector: Lotse's own executable with these arguments. It ends after a message on its standard input.
    pub fn start_collector(&self, arguments: &[OsString]) -> Result<CollectorProcess, SpyError> {
        use std::os::unix::process::CommandExt as _;
        let own = env::current_exe().map_err(|source| SpyError::Start { program: "lotse".into(), source })?;
        let mut command = Command::new(own);
        // A process group of its own: Ctrl-C ends the program, but not the collector, which still writes its records.
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
        let started = command.spawn().map(CollectorProcess::new);
        started.map_err(|source| SpyError::Start { program: "lotse".into(), source })
    }

    /// Starts the user's command so that its programs are recorded.
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

    /// Starts the user's command without recording, to measure its time. Times and samples of its programs go to the folder `times`.
    pub fn start_unrecorded(&self, command: &[OsString], times: &Path) -> Result<Child, SpyError> {
        let mut changes = self.common(&self.unrecorded);
        changes.push(("RUSTC_WRAPPER".into(), self.rings.path().join(COMPILER_LINK).into()));
        let mut child = prepared(command, &changes);
        child.env(LINES_VARIABLE, "1");
        child.env(TIMES_VARIABLE, times).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        spawn(child)
    }

    /// Changes of the environment for both recorded and unrecorded runs.
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

/// A command with a changed environment, which the runner restores for the programs.
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

/// Starts a command that ends when Lotse ends, even by a kill.
fn spawn(mut command: Command) -> Result<Child, SpyError> {
    let program = command.get_program().to_string_lossy().into_owned();
    end_with_lotse(&mut command);
    command.spawn().map_err(|source| SpyError::Start { program, source })
}

/// Lotse's own target directories.
#[derive(Debug)]
struct TargetDirectories {
    /// For recorded builds. Its name depends on the project, the compiler and all options, so that existing files match.
    target: PathBuf,
    /// For unrecorded builds. Its name depends only on the project, the compiler and the options of unrecorded builds, so that all
    /// recordings share it.
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
    let unrecorded =
        named("unrecorded-", &[&key[..], format!("{:?}", flags::unrecorded()).as_bytes()].concat());
    key.extend(format!("{:?}{:?}{:?}", build.only, build.exclude, flags::with_callbacks()).bytes());
    key.extend(lotse_spy_rt::OBJECT);
    TargetDirectories { target: named("", &key), unrecorded }
}

/// The outermost directory with a manifest among a directory and its ancestors.
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
