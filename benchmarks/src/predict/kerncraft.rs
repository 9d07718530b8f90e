//! Runs kerncraft and reads its output.
//!
//! ```text
//! form          the loop nest of a kernel as kerncraft takes it: declarations and one perfect nest, no functions
//! machine_file  the machine as kerncraft takes it: YAML, made from Lotse's description
//! answer        what it writes: cycles of the ECM model, or why it takes no such kernel
//! ```

mod answer;
mod form;
mod machine_file;

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use lotse_host::End;
use lotse_predict::machine::Machine;

pub use answer::{Ecm, reason};
pub use form::bare;
pub use machine_file::{Architecture, machine_file};

use crate::error::Error;
use crate::workshop::{Finished, Workshop};

const TOOL: &str = "kerncraft";
/// Exit statuses: success, kernel refused, and command line refused.
const ANSWERED: &[i32] = &[0, 1, 2];
/// Options that both the measured programs and kerncraft's are compiled with: without it a copying loop becomes a call of memcpy,
/// and there is no loop to look at.
pub const OPTIONS: &str = "-fno-tree-loop-distribute-patterns";

/// kerncraft with the machine that it predicts for.
#[derive(Debug)]
pub struct Kerncraft {
    path: String,
    /// What it says about itself.
    pub version: String,
}

/// kerncraft's prediction for a kernel, and its cost.
#[derive(Debug)]
pub struct KerncraftResult {
    /// The ECM model, or the reason for a refusal.
    pub outcome: Result<Ecm, String>,
    /// CPU seconds of kerncraft and of the compiler that it runs.
    pub cpu_seconds: f64,
    /// Whether the pointer increment of a loop iteration had to be given.
    pub is_helped: bool,
}

impl Kerncraft {
    /// kerncraft at a path, else on `PATH`, with a machine file for each optimisation level; `None` if it cannot be started.
    pub fn find(
        path: Option<&Path>,
        workshop: &mut Workshop,
        (machine, architecture): (&Machine, &Architecture),
    ) -> Result<Option<Self>, Error> {
        let path = path.map_or_else(|| TOOL.to_owned(), |path| path.display().to_string());
        let output = match workshop.run(TOOL, &[path.clone(), "--version".to_owned()], &[0]) {
            Ok(output) => output,
            Err(Error::Tool { end: End::NotStarted(_), .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        for level in ["-O2", "-O3"] {
            let file = workshop.path(&format!("machine{level}.yml"));
            let text = machine_file(machine, architecture, &format!("{level} {OPTIONS}"));
            fs::write(&file, text).map_err(Error::file("write", &file))?;
        }
        Ok(Some(Self { path, version: output.stdout.trim().to_owned() }))
    }

    /// The ECM model of a kernel at a size. If kerncraft finds no store with a moving address, as in a sum, the size of an element is given
    /// as the pointer increment, which is right for a loop that is not vectorised.
    pub fn predict(
        &self,
        workshop: &mut Workshop,
        (name, text): (&str, &str),
        size: i64,
        level: &str,
    ) -> Result<KerncraftResult, Error> {
        let file = workshop.path(&format!("{name}.kerncraft.c"));
        // kerncraft keeps what it knows about the instructions of a file for as long as the file is not touched.
        if !file.exists() {
            let plain = without_macros(workshop, text)?;
            fs::write(&file, plain).map_err(Error::file("write", &file))?;
        }
        let first = self.run(workshop, &file, size, (level, None))?;
        let is_lost = matches!(&first.outcome, Err(reason) if reason.contains("pointer_increment"));
        if !is_lost {
            return Ok(first);
        }
        let element = if text.contains("float") { "4" } else { "8" };
        let second = self.run(workshop, &file, size, (level, Some(element)))?;
        Ok(KerncraftResult { cpu_seconds: first.cpu_seconds + second.cpu_seconds, is_helped: true, ..second })
    }

    fn run(
        &self,
        workshop: &mut Workshop,
        file: &Path,
        size: i64,
        (level, increment): (&str, Option<&str>),
    ) -> Result<KerncraftResult, Error> {
        let json = workshop.path("kerncraft.json");
        if json.exists() {
            fs::remove_file(&json).map_err(Error::file("delete", &json))?;
        }
        let line = format!("-m machine{level}.yml -p ECM --json kerncraft.json -D N {size}");
        let mut argv = vec![self.path.clone()];
        argv.extend(line.split_whitespace().map(str::to_owned));
        argv.extend(increment.map(|bytes| format!("--pointer-increment={bytes}")));
        argv.push(file.display().to_string());
        let finished = workshop.run(TOOL, &argv, ANSWERED)?;
        Ok(KerncraftResult {
            outcome: outcome(&json, &finished)?,
            cpu_seconds: finished.cpu_seconds,
            is_helped: false,
        })
    }
}

/// The preprocessed source, since kerncraft does not support `#define`. N stays symbolic.
fn without_macros(workshop: &mut Workshop, text: &str) -> Result<String, Error> {
    let file = workshop.path("macros.c");
    fs::write(&file, text).map_err(Error::file("write", &file))?;
    Ok(workshop.run("gcc", &["gcc", "-E", "-P", "macros.c"].map(str::to_owned), &[0])?.stdout)
}

/// Reads the result file. kerncraft's exit status does not tell an unsupported kernel from a broken installation, so only a result
/// file counts as success.
fn outcome(json: &Path, finished: &Finished) -> Result<Result<Ecm, String>, Error> {
    match fs::read_to_string(json) {
        Ok(text) if !text.is_empty() => Ecm::from_json(&text).map(Ok),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::file("read", json)(error)),
        _ => Ok(Err(reason(&finished.stdout, &finished.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::outcome;
    use crate::workshop::Finished;

    #[test]
    fn only_a_written_answer_counts() {
        let folder = tempfile::tempdir().unwrap();
        let json = folder.path().join("kerncraft.json");
        let stderr = "Traceback\nValueError: Assignments are only allowed in inner most loop.\n".to_owned();
        let finished = Finished { stdout: String::new(), stderr, seconds: 1.0, cpu_seconds: 1.0 };
        let refused = Err("Assignments are only allowed in inner most loop".to_owned());
        assert_eq!(outcome(&json, &finished).unwrap(), refused, "there is no file");
        std::fs::write(&json, "").unwrap();
        assert_eq!(outcome(&json, &finished).unwrap(), refused, "the file is empty");
        std::fs::write(&json, r#"{"k": {"ECM": [4.0, [1.0, 2.0]], "iterations per cacheline": 8}}"#).unwrap();
        assert_eq!(outcome(&json, &finished).unwrap().unwrap().cycles(), 4.0);
        std::fs::write(&json, "[").unwrap();
        assert!(outcome(&json, &finished).is_err(), "the file is no JSON");
    }
}
