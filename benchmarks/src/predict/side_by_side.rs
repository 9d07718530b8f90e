//! Lotse and kerncraft on the same kernel at the same size.

use std::fs;
use std::path::Path;

use lotse_predict::time::Compiler;
use serde::Deserialize;

use super::kerncraft::{Kerncraft, KerncraftResult, OPTIONS, bare};
use super::kernels::Kernel;
use super::measure::Program;
use crate::error::Error;
use crate::lotse::Lotse;
use crate::workshop::Workshop;

const TOOL: &str = "lotse";

/// What `lotse predict --json` prints, as far as it is used here.
#[derive(Debug, Deserialize)]
struct Answer {
    seconds: f64,
    loops: Vec<Loop>,
    refused: Vec<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct Loop {
    iterations: f64,
}

/// A predicted time and the cost of the prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predicted {
    /// Seconds of the loop nest.
    pub seconds: f64,
    /// CPU seconds of the tool.
    pub cpu_seconds: f64,
}

/// Measured and predicted times of a kernel at a size and an optimisation level.
#[derive(Debug)]
pub struct ComparedKernel {
    /// The name of the kernel.
    pub kernel: String,
    /// N.
    pub size: i64,
    /// `-O2` or `-O3`.
    pub level: &'static str,
    /// Measured seconds.
    pub measured: f64,
    /// Predicted by Lotse from the source.
    pub lotse: Predicted,
    /// Predicted by Lotse from the compiled loops.
    pub compiled: Predicted,
    /// kerncraft's prediction, or why it refuses the kernel.
    pub kerncraft: Result<Predicted, String>,
    /// Whether kerncraft had to be given the pointer increment.
    pub is_helped: bool,
}

/// The level of optimisation.
pub fn level(compiler: Compiler) -> Option<&'static str> {
    match compiler {
        Compiler::GccO2 => Some("-O2"),
        Compiler::GccO3 => Some("-O3"),
        Compiler::RustcO => None,
    }
}

/// The tools and the description of the machine that both use.
#[derive(Debug)]
pub struct Tools<'t> {
    /// Lotse.
    pub lotse: &'t Lotse,
    /// The peer.
    pub kerncraft: &'t Kerncraft,
    /// Lotse's description of the machine.
    pub machine: &'t Path,
    /// Its clock.
    pub clock_ghz: f64,
}

impl Tools<'_> {
    /// Predicts a measured kernel with both tools. `refused` is the reason why kerncraft refuses it, if that is known already.
    pub fn compare(
        &self,
        workshop: &mut Workshop,
        kernel: &Kernel,
        program: &Program,
        refused: Option<&str>,
    ) -> Result<ComparedKernel, Error> {
        let lacks =
            |what: &str| Error::Answer { tool: "a kernel", what: format!("{what} of {}", kernel.name) };
        let level = level(program.compiler).ok_or_else(|| lacks("level"))?;
        let file = workshop.path(&format!("{}.c", kernel.name));
        fs::write(&file, &kernel.text).map_err(Error::file("write", &file))?;
        let size = program.size;
        let assume = format!("gcc{level}");
        let (lotse, iterations) = self.predict(workshop, &file, size, &["--assume", &assume])?;
        let command = format!("gcc {level} {OPTIONS} -DN={size}");
        let (compiled, _) = self.predict(workshop, &file, size, &["--compile", &command])?;
        let result = match refused {
            Some(reason) => {
                KerncraftResult { outcome: Err(reason.to_owned()), cpu_seconds: 0.0, is_helped: false }
            }
            None => {
                let text = bare(&kernel.text).ok_or_else(|| lacks("loop nest"))?;
                self.kerncraft.predict(workshop, (&kernel.name, &text), size, level)?
            }
        };
        let kerncraft = result.outcome.map(|ecm| Predicted {
            seconds: ecm.seconds(iterations, self.clock_ghz),
            cpu_seconds: result.cpu_seconds,
        });
        let measured = program.seconds().ok_or_else(|| lacks("time"))?;
        let (kernel, is_helped) = (kernel.name.clone(), result.is_helped);
        Ok(ComparedKernel { kernel, size, level, measured, lotse, compiled, kerncraft, is_helped })
    }

    /// Lotse's time, and the iterations of the innermost loop.
    fn predict(
        &self,
        workshop: &mut Workshop,
        file: &Path,
        size: i64,
        more: &[&str],
    ) -> Result<(Predicted, f64), Error> {
        let text = |path: &Path| path.display().to_string();
        let mut argv = vec![text(self.lotse.path()), "predict".to_owned(), text(file)];
        argv.extend(["--function", "kernel", "--json", "-D"].map(str::to_owned));
        argv.extend([format!("N={size}"), "--machine".to_owned(), text(self.machine)]);
        argv.extend(more.iter().map(|&word| word.to_owned()));
        let finished = workshop.run(TOOL, &argv, &[0])?;
        let answer: Answer =
            serde_json::from_str(&finished.stdout).map_err(|source| Error::Json { tool: TOOL, source })?;
        let iterations = answer.loops.iter().map(|it| it.iterations).fold(0.0, f64::max);
        if !answer.refused.is_empty() || iterations <= 0.0 {
            return Err(Error::Answer { tool: TOOL, what: format!("time of {}", file.display()) });
        }
        Ok((Predicted { seconds: answer.seconds, cpu_seconds: finished.cpu_seconds }, iterations))
    }
}

/// Pairs of predicted and measured seconds of the rows that both tools take: by kerncraft, by Lotse, by Lotse from compiled loops.
pub fn pairs(rows: &[&ComparedKernel]) -> [Vec<(f64, f64)>; 3] {
    let both: Vec<(&ComparedKernel, Predicted)> =
        rows.iter().filter_map(|row| Some((*row, *row.kerncraft.as_ref().ok()?))).collect();
    [
        both.iter().map(|(row, predicted)| (predicted.seconds, row.measured)).collect(),
        both.iter().map(|(row, _)| (row.lotse.seconds, row.measured)).collect(),
        both.iter().map(|(row, _)| (row.compiled.seconds, row.measured)).collect(),
    ]
}

#[cfg(test)]
mod tests {
    use super::{Answer, ComparedKernel, Predicted, level, pairs};
    use lotse_predict::time::Compiler;

    #[test]
    fn only_gcc_has_a_level() {
        assert_eq!(
            [Compiler::GccO2, Compiler::GccO3, Compiler::RustcO].map(level),
            [Some("-O2"), Some("-O3"), None]
        );
    }

    #[test]
    fn only_rows_that_both_take_are_compared() {
        let predicted = |seconds| Predicted { seconds, cpu_seconds: 1.0 };
        let row = |kerncraft| ComparedKernel {
            kernel: "k".into(),
            size: 1,
            level: "-O2",
            measured: 2.0,
            lotse: predicted(3.0),
            compiled: predicted(4.0),
            kerncraft,
            is_helped: false,
        };
        let (one, other) = (row(Ok(predicted(1.0))), row(Err("no".into())));
        assert_eq!(pairs(&[&one, &other]), [vec![(1.0, 2.0)], vec![(3.0, 2.0)], vec![(4.0, 2.0)]]);
    }

    #[test]
    fn the_answer_of_lotse_is_read() {
        let text = r#"{"schema": "lotse.predict/1", "seconds": 2e-6, "refused": [], "loops": [
            {"iterations": 48.0, "seconds": 0}, {"iterations": 2304.0, "seconds": 1e-6}]}"#;
        let answer: Answer = serde_json::from_str(text).unwrap();
        assert_eq!((answer.seconds, answer.loops[1].iterations, answer.refused.len()), (2e-6, 2304.0, 0));
    }
}
