//! What the preprocessor needs for the files of a package: the folders of its headers, and files in place of headers that only its build
//! makes or that are not installed. These are empty, unless the package has a header of that name elsewhere: builds often copy or link
//! headers to where they are looked for, such as `gsl/gsl_math.h`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lotse_host::{PreprocessError, preprocess};

use super::{Package, files, words};
use crate::error::Error;

/// Packages whose sources refuse to be compiled without a choice that their build makes.
const DEFINES: [(&str, &str); 3] =
    [("opus", "-DVAR_ARRAYS"), ("speex", "-DFLOATING_POINT"), ("speexdsp", "-DFLOATING_POINT -DUSE_SMALLFT")];

/// A file may lack so many headers.
const MOST_MISSING: usize = 100;

/// The headers of a package.
#[derive(Debug)]
pub struct Headers {
    all: Vec<PathBuf>,
    folders: BTreeSet<PathBuf>,
    /// What a build of the package would define.
    defines: &'static str,
    /// Where headers are made that are not there.
    made: tempfile::TempDir,
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
        let made = tempfile::tempdir().map_err(Error::file("make a folder in", std::env::temp_dir()))?;
        let defines =
            DEFINES.iter().find(|(name, _)| *name == package.name).map_or("", |(_, options)| options);
        Ok(Self { all, folders, defines, made })
    }

    /// A file after the preprocessor; `None` if it refuses the file for another reason than a missing header.
    pub fn preprocess(&self, file: &Path) -> Result<Option<String>, Error> {
        let mut options: Vec<String> = self.folders.iter().map(|it| format!("-I{}", it.display())).collect();
        options.extend(words(self.defines));
        options.push(format!("-I{}", self.made.path().display()));
        for _ in 0..MOST_MISSING {
            match preprocess(file, &options) {
                Ok(text) => return Ok(Some(text)),
                Err(PreprocessError::Refused { compiler, .. }) => {
                    match missing(&complaint(&compiler, &options, file)?) {
                        Some(name) => self.make(name)?,
                        None => return Ok(None),
                    }
                }
                Err(error) => {
                    return Err(Error::Answer { tool: "the preprocessor", what: error.to_string() });
                }
            }
        }
        Ok(None)
    }

    fn make(&self, name: &str) -> Result<(), Error> {
        let path = self.made.path().join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        }
        let same = self.all.iter().find(|header| header.file_name() == path.file_name());
        let text = same.map_or_else(String::new, |header| format!("#include \"{}\"\n", header.display()));
        fs::write(&path, text).map_err(Error::file("write", &path))
    }
}

/// All that the preprocessor says about a file: where a header is missing that a header includes, that is not in the first lines.
fn complaint(compiler: &str, options: &[String], file: &Path) -> Result<String, Error> {
    let output = Command::new(compiler).arg("-E").args(options).arg(file).output();
    let output = output.map_err(Error::file("preprocess", file))?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The header that a message of the preprocessor says is missing. Those that would be made outside of the folder for them are none.
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
        // Where only a build would put it.
        std::fs::write(&file, "#include <installed/p.h>\nint a[N];\n").unwrap();
        let text = Headers::new(&package).unwrap().preprocess(&file).unwrap().unwrap();
        assert!(text.contains("int a[42];"), "{text}");
    }

    /// The message about a header that another one includes is below the first lines.
    #[test]
    fn headers_of_headers_may_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a.h", "b.h"), ("b.h", "c.h"), ("c.h", "d.h"), ("d.h", "nowhere.h")] {
            std::fs::write(folder.path().join(name), format!("#include \"{text}\"\n")).unwrap();
        }
        let file = folder.path().join("x.c");
        std::fs::write(&file, "#include \"a.h\"\n#ifdef FLOATING_POINT\nint a;\n#endif\n").unwrap();
        let package = Package { name: "speex".into(), folder: folder.path().to_owned() };
        let text = Headers::new(&package).unwrap().preprocess(&file).unwrap().unwrap();
        assert!(text.contains("int a;"), "what a build defines is defined: {text}");
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
