//! Results from files: joined into one, and what can be concluded from them.

use lotse_model::id::ProgramId;
use lotse_model::metric;
use lotse_model::results::{Design, ResultSet};
use lotse_stats::sequential::Plan;

use crate::control;
use crate::trial::{Conclusion, StoppedBy};

/// A result read from a file, with how its measurement ended where the file says so.
#[derive(Debug, Clone)]
pub struct Imported {
    /// What the file is called in names of programs that clash.
    pub label: String,
    /// Its runs.
    pub set: ResultSet,
    /// Its last look.
    pub conclusion: Option<Conclusion>,
}

/// Joins results. Runs of different files were not made side by side, so several files are unpaired.
pub fn join(mut imported: Vec<Imported>) -> (ResultSet, Option<Conclusion>) {
    if imported.len() == 1 {
        let only = imported.remove(0);
        return (only.set, only.conclusion);
    }
    let mut joined = ResultSet { design: Design::Sequential, ..ResultSet::default() };
    for Imported { label, set, .. } in imported {
        let offset = joined.programs.len();
        for mut program in set.programs {
            if joined.program_named(&program.name).is_some() {
                program.name = distinct(&joined, &format!("{} ({label})", program.name));
            }
            joined.programs.push(program);
        }
        for mut run in set.runs {
            run.program = ProgramId::from(run.program.index() + offset);
            joined.runs.push(run);
        }
        for metric in set.metrics {
            if !joined.metrics.iter().any(|known| known.name == metric.name) {
                joined.metrics.push(metric);
            }
        }
        joined.machine = joined.machine.or(set.machine);
    }
    (joined, None)
}

fn distinct(set: &ResultSet, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
    candidates.find(|candidate| set.program_named(candidate).is_none()).expect("there are names enough")
}

/// Keeps the programs with one of the tags; no tags keep all.
pub fn with_tags(set: &ResultSet, tags: &[String]) -> ResultSet {
    let wanted = |id: &ProgramId| {
        tags.is_empty() || set.programs[id.index()].tags.iter().any(|tag| tags.contains(tag))
    };
    let kept: Vec<ProgramId> = set.program_ids().filter(wanted).collect();
    let mut chosen = set.clone();
    chosen.programs = kept.iter().map(|id| set.programs[id.index()].clone()).collect();
    chosen.runs.retain(|run| kept.contains(&run.program));
    for run in &mut chosen.runs {
        run.program =
            ProgramId::from(kept.iter().position(|id| *id == run.program).expect("only kept runs remain"));
    }
    chosen
}

/// The last look of a result, or one single look where the file does not tell of any.
pub fn conclusion(set: &ResultSet, known: Option<Conclusion>, delta: Option<f64>) -> Conclusion {
    let shown = set.programs.iter().filter(|program| !control::is_control(program)).count();
    let comparisons = shown.saturating_sub(1);
    let blocks = set.runs.iter().map(|run| run.block.0.saturating_add(1)).max().unwrap_or(0);
    let usable = known.filter(|known| known.looks.len() == comparisons.max(1) || comparisons == 0);
    let mut conclusion = usable
        .unwrap_or_else(|| Conclusion::single_look(Plan::default(), comparisons, blocks, StoppedBy::Unknown));
    conclusion.plan.delta = delta.unwrap_or(conclusion.plan.delta);
    conclusion
}

/// The metric to compare unless one is chosen: wall time, or the first there is.
pub fn primary(set: &ResultSet) -> Option<String> {
    let measured = |name: &str| set.program_ids().any(|id| !set.samples(id, name).is_empty());
    let names = std::iter::once(metric::WALL).chain(set.metrics.iter().map(|metric| metric.name.as_str()));
    names.into_iter().find(|name| measured(name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{BlockId, ProgramId};
    use lotse_model::results::{Design, Disturbance, Levels, Outcome, Program, ResultSet, Run};

    use super::{Imported, conclusion, join, primary, with_tags};

    fn imported(label: &str, name: &str, tag: &str, values: &[f64]) -> Imported {
        let program = Program { name: name.into(), tags: vec![tag.into()], ..Program::default() };
        let run = |(block, &wall): (usize, &f64)| Run {
            program: ProgramId(0),
            block: BlockId::from(block),
            position: 0,
            levels: Levels::default(),
            outcome: Outcome::ok(),
            disturbance: Disturbance::default(),
            values: [("time".to_owned(), wall)].into(),
        };
        let runs = values.iter().enumerate().map(run).collect();
        let metrics = vec![lotse_model::Metric::named("time")];
        let set = ResultSet {
            design: Design::Blocks,
            programs: vec![program],
            runs,
            metrics,
            ..ResultSet::default()
        };
        Imported { label: label.into(), set, conclusion: None }
    }

    #[test]
    fn files_are_joined_unpaired_and_names_stay_distinct() {
        let files = vec![
            imported("old", "sort", "x", &[1.0, 2.0]),
            imported("new", "sort", "y", &[3.0]),
            imported("new", "sort", "y", &[4.0]),
        ];
        let (set, _) = join(files);
        let names: Vec<&str> = set.programs.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, ["sort", "sort (new)", "sort (new) 2"]);
        assert_eq!(set.design, Design::Sequential);
        assert_eq!(set.samples(ProgramId(0), "time"), [1.0, 2.0]);
        assert_eq!(set.samples(ProgramId(2), "time"), [4.0]);
        assert_eq!(primary(&set).as_deref(), Some("time"));
        let tagged = with_tags(&set, &["y".to_owned()]);
        assert_eq!(tagged.samples(ProgramId(0), "time"), [3.0]);
        assert_eq!(tagged.programs.len(), 2);
    }

    #[test]
    fn a_file_without_looks_is_looked_at_once() {
        let (set, known) = join(vec![imported("a", "b", "x", &[1.0, 2.0])]);
        let conclusion = conclusion(&set, known, Some(0.02));
        assert_eq!(conclusion.looks[0].nominal_p, 0.05);
        assert_eq!(conclusion.plan.delta, 0.02);
    }
}
