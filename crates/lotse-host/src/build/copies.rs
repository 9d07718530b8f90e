//! Copies of a folder of sources, one for each build, for programs that run where they were built.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::{BuildError, Link};

/// The file that marks a folder as one of copies made by Lotse.
const MARK: &str = ".lotse-copies";

/// Makes an empty folder for copies. An earlier folder of copies is replaced; any other folder is an error and not touched.
pub fn new_folder(folder: &Path) -> Result<(), BuildError> {
    let mark = folder.join(MARK);
    if mark.exists() {
        fs::remove_dir_all(folder).map_err(BuildError::file(folder))?;
    } else if folder.exists() {
        return Err(BuildError::Foreign { folder: folder.to_owned() });
    }
    fs::create_dir_all(folder).map_err(BuildError::file(folder))?;
    fs::write(&mark, b"").map_err(BuildError::file(&mark))?;
    // Copies inside a repository are not to be committed.
    let ignore = folder.join(".gitignore");
    fs::write(&ignore, b"*\n").map_err(BuildError::file(&ignore))
}

/// Copies a folder recursively, except for the folders in `except`. Symbolic links stay links.
pub fn copy_tree(from: &Path, to: &Path, except: &[&Path]) -> Result<(), BuildError> {
    let place = |path: &&Path| path.canonicalize().map_err(BuildError::file(path));
    let except = except.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    copy_below(from, to, &except)
}

fn copy_below(from: &Path, to: &Path, except: &[PathBuf]) -> Result<(), BuildError> {
    fs::create_dir_all(to).map_err(BuildError::file(to))?;
    for entry in fs::read_dir(from).map_err(BuildError::file(from))? {
        let entry = entry.map_err(BuildError::file(from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(BuildError::file(&path))?;
        if kind.is_dir() {
            if !except.contains(&path.canonicalize().map_err(BuildError::file(&path))?) {
                copy_below(&path, &target, except)?;
            }
        } else if kind.is_symlink() {
            let aim = fs::read_link(&path).map_err(BuildError::file(&path))?;
            symlink(aim, &target).map_err(BuildError::file(&target))?;
        } else if kind.is_file() {
            copy_file(&path, &target)?;
        }
    }
    Ok(())
}

/// Copies a file with its permissions and modification time, which build tools compare.
fn copy_file(from: &Path, to: &Path) -> Result<(), BuildError> {
    fs::copy(from, to).map_err(BuildError::file(to))?;
    let changed =
        fs::metadata(from).and_then(|metadata| metadata.modified()).map_err(BuildError::file(from))?;
    let file = fs::File::options().write(true).open(to);
    match file {
        Ok(file) => file.set_modified(changed).map_err(BuildError::file(to)),
        // A read-only file keeps the time of the copy.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(BuildError::file(to)(error)),
    }
}

/// The files below a folder that are the output of a link, whatever their names, as paths relative to the folder.
pub fn files_of(link: &Link, folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let size = fs::metadata(&link.output).map_err(BuildError::file(&link.output))?.len();
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(&place).map_err(BuildError::file(&place))? {
            let path = entry.map_err(BuildError::file(&place))?.path();
            let metadata = fs::symlink_metadata(&path).map_err(BuildError::file(&path))?;
            if metadata.is_dir() {
                open.push(path);
            } else if metadata.is_file() && metadata.len() == size && link.made(&path) {
                found.extend(path.strip_prefix(folder).ok().map(Path::to_owned));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Replaces a file by another one.
pub fn replace(file: &Path, with: &Path) -> Result<(), BuildError> {
    if file.exists() {
        // Writing through a hard link would change the file under its other names too.
        fs::remove_file(file).map_err(BuildError::file(file))?;
    }
    fs::copy(with, file).map(|_| ()).map_err(BuildError::file(file))
}

/// Deletes a folder recursively.
pub fn delete(folder: &Path) -> Result<(), BuildError> {
    fs::remove_dir_all(folder).map_err(BuildError::file(folder))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{copy_tree, delete, new_folder, replace};

    #[test]
    fn a_copy_leaves_one_folder_out_and_keeps_links() {
        let place = tempfile::tempdir().unwrap();
        let from = place.path().join("from");
        fs::create_dir_all(from.join("src")).unwrap();
        fs::create_dir_all(from.join("builds/0")).unwrap();
        fs::write(from.join("src/a.c"), "int a;").unwrap();
        std::os::unix::fs::symlink("src/a.c", from.join("link")).unwrap();
        let to = from.join("builds/0");
        copy_tree(&from, &to, &[&from.join("builds")]).unwrap();
        assert_eq!(fs::read_to_string(to.join("src/a.c")).unwrap(), "int a;");
        assert_eq!(fs::read_link(to.join("link")).unwrap().to_str(), Some("src/a.c"));
        assert!(!to.join("builds").exists());
        let time = |file: &std::path::Path| fs::metadata(file).unwrap().modified().unwrap();
        assert_eq!(time(&to.join("src/a.c")), time(&from.join("src/a.c")));
        fs::hard_link(to.join("src/a.c"), to.join("other")).unwrap();
        fs::write(place.path().join("new"), "new").unwrap();
        replace(&to.join("other"), &place.path().join("new")).unwrap();
        assert_eq!(fs::read_to_string(to.join("src/a.c")).unwrap(), "int a;", "the other name stays");
    }

    #[test]
    fn a_folder_of_the_user_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let error = new_folder(place.path()).unwrap_err().to_string();
        assert!(error.contains("was not made by"), "{error}");
        let own = place.path().join("own");
        new_folder(&own).unwrap();
        assert_eq!(fs::read_to_string(own.join(".gitignore")).unwrap(), "*\n");
        fs::write(own.join("old"), "").unwrap();
        new_folder(&own).unwrap();
        assert!(!own.join("old").exists());
        delete(&own).unwrap();
        assert!(!own.exists());
    }
}
