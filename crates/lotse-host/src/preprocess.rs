//! The C preprocessor: `cc -E`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a source could not be preprocessed.
#[derive(Debug, thiserror::Error)]
pub enum PreprocessError {
    /// The compiler did not start.
    #[error("cannot start {compiler} to preprocess {}: install a C compiler, or name one in CC", file.display())]
    Start { compiler: String, file: PathBuf, source: std::io::Error },
    /// The preprocessor failed.
    #[error("{compiler} -E {}: {message}", file.display())]
    Refused {
        compiler: String,
        file: PathBuf,
        /// The first lines that it printed.
        message: String,
    },
}

/// The preprocessed source with line markers. Calls `$CC`, else `cc`, with these options.
pub fn preprocess(file: &Path, options: &[String]) -> Result<String, PreprocessError> {
    let compiler =
        std::env::var("CC").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".to_owned());
    // A name that begins with a minus would be taken for an option.
    let input = if file.is_relative() { Path::new(".").join(file) } else { file.to_owned() };
    let output = Command::new(&compiler).arg("-E").args(options).arg(input).output();
    let output = match output {
        Ok(output) => output,
        Err(source) => return Err(PreprocessError::Start { compiler, file: file.to_owned(), source }),
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let message = text.lines().take(3).collect::<Vec<_>>().join("; ");
    Err(PreprocessError::Refused { compiler, file: file.to_owned(), message })
}
