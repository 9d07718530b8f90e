//! Builds a result set from a file: makes names of programs distinct, sorts metrics, limits the number of runs.

use std::collections::{BTreeMap, HashMap, HashSet};

use lotse_model::id::{BlockId, ProgramId};
use lotse_model::metric::KNOWN;
use lotse_model::results::{Disturbance, Levels, Outcome, Program, Run, Status};
use lotse_model::{Metric, ResultSet};

use crate::error::Place;
use crate::reading::Diagnostic;

/// A run takes some hundred bytes of memory but as little as two bytes of a file, so memory needs a limit of its own.
const MAX_RUNS: usize = 1_000_000;

/// A result set that is being built, one program after the other.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    set: ResultSet,
    /// Names in use, each with the last number that was appended to it.
    names: HashMap<String, u32>,
    /// Names of the metrics added so far.
    measured: HashSet<String>,
    /// Runs beyond [`MAX_RUNS`].
    refused: usize,
    invalid_runs: Vec<Diagnostic>,
}

impl Assembly {
    /// Adds a program under a name that no other program has.
    pub(crate) fn add_program(&mut self, mut program: Program) -> ProgramId {
        program.name = self.distinct_name(&program);
        self.set.programs.push(program);
        ProgramId::from(self.set.programs.len() - 1)
    }

    /// Adds a run of the program added last. A run with an impossible value becomes invalid.
    pub(crate) fn add_run(
        &mut self,
        program: ProgramId,
        block: usize,
        outcome: Outcome,
        values: BTreeMap<String, f64>,
    ) {
        let outcome = match impossible_value(&values) {
            Some(problem) => {
                let name = &self.set.programs[program.index()].name;
                let place = Place::Path(format!("{name}, run {}", block + 1));
                self.invalid_runs.push(Diagnostic::loss(place, problem.clone()));
                Outcome { status: Status::Invalid, problem: Some(problem), ..outcome }
            }
            None => outcome,
        };
        let block = u32::try_from(block).unwrap_or(u32::MAX);
        if self.set.runs.len() >= MAX_RUNS {
            self.refused += 1;
            return;
        }
        self.set.runs.push(Run {
            program,
            block: BlockId(block),
            position: 0,
            levels: Levels::default(),
            outcome,
            disturbance: Disturbance::default(),
            values,
            within: BTreeMap::new(),
        });
    }

    /// Adds a metric unless it is there already.
    pub(crate) fn add_metric(&mut self, metric: Metric) {
        if !self.measured.contains(&metric.name) {
            self.measured.insert(metric.name.clone());
            self.set.metrics.push(metric);
        }
    }

    /// The result set, with the metrics that Lotse knows first; adds a diagnostic if there were too many runs.
    pub(crate) fn finish(mut self, diagnostics: &mut Vec<Diagnostic>) -> ResultSet {
        let place = |metric: &Metric| KNOWN.iter().position(|known| known.name == metric.name);
        self.set.metrics.sort_by_key(|metric| place(metric).unwrap_or(KNOWN.len()));
        diagnostics.append(&mut self.invalid_runs);
        if self.refused > 0 {
            let message = format!("more than {MAX_RUNS} runs: {} at the end are left out", self.refused);
            diagnostics.push(Diagnostic::loss(Place::Whole, message));
        }
        self.set
    }

    /// The program's name; if that is taken, the name with its parameters; if that is taken too, with a number.
    fn distinct_name(&mut self, program: &Program) -> String {
        let mut name = program.name.clone();
        if self.names.contains_key(&name) && !program.parameters.is_empty() {
            let parameters: Vec<String> =
                program.parameters.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            name = format!("{name} ({})", parameters.join(", "));
        }
        while let Some(taken) = self.names.get_mut(&name) {
            *taken += 1;
            name = format!("{name} [{taken}]");
        }
        self.names.insert(name.clone(), 1);
        name
    }
}

/// Describes a value that no run can have: a negative time, size or count.
fn impossible_value(values: &BTreeMap<String, f64>) -> Option<String> {
    let is_known = |name: &String| KNOWN.iter().any(|known| known.name == *name);
    let is_impossible = |(name, value): &(&String, &f64)| **value < 0.0 && is_known(name);
    let (name, value) = values.iter().find(is_impossible)?;
    Some(format!("expected no negative {name}, found {value}: the run is not counted"))
}

#[cfg(test)]
mod tests {
    use super::{Assembly, BTreeMap, Metric, Outcome, Program};
    use lotse_model::results::Status;

    #[test]
    fn values_that_no_run_can_have_are_not_counted() {
        let mut assembly = Assembly::default();
        let program = assembly.add_program(Program { name: "ls".into(), ..Program::default() });
        for (run, (name, value)) in
            [("wall", -0.1), ("wall", 0.0), ("user", 0.0), ("user", -1.0), ("score", -1.0)]
                .into_iter()
                .enumerate()
        {
            assembly.add_run(program, run, Outcome::ok(), BTreeMap::from([(name.to_owned(), value)]));
        }
        let mut diagnostics = Vec::new();
        let set = assembly.finish(&mut diagnostics);
        let good: Vec<bool> = set.runs.iter().map(|run| run.outcome.status == Status::Ok).collect();
        assert_eq!(good, [false, true, true, false, true]);
        assert_eq!(diagnostics.len(), 2);
        assert!(diagnostics[0].to_string().contains("ls, run 1: expected no negative wall, found -0.1"));
    }

    #[test]
    fn names_become_distinct() {
        let mut assembly = Assembly::default();
        for parameter in ["1", "2", "2"] {
            let parameters = [("n".to_owned(), parameter.to_owned())].into();
            assembly.add_program(Program { name: "ls".into(), parameters, ..Program::default() });
        }
        let names: Vec<String> =
            assembly.finish(&mut Vec::new()).programs.into_iter().map(|program| program.name).collect();
        assert_eq!(names, ["ls", "ls (n = 2)", "ls (n = 2) [2]"]);
    }

    #[test]
    fn known_metrics_come_first() {
        let mut assembly = Assembly::default();
        for name in ["requests", "peak_memory", "wall", "wall"] {
            assembly.add_metric(Metric::named(name));
        }
        let names: Vec<String> =
            assembly.finish(&mut Vec::new()).metrics.into_iter().map(|metric| metric.name).collect();
        assert_eq!(names, ["wall", "peak_memory", "requests"]);
    }
}
