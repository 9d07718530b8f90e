//! The user's cache of builds.
//!
//! Builds are used again only where nothing could have made them different: the same commit, command, options and compilers, the
//! same environment, and the same contents of files that the command names. A variable that is not known to be harmless counts,
//! since a Makefile may read any: a build too many costs time, a wrong one gives a wrong answer.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use lotse_host::build::{self, BuildError};
use lotse_host::find_tool;

use super::{BuildRequest, BuildsError};

/// Changes when builds of the same request are no longer the same.
const VERSION: u32 = 2;

/// Variables of the terminal, the session and the shell, which builds do not depend on. `CARGO` and `CARGO_HOME` are set where
/// cargo starts Lotse; variables of git that name a repository do not reach the build.
const HARMLESS: [&str; 56] = [
    "_",
    "CARGO",
    "CARGO_HOME",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORFGBG",
    "COLORTERM",
    "COLUMNS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    "DISPLAY",
    "EDITOR",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "HISTCONTROL",
    "HISTFILE",
    "HISTFILESIZE",
    "HISTSIZE",
    "HISTTIMEFORMAT",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LINES",
    "LOGNAME",
    "LS_COLORS",
    "MAIL",
    "MANAGERPID",
    "MOTD_SHOWN",
    "NO_COLOR",
    "OLDPWD",
    "PAGER",
    "PROMPT_COMMAND",
    "PS1",
    "PS2",
    "PS4",
    "PWD",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "SESSION_MANAGER",
    "SHLVL",
    "STY",
    "SYSTEMD_EXEC_PID",
    "TERM",
    "TERMCAP",
    "TMUX",
    "TMUX_PANE",
    "USER",
    "USERNAME",
    "VISUAL",
    "WAYLAND_DISPLAY",
    "WINDOW",
    "WINDOWID",
    "WINDOWPATH",
    "XAUTHORITY",
];
/// The same, for all variables whose names begin so.
const HARMLESS_STARTS: [&str; 12] = [
    "ALACRITTY_",
    "CARGO_TERM_",
    "GNOME_",
    "ITERM_",
    "KITTY_",
    "KONSOLE_",
    "SSH_",
    "TERM_",
    "VSCODE_",
    "VTE_",
    "WEZTERM_",
    "XDG_",
];

/// The cache folder of Lotse.
pub(super) fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("lotse"))
}

/// The cache folder for builds of a program, named after the commit and a hash of all that influences the build.
pub(super) fn cache_place(request: &BuildRequest, commit: &str, program: &str) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    let BuildRequest { folder, command, count, seed, method, align, quiet: _ } = request;
    let compilers = build::compilers(folder);
    (VERSION, folder, command, count, seed, method, align, program, commit, compilers).hash(&mut hasher);
    let all = std::env::vars_os().map(|(name, value)| (text(&name), text(&value)));
    let mut variables: Vec<(String, String)> = all.filter(|(name, _)| !is_harmless(name)).collect();
    variables.sort();
    variables.hash(&mut hasher);
    files_of_command(folder, command).hash(&mut hasher);
    let short = commit.get(..12).unwrap_or(commit);
    Some(cache_folder()?.join("builds").join(format!("{short}-{:016x}", hasher.finish())))
}

fn text(value: &std::ffi::OsStr) -> String {
    value.to_string_lossy().into_owned()
}

fn is_harmless(name: &str) -> bool {
    let starts = HARMLESS_STARTS.iter().any(|start| name.starts_with(start));
    starts || HARMLESS.contains(&name) || build::is_of_one_repository(name)
}

/// The files that a build command names, with their contents: its program, and words that are paths, also those in a line for a
/// shell and behind an equals sign.
fn files_of_command(folder: &Path, command: &[String]) -> Vec<(PathBuf, Vec<u8>)> {
    let words = command
        .iter()
        .flat_map(|word| word.split([' ', '\t', '\n', ';', '&', '|', '=', '\'', '"', '(', ')']));
    let found = words.filter(|word| !word.is_empty()).filter_map(|word| {
        let path = folder.join(word);
        if path.is_file() { Some(path) } else { find_tool(word) }
    });
    // A file that cannot be read is reported by the build itself.
    found.map(|path| (path.clone(), fs::read(&path).unwrap_or_else(|_| Vec::new()))).collect()
}

/// A folder of the cache that no other process of Lotse uses meanwhile.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    _lock: File,
}

impl Place {
    /// Makes the folder and waits until no other process uses it.
    pub(super) fn lock(folder: PathBuf) -> Result<Self, BuildsError> {
        let failed = |source| BuildError::File { path: folder.clone(), source };
        loop {
            fs::create_dir_all(&folder).map_err(failed)?;
            let lock = match File::open(&folder) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                lock => lock.map_err(failed)?,
            };
            lock.lock().map_err(failed)?;
            // The other process may have deleted the folder that was waited for.
            let number = lock.metadata().map_err(failed)?.ino();
            if fs::metadata(&folder).is_ok_and(|current| current.ino() == number) {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Only an empty folder is deleted: that of a build that failed.
        drop(fs::remove_dir(&self.folder));
    }
}

/// Deletes what interrupted builds left in the folder that contains all places: copies of repositories, and empty folders.
pub(super) fn sweep(places: &Path) {
    let Ok(entries) = fs::read_dir(places) else { return };
    for place in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let tree = place.join(super::TREE);
        let Ok(lock) = File::open(&place) else { continue };
        // Nothing depends on what cannot be deleted.
        if tree.exists() && lock.try_lock().is_ok() {
            drop(fs::remove_dir_all(&tree));
            drop(fs::remove_dir(&place));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Place, files_of_command, is_harmless, sweep};

    #[test]
    fn variables_count_unless_they_are_known_to_be_harmless() {
        for name in ["PWD", "SSH_TTY", "XDG_SESSION_ID", "GIT_DIR", "TERM", "_"] {
            assert!(is_harmless(name), "{name}");
        }
        for name in ["MYCFLAGS", "OPT", "CC", "PATH", "HOME", "LD_LIBRARY_PATH", "GIT_AUTHOR_NAME", "V"] {
            assert!(!is_harmless(name), "{name}");
        }
    }

    #[test]
    fn files_of_a_command_are_found_in_lines_for_a_shell() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("build.sh"), "one").unwrap();
        fs::write(folder.path().join("settings"), "two").unwrap();
        let command = ["no-such-tool", "-c", "cd . && ./build.sh --with=settings none"].map(str::to_owned);
        let found = files_of_command(folder.path(), &command);
        let contents: Vec<&[u8]> = found.iter().map(|(_, bytes)| &bytes[..]).collect();
        assert!(contents.contains(&&b"one"[..]) && contents.contains(&&b"two"[..]), "{found:?}");
    }

    #[test]
    fn what_interrupted_builds_left_is_deleted() {
        let places = tempfile::tempdir().unwrap();
        let at = |name: &str| places.path().join(name);
        fs::create_dir_all(at("killed/tree/src")).unwrap();
        fs::create_dir_all(at("kept/tree")).unwrap();
        fs::create_dir_all(at("kept/builds")).unwrap();
        let busy = Place::lock(at("busy")).unwrap();
        fs::create_dir_all(at("busy/tree")).unwrap();
        sweep(places.path());
        assert!(!at("killed").exists() && !at("kept/tree").exists());
        assert!(at("kept/builds").exists() && at("busy/tree").exists());
        fs::remove_dir(at("busy/tree")).unwrap();
        drop(busy);
        assert!(!at("busy").exists(), "an empty place goes with its lock");
    }
}
