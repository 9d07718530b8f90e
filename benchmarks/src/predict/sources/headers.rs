//! What the preprocessor needs for the files of a package: the folders of its headers, and empty files for headers that only its build
//! makes or that are not installed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lotse_host::{PreprocessError, preprocess};

use super::{Package, files};
use crate::error::Error;

/// A file may lack so many headers.
const MOST_MISSING: usize = 30;

/// The headers of a package.
#[derive(Debug)]
pub struct Headers {
    folders: BTreeSet<PathBuf>,
    /// Where empty headers are made.
    empty: tempfile::TempDir,
}

impl Headers {
    /// Looks for them.
    pub fn new(package: &Package) -> Result<Self, Error> {
        let all = files(&package.folder, &["h", "inc", "def"])?;
        let mut folders: BTreeSet<PathBuf> =
            all.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
        // `#include "opus/opus.h"` is relative to the folder above.
        let above: Vec<PathBuf> = folders
            .iter()
            .filter_map(|it| it.parent())
            .filter(|it| it.starts_with(&package.folder))
            .map(Path::to_owned)
            .collect();
        folders.extend(above);
        let empty = tempfile::tempdir().map_err(Error::file("make a folder in", std::env::temp_dir()))?;
        Ok(Self { folders, empty })
    }

    /// A file after the preprocessor; a header that is nowhere is taken to be empty. `None` if the preprocessor refuses it otherwise.
    pub fn preprocess(&self, file: &Path) -> Result<Option<String>, Error> {
        let mut options: Vec<String> = self.folders.iter().map(|it| format!("-I{}", it.display())).collect();
        options.push(format!("-idirafter{}", self.empty.path().display()));
        for _ in 0..MOST_MISSING {
            match preprocess(file, &options) {
                Ok(text) => return Ok(Some(text)),
                Err(PreprocessError::Refused { message, .. }) => match missing(&message) {
                    Some(name) => self.make(name)?,
                    None => return Ok(None),
                },
                Err(error) => {
                    return Err(Error::Answer { tool: "the preprocessor", what: error.to_string() });
                }
            }
        }
        Ok(None)
    }

    fn make(&self, name: &str) -> Result<(), Error> {
        let path = self.empty.path().join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        }
        fs::write(&path, "").map_err(Error::file("write", &path))
    }
}

/// The header that a message of the preprocessor says is missing. Those that would be made outside of the folder for empty headers are
/// none.
fn missing(message: &str) -> Option<&str> {
    let (_, after) = message.split_once("fatal error: ")?;
    let (name, _) = after.split_once(": No such file or directory")?;
    let is_inside = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    Some(name).filter(|_| is_inside)
}

#[cfg(test)]
mod tests {
    use super::{Headers, missing};
    use crate::predict::sources::Package;

    #[test]
    fn the_missing_header_is_named() {
        let message =
            "x.c:3:10: fatal error: sub/config.h: No such file or directory; 3 | #include; compilation";
        assert_eq!(missing(message), Some("sub/config.h"));
        assert_eq!(missing("x.c:1:2: error: #error no"), None);
        assert_eq!(missing("x.c:1:2: fatal error: ../y.h: No such file or directory"), None);
    }

    #[test]
    fn headers_of_the_package_are_found_and_others_are_empty() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("include/p")).unwrap();
        std::fs::write(folder.path().join("include/p/p.h"), "#define N 42\n").unwrap();
        let file = folder.path().join("x.c");
        std::fs::write(&file, "#include <p/p.h>\n#include \"made/config.h\"\nint a[N];\n").unwrap();
        let package = Package { name: "p".into(), folder: folder.path().to_owned() };
        let text = Headers::new(&package).unwrap().preprocess(&file).unwrap().unwrap();
        assert!(text.contains("int a[42];"), "{text}");
    }

    #[test]
    fn what_the_preprocessor_refuses_otherwise_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.c");
        std::fs::write(&file, "#include <../outside.h>\n").unwrap();
        let package = Package { name: "p".into(), folder: folder.path().to_owned() };
        let headers = Headers::new(&package).unwrap();
        assert_eq!(headers.preprocess(&file).unwrap(), None, "it would be made outside of its folder");
        std::fs::write(&file, "#error \"run configure first\"\n").unwrap();
        assert_eq!(headers.preprocess(&file).unwrap(), None, "it says that it cannot be compiled");
        std::fs::write(&file, "int x;\n").unwrap();
        assert!(headers.preprocess(&file).unwrap().is_some_and(|text| text.contains("int x;")));
    }
}
