//! A real callgrind file: the Rust compiler on a small program, with caches, instructions and jumps.

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::workshop::Workshop;

/// What is compiled.
const COMPILED: &str = include_str!("../programs/compiled.rs");
const OPTIONS: [&str; 5] =
    ["--tool=callgrind", "--cache-sim=yes", "--dump-instr=yes", "--collect-jumps=yes", "--trace-children=no"];

/// Makes the file unless it is there already; about two minutes.
pub fn file(path: &Path, workshop: &mut Workshop) -> Result<(), Error> {
    if fs::metadata(path).is_ok_and(|it| it.len() > 0) {
        return Ok(());
    }
    let source = workshop.path("compiled.rs");
    fs::write(&source, COMPILED).map_err(Error::file("write", &source))?;
    // The compiler proper: what is on PATH may only choose one.
    let sysroot = workshop.run("rustc", &["rustc", "--print", "sysroot"].map(str::to_owned), &[0])?;
    let compiler = Path::new(sysroot.stdout.trim()).join("bin/rustc");
    let partial = path.with_extension("partial");
    let mut argv = vec!["valgrind".to_owned()];
    argv.extend(OPTIONS.map(str::to_owned));
    argv.push(format!("--callgrind-out-file={}", partial.display()));
    argv.push(compiler.display().to_string());
    argv.extend(["-O", "--edition=2021", "compiled.rs"].map(str::to_owned));
    workshop.run("rustc under valgrind", &argv, &[0])?;
    fs::rename(&partial, path).map_err(Error::file("write", path))
}

/// What the file says at its end that everything costs.
pub fn totals(path: &Path) -> Result<Vec<u64>, Error> {
    let text = fs::read(path).map_err(Error::file("read", path))?;
    let lacks = || Error::Answer { tool: "valgrind", what: "totals".to_owned() };
    let last = text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().ok_or_else(lacks)?;
    let figures = last.strip_prefix(b"totals: ").ok_or_else(lacks)?;
    let figures = String::from_utf8_lossy(figures);
    figures.split_ascii_whitespace().map(|word| word.parse().map_err(|_| lacks())).collect()
}

#[cfg(test)]
mod tests {
    use super::totals;

    #[test]
    fn totals_are_in_the_last_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "summary: 1 1\n\nfn=(1) f\n1 2 3\n\ntotals: 2 3\n").unwrap();
        assert_eq!(totals(file.path()).unwrap(), [2, 3]);
        std::fs::write(file.path(), "fn=(1) f\n1 2 3\n").unwrap();
        assert_eq!(totals(file.path()).unwrap_err().to_string(), "the answer of valgrind has no totals");
    }
}
