//! Revisions of a repository, each in a folder of its own. The user's repository is only read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::BuildError;

/// Variables that tie git to one repository, as `git rev-parse --local-env-vars` lists them, except for settings (`GIT_CONFIG…`).
/// Git sets them for hooks and for `git rebase --exec`. With them, a command in a clone would change the user's repository.
pub(super) const LOCAL: [&str; 13] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
];

/// Whether an environment variable ties git to one repository. Builds do not see such a variable.
pub fn is_of_one_repository(variable: &str) -> bool {
    LOCAL.contains(&variable)
}

/// A revision of a git repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The name that the user gave.
    pub name: String,
    /// The commit that the name refers to now.
    pub commit: String,
}

/// The commit that a name refers to in the repository of a folder.
pub fn resolve(folder: &Path, name: &str) -> Result<Revision, BuildError> {
    check_environment(folder)?;
    let wanted = format!("{name}^{{commit}}");
    let commit =
        git(folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]).map_err(|_| {
            BuildError::Git { what: format!("revision {name}"), message: "there is none of that name".into() }
        })?;
    Ok(Revision { name: name.to_owned(), commit: commit.trim().to_owned() })
}

/// Checks out a revision into a new folder, a clone that shares the objects of the repository.
pub fn checkout(folder: &Path, revision: &Revision, to: &Path) -> Result<(), BuildError> {
    let top = git(folder, &["rev-parse", "--show-toplevel"])?;
    if to.exists() {
        fs::remove_dir_all(to).map_err(BuildError::file(to))?;
    }
    let target = to.display().to_string();
    git(folder, &["clone", "--quiet", "--shared", "--no-checkout", "--", top.trim(), &target])?;
    git(to, &["-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", &revision.commit])?;
    Ok(())
}

/// The path of a folder relative to the top of its repository.
pub fn place_in_repository(folder: &Path) -> Result<PathBuf, BuildError> {
    Ok(PathBuf::from(git(folder, &["rev-parse", "--show-prefix"])?.trim_end_matches('\n')))
}

/// The top folder of the repository.
pub fn top(folder: &Path) -> Result<PathBuf, BuildError> {
    Ok(PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"])?.trim_end_matches('\n')))
}

/// What is checked out in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitState {
    pub commit: String,
    /// `None` if HEAD is detached.
    pub branch: Option<String>,
    /// Whether tracked files differ from the commit, or source files are not tracked.
    pub changed: bool,
}

/// Endings of source files: a build may use such a file although git does not track it.
const SOURCES: [&str; 38] = [
    "ads", "adb", "asm", "c", "cc", "cl", "cpp", "cs", "cu", "cxx", "d", "f", "f90", "go", "h", "hh", "hpp",
    "hs", "hxx", "inl", "java", "jl", "js", "kt", "ml", "nim", "php", "pl", "py", "r", "rb", "rs", "s",
    "scala", "sh", "swift", "ts", "zig",
];

/// What is checked out in a folder; `None` outside a repository, or if there is no commit.
pub fn git_state(folder: &Path) -> Option<GitState> {
    let commit = git(folder, &["rev-parse", "--verify", "--quiet", "HEAD"]).ok()?.trim().to_owned();
    let differs = git(folder, &["status", "--porcelain", "--untracked-files=no"]).ok()?;
    let changed = !differs.is_empty() || has_untracked_sources(folder);
    let branch = git(folder, &["symbolic-ref", "--quiet", "--short", "HEAD"]);
    let branch = branch.map_or_else(|_| None, |name| Some(name.trim().to_owned()));
    Some(GitState { commit, branch, changed })
}

/// Whether the repository has source files that git neither tracks nor ignores. Results, inputs and logs do not count.
fn has_untracked_sources(folder: &Path) -> bool {
    let Ok(names) = git(folder, &["ls-files", "--others", "--exclude-standard", "-z", "--", ":/"]) else {
        return false;
    };
    let is_source = |name: &str| {
        let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| SOURCES.contains(&ending.to_ascii_lowercase().as_str()))
    };
    names.split('\0').any(is_source)
}

/// The branch of a folder (`None` if HEAD is detached) and its newest commit; `None` outside a repository.
pub fn git_head(folder: &Path) -> Option<(Option<String>, String)> {
    let line = |arguments: &[&str]| git(folder, arguments).ok().map(|text| text.trim().to_owned());
    let commit = line(&["rev-parse", "--verify", "--quiet", "HEAD"])?;
    Some((line(&["symbolic-ref", "--short", "--quiet", "HEAD"]), commit))
}

/// Refuses a `GIT_DIR` that refers to another repository than the one of the folder: a name of a revision could mean either.
fn check_environment(folder: &Path) -> Result<(), BuildError> {
    const QUESTION: [&str; 2] = ["rev-parse", "--absolute-git-dir"];
    let Some(given) = std::env::var_os("GIT_DIR") else { return Ok(()) };
    // A hook that changed its folder may have a relative GIT_DIR, which then refers to nothing.
    let mut line = Command::new("git");
    line.args(QUESTION);
    let Ok(named) = output(line, &QUESTION) else { return Ok(()) };
    let found = git(folder, &QUESTION)?;
    if found == named {
        return Ok(());
    }
    let message = format!(
        "GIT_DIR is {}, but {} is in the repository {}: unset GIT_DIR",
        given.display(),
        folder.display(),
        found.trim()
    );
    Err(BuildError::Git { what: "revision".to_owned(), message })
}

/// What git prints in a folder, whatever repository the environment names.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, BuildError> {
    let mut line = Command::new("git");
    line.arg("-C").arg(folder).args(arguments);
    for name in LOCAL {
        line.env_remove(name);
    }
    output(line, arguments)
}

fn output(mut line: Command, arguments: &[&str]) -> Result<String, BuildError> {
    let output = line.output().map_err(|source| BuildError::Start { program: "git".to_owned(), source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let message = stderr.lines().next().unwrap_or("it failed").to_owned();
    Err(BuildError::Git { what: arguments.first().unwrap_or(&"").to_string(), message })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{GitState, git, git_head, git_state, top};

    #[test]
    fn a_folder_is_at_a_commit_with_or_without_changes() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        assert_eq!(git_state(at), None);
        if git(at, &["init", "--quiet", "--initial-branch=main"]).is_err() {
            return;
        }
        // No commit yet.
        assert_eq!((git_state(at), git_head(at)), (None, None));
        fs::write(at.join("a"), "1").unwrap();
        git(at, &["add", "a"]).unwrap();
        let user = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        git(at, &[&user[..], &["commit", "--quiet", "-m", "one"]].concat()).unwrap();
        let GitState { commit, branch, changed } = git_state(at).unwrap();
        assert_eq!((commit.len(), branch.as_deref(), changed), (40, Some("main"), false));
        // Untracked results and ignored files do not count; untracked sources anywhere in the repository and changes do.
        for (name, text) in [("b", "2"), (".gitignore", "made.c"), ("made.c", "")] {
            fs::write(at.join(name), text).unwrap();
        }
        assert!(!git_state(at).unwrap().changed);
        fs::create_dir(at.join("src")).unwrap();
        fs::create_dir(at.join("data")).unwrap();
        fs::write(at.join("src/new.RS"), "").unwrap();
        assert!(git_state(at).unwrap().changed && git_state(&at.join("data")).unwrap().changed);
        fs::remove_file(at.join("src/new.RS")).unwrap();
        assert!(!git_state(at).unwrap().changed);
        fs::write(at.join("a"), "2").unwrap();
        assert!(git_state(at).unwrap().changed);
        git(at, &["checkout", "--quiet", "--detach"]).unwrap();
        assert_eq!(git_state(at).unwrap().branch, None);
        assert_eq!(top(at).unwrap().canonicalize().unwrap(), at.canonicalize().unwrap());
    }
}
