//! Revisions of a repository, each in a folder of its own. The user's repository is only read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::BuildError;

/// A revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// As the user named it.
    pub name: String,
    /// The commit that it means now.
    pub commit: String,
}

/// The commit that a name means in the repository of a folder.
pub fn resolve(folder: &Path, name: &str) -> Result<Revision, BuildError> {
    let wanted = format!("{name}^{{commit}}");
    let commit =
        git(folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]).map_err(|_| {
            BuildError::Git { what: format!("revision {name}"), message: "there is none of that name".into() }
        })?;
    Ok(Revision { name: name.to_owned(), commit: commit.trim().to_owned() })
}

/// Writes the files of a revision into a new folder, which borrows the objects of the repository.
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

/// Where a folder lies below the top of its repository.
pub fn place_in_repository(folder: &Path) -> Result<PathBuf, BuildError> {
    Ok(PathBuf::from(git(folder, &["rev-parse", "--show-prefix"])?.trim_end_matches('\n')))
}

/// The folder that holds the whole repository.
pub fn top(folder: &Path) -> Result<PathBuf, BuildError> {
    Ok(PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"])?.trim_end_matches('\n')))
}

/// What a folder of a repository is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The commit.
    pub commit: String,
    /// The branch; none where a commit alone is checked out.
    pub branch: Option<String>,
    /// Whether files that it knows differ from the commit.
    pub changed: bool,
}

/// What a folder is at; none where it is in no repository, or in one without a commit.
pub fn state(folder: &Path) -> Option<State> {
    let commit = git(folder, &["rev-parse", "--verify", "--quiet", "HEAD"]).ok()?.trim().to_owned();
    let differs = git(folder, &["status", "--porcelain", "--untracked-files=no"]).ok()?;
    let branch = git(folder, &["symbolic-ref", "--quiet", "--short", "HEAD"]);
    let branch = branch.map_or_else(|_| None, |name| Some(name.trim().to_owned()));
    Some(State { commit, branch, changed: !differs.is_empty() })
}

/// The branch of a folder and its newest commit; nothing where there is no repository, no branch where none is checked out.
pub fn head(folder: &Path) -> Option<(Option<String>, String)> {
    let line = |arguments: &[&str]| git(folder, arguments).ok().map(|text| text.trim().to_owned());
    let commit = line(&["rev-parse", "--verify", "--quiet", "HEAD"])?;
    Some((line(&["symbolic-ref", "--short", "--quiet", "HEAD"]), commit))
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, BuildError> {
    let mut line = Command::new("git");
    line.arg("-C").arg(folder).args(arguments);
    let output = line.output().map_err(|source| BuildError::Start { program: "git".to_owned(), source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let message = said.lines().next().unwrap_or("it failed").to_owned();
    Err(BuildError::Git { what: arguments.first().unwrap_or(&"").to_string(), message })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{State, git, head, state, top};

    #[test]
    fn a_folder_is_at_a_commit_with_or_without_changes() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        assert_eq!(state(at), None);
        if git(at, &["init", "--quiet", "--initial-branch=main"]).is_err() {
            return;
        }
        // No commit yet.
        assert_eq!((state(at), head(at)), (None, None));
        fs::write(at.join("a"), "1").unwrap();
        git(at, &["add", "a"]).unwrap();
        let user = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        git(at, &[&user[..], &["commit", "--quiet", "-m", "one"]].concat()).unwrap();
        let State { commit, branch, changed } = state(at).unwrap();
        assert_eq!((commit.len(), branch.as_deref(), changed), (40, Some("main"), false));
        // Files that it does not know are no change of the commit; others are.
        fs::write(at.join("b"), "2").unwrap();
        assert!(!state(at).unwrap().changed);
        fs::write(at.join("a"), "2").unwrap();
        assert!(state(at).unwrap().changed);
        git(at, &["checkout", "--quiet", "--detach"]).unwrap();
        assert_eq!(state(at).unwrap().branch, None);
        assert_eq!(top(at).unwrap().canonicalize().unwrap(), at.canonicalize().unwrap());
    }
}
