//! Results from files, and what can be concluded from them.

use lotse_model::id::{BlockId, ProgramId};
use lotse_model::metric;
use lotse_model::results::{Program, ResultSet, Run};
use lotse_stats::sequential::Plan;

use crate::control;
use crate::select::{Candidate, Selection};
use crate::shell_error::ShellError;
use crate::trial::{Conclusion, StoppedBy};

mod several;

pub use several::{ImportError, ReportChoice, analyse_several};

/// A result read from a file, with the end of its measurement if the file has it.
#[derive(Debug, Clone)]
pub struct Imported {
    /// A short name of the file, added to names of programs that are in several files.
    pub label: String,
    pub set: ResultSet,
    /// The last look of its measurement.
    pub conclusion: Option<Conclusion>,
    pub question: PlannedQuestion,
}

impl Imported {
    pub(crate) fn shell(&self) -> Option<&ShellError> {
        self.conclusion.as_ref()?.shell.as_ref()
    }
}

/// The question a result was measured for, as far as its file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlannedQuestion {
    /// The metric the verdict was planned on.
    pub primary: Option<String>,
    /// The name of the reference.
    pub reference: Option<String>,
}

/// Keeps the programs with one of the tags, and a control arm; no tags keep all.
pub fn with_tags(set: &ResultSet, tags: &[String]) -> ResultSet {
    let wanted =
        |program: &Program| program.tags.iter().any(|tag| tags.contains(tag)) || control::is_control(program);
    set.keep_programs(|program| tags.is_empty() || wanted(program))
}

/// Adds the runs of a result to those of another. Programs with the same name are merged, others are added.
pub fn appended(mut old: ResultSet, new: &ResultSet) -> ResultSet {
    let offset = old.runs.iter().map(|run| run.block.0.saturating_add(1)).max().unwrap_or(0);
    let mut places = Vec::with_capacity(new.programs.len());
    for program in &new.programs {
        let known = old.program_named(&program.name);
        places.push(known.unwrap_or_else(|| {
            old.programs.push(program.clone());
            ProgramId::from(old.programs.len() - 1)
        }));
    }
    for metric in &new.metrics {
        if !old.metrics.iter().any(|known| known.name == metric.name) {
            old.metrics.push(metric.clone());
        }
    }
    old.runs.extend(new.runs.iter().map(|run| Run {
        program: places[run.program.index()],
        block: BlockId(run.block.0.saturating_add(offset)),
        ..run.clone()
    }));
    old
}

/// Keeps only the wanted metrics.
pub fn with_metrics(mut set: ResultSet, wanted: impl Fn(&str) -> bool) -> ResultSet {
    set.metrics.retain(|metric| wanted(&metric.name));
    for run in &mut set.runs {
        run.values.retain(|name, _| wanted(name));
    }
    set
}

/// Keeps the selected programs, and a control arm.
pub fn selected(set: &ResultSet, selection: &Selection) -> ResultSet {
    set.keep_programs(|program| control::is_control(program) || selection.keeps(candidate(program)))
}

/// A program of a result, for a selection.
pub fn candidate(program: &Program) -> Candidate<'_> {
    Candidate { name: &program.name, tags: &program.tags, number: None }
}

/// The result without a control arm, as other tools should see it.
pub fn shown(set: &ResultSet) -> ResultSet {
    control::without_arm(set)
}

/// The last look of a result, or a single look at all runs if the file records none.
pub fn conclusion(set: &ResultSet, known: Option<Conclusion>, delta: Option<f64>) -> Conclusion {
    let shown = set.programs.iter().filter(|program| !control::is_control(program)).count();
    let comparisons = shown.saturating_sub(1);
    let blocks = set.runs.iter().map(|run| run.block.0.saturating_add(1)).max().unwrap_or(0);
    let mut conclusion = match known {
        Some(known) if known.looks.len() == comparisons.max(1) => known,
        // The set of compared programs differs from that of the looks: the strictest level of those looks holds for any set.
        Some(known) => known.strictest(comparisons),
        None => Conclusion::single_look(Plan::default(), comparisons, blocks, StoppedBy::Unknown),
    };
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

    use lotse_stats::sequential::Plan;

    use super::{Imported, PlannedQuestion, conclusion, primary};
    use crate::trial::{Conclusion, StoppedBy};

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
            within: Default::default(),
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
        Imported { label: label.into(), set, conclusion: None, question: PlannedQuestion::default() }
    }

    #[test]
    fn a_file_without_looks_is_looked_at_once() {
        let set = imported("a", "b", "x", &[1.0, 2.0]).set;
        let conclusion = conclusion(&set, None, Some(0.02));
        assert_eq!(conclusion.looks[0].nominal_p, 0.05);
        assert_eq!(conclusion.plan.delta, 0.02);
    }

    #[test]
    fn one_file_keeps_its_design_and_its_looks() {
        let known = Conclusion::single_look(Plan::default(), 1, 2, StoppedBy::Verdict);
        let set = imported("a", "b", "x", &[1.0, 2.0]).set;
        let found = conclusion(&set, Some(known), None);
        assert_eq!((found.stopped_by, found.blocks, found.plan.delta), (StoppedBy::Verdict, 2, 0.01));
    }

    /// A set of `count` programs, with `control` the last of them as a control arm.
    fn programs(count: usize, control: bool) -> ResultSet {
        let mut set = imported("a", "b", "x", &[1.0]).set;
        set.programs = (0..count).map(|i| Program { name: format!("p{i}"), ..Program::default() }).collect();
        if control {
            set.programs[count - 1].tags.push("lotse:control".to_owned());
        }
        set
    }

    #[test]
    fn looks_fit_the_comparisons_or_are_the_strictest() {
        let looks = |set: &ResultSet, recorded: usize| {
            let known = Conclusion::single_look(Plan::default(), recorded, 7, StoppedBy::Verdict);
            let found = conclusion(set, Some(known), None);
            assert_eq!((found.stopped_by, found.blocks), (StoppedBy::Verdict, 7));
            found.looks.into_iter().map(|look| look.nominal_p).collect::<Vec<_>>()
        };
        assert_eq!(looks(&programs(3, false), 2), [0.05, 0.025]);
        assert_eq!(looks(&programs(3, true), 1), [0.05]);
        // Programs chosen by tags after the measurement: the recorded looks were for others.
        assert_eq!(looks(&programs(3, false), 1), [0.05, 0.05]);
        assert_eq!(looks(&programs(2, false), 3), [0.05 / 3.0]);
        assert_eq!(looks(&programs(1, false), 1), [0.05]);
    }

    #[test]
    fn wall_time_comes_first_where_it_was_measured() {
        let mut set = imported("a", "b", "x", &[1.0]).set;
        assert_eq!(primary(&set).as_deref(), Some("time"));
        set.runs[0].values.insert("wall".to_owned(), 1.0);
        assert_eq!(primary(&set).as_deref(), Some("wall"));
        set.runs.clear();
        assert_eq!(primary(&set), None);
    }
}
