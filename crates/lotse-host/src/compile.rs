//! Compiles a source to examine the resulting machine code, which is not executed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scratch::Scratch;

/// Why a source could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error("name a compiler, such as 'gcc -O3'")]
    Empty,
    /// The command is not a compiler of a single source.
    #[error("{0} builds projects; name the compiler itself, such as 'rustc -C opt-level=3'")]
    Builder(String),
    /// A program did not start.
    #[error("cannot start {program}")]
    Start { program: String, source: std::io::Error },
    /// The compiler or linker failed.
    #[error("{program}: {message}")]
    Refused {
        program: String,
        /// The first lines that it printed.
        message: String,
    },
    #[error("cannot use {}", path.display())]
    File { path: PathBuf, source: std::io::Error },
}

/// Compiles a source with line information, makes its addresses final, and returns the bytes of the file. `command` is the
/// compiler and its options; options for the output file and for debug information are added.
pub fn compile(file: &Path, command: &[String]) -> Result<Vec<u8>, CompileError> {
    let [compiler, options @ ..] = command else { return Err(CompileError::Empty) };
    let base =
        Path::new(compiler).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if ["cargo", "make", "cmake", "ninja", "meson", "bazel"].contains(&base.as_str()) {
        return Err(CompileError::Builder(base));
    }
    let folder = scratch()?;
    let object = folder.path().join("code.o");
    let mut line = Command::new(compiler);
    line.args(options);
    match base.starts_with("rustc") {
        // Without the last option, private and small functions would be compiled only where they are called.
        true => line.args(["-g", "--emit=obj", "--crate-type=lib", "-Awarnings", "-Clink-dead-code"]),
        false => line.args(["-g", "-c"]),
    };
    run(compiler, line.arg("-o").arg(&object).arg(plain(file)))?;
    linked(&object)
}

/// The bytes of an object file, library or program. An object file is linked first, so that its addresses are final.
pub fn linked(file: &Path) -> Result<Vec<u8>, CompileError> {
    let bytes = read(file)?;
    if !is_relocatable(&bytes) {
        return Ok(bytes);
    }
    let folder = scratch()?;
    let program = folder.path().join("code");
    // Undefined functions are allowed, because nothing is executed.
    let mut line = Command::new("ld");
    line.args(["--unresolved-symbols=ignore-all", "-e", "0", "-o"]).arg(&program).arg(plain(file));
    run("ld", &mut line)?;
    read(&program)
}

/// Whether an ELF file is an object file that must be linked.
fn is_relocatable(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") && bytes.get(16..18) == Some(&[1, 0])
}

fn scratch() -> Result<Scratch, CompileError> {
    Scratch::create().map_err(|source| CompileError::File { path: std::env::temp_dir(), source })
}

fn read(path: &Path) -> Result<Vec<u8>, CompileError> {
    fs::read(path).map_err(|source| CompileError::File { path: path.to_owned(), source })
}

/// Puts `./` before a relative path, because a name that begins with a minus would be taken for an option.
fn plain(file: &Path) -> PathBuf {
    if file.is_relative() { Path::new(".").join(file) } else { file.to_owned() }
}

fn run(program: &str, line: &mut Command) -> Result<(), CompileError> {
    let output =
        line.output().map_err(|source| CompileError::Start { program: program.to_owned(), source })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let message = text.lines().take(3).collect::<Vec<_>>().join("; ");
    Err(CompileError::Refused { program: program.to_owned(), message })
}

#[cfg(test)]
mod tests {
    use super::{CompileError, compile, is_relocatable, linked};

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_source_becomes_code_with_final_addresses() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("-a.c");
        std::fs::write(&source, "double g(double); double f(double x) { return g(x) + 1; }").unwrap();
        let code = compile(&source, &words("cc -O2")).unwrap();
        assert!(code.starts_with(b"\x7fELF") && !is_relocatable(&code));
        let own = std::env::current_exe().unwrap();
        assert_eq!(
            linked(&own).unwrap().len() as u64,
            own.metadata().unwrap().len(),
            "programs are read as they are"
        );
    }

    /// Small and private functions of Rust are compiled although nothing calls them.
    #[test]
    fn functions_that_nobody_calls_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.rs");
        let text = "pub fn shown(x: u64) -> u64 { x + 1 }\nfn hidden_here(x: u64) -> u64 { x * 3 }\n";
        std::fs::write(&source, text).unwrap();
        let code = compile(&source, &words("rustc -O")).unwrap();
        let has = |name: &str| code.windows(name.len()).any(|part| part == name.as_bytes());
        assert!(has("shown") && has("hidden_here"));
    }

    #[test]
    fn errors_name_the_cause() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.c");
        std::fs::write(&source, "int f(").unwrap();
        let problem = |line: &str| compile(&source, &words(line)).unwrap_err().to_string();
        assert!(problem("cc").contains("error"), "{}", problem("cc"));
        assert!(matches!(compile(&source, &[]), Err(CompileError::Empty)));
        assert!(matches!(compile(&source, &words("cargo build")), Err(CompileError::Builder(_))));
        assert_eq!(problem("no-such-compiler-here"), "cannot start no-such-compiler-here");
    }
}
