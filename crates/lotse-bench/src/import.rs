//! Results from files: joined into one, and what can be concluded from them.

use lotse_model::id::ProgramId;
use lotse_model::metric;
use lotse_model::results::{Design, Program, ResultSet};
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

/// The question a result was measured for, as far as its file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The metric the verdict was planned on.
    pub primary: Option<String>,
    /// The name of the reference.
    pub reference: Option<String>,
}

/// Joins results. Runs of different files were not made side by side, so several files are unpaired.
pub fn join(mut imported: Vec<Imported>) -> (ResultSet, Option<Conclusion>) {
    if imported.len() == 1 {
        let only = imported.remove(0);
        return (only.set, only.conclusion);
    }
    let mut joined = ResultSet { design: Design::Sequential, ..ResultSet::default() };
    for Imported { label, set, .. } in imported {
        let set = control::without(&set);
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

/// Keeps the programs with one of the tags, and a control arm; no tags keep all.
pub fn with_tags(set: &ResultSet, tags: &[String]) -> ResultSet {
    let wanted =
        |program: &Program| program.tags.iter().any(|tag| tags.contains(tag)) || control::is_control(program);
    set.keep_programs(|program| tags.is_empty() || wanted(program))
}

/// The result without a control arm, as other tools should see it.
pub fn shown(set: &ResultSet) -> ResultSet {
    control::without(set)
}

/// The last look of a result, or one single look where the file does not tell of any.
pub fn conclusion(set: &ResultSet, known: Option<Conclusion>, delta: Option<f64>) -> Conclusion {
    let shown = set.programs.iter().filter(|program| !control::is_control(program)).count();
    let comparisons = shown.saturating_sub(1);
    let blocks = set.runs.iter().map(|run| run.block.0.saturating_add(1)).max().unwrap_or(0);
    let mut conclusion = match known {
        Some(known) if known.looks.len() == comparisons.max(1) => known,
        // Other programs are compared than were looked at: the strictest level of those looks holds for any of them.
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
    use lotse_model::{Fingerprint, Metric};

    use lotse_stats::sequential::Plan;

    use super::{Imported, conclusion, join, primary, with_tags};
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

    #[test]
    fn one_file_keeps_its_design_and_its_looks() {
        let known = Conclusion::single_look(Plan::default(), 1, 2, StoppedBy::Verdict);
        let only = Imported { conclusion: Some(known), ..imported("a", "b", "x", &[1.0, 2.0]) };
        let (set, found) = join(vec![only]);
        assert_eq!(set.design, Design::Blocks);
        let found = conclusion(&set, found, None);
        assert_eq!((found.stopped_by, found.blocks, found.plan.delta), (StoppedBy::Verdict, 2, 0.01));
    }

    /// A set of so many programs, the last of them a control arm where asked for.
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

    #[test]
    fn joined_files_keep_one_machine_and_all_metrics() {
        let machine =
            |name: &str| Some(Fingerprint { processor: Some(name.to_owned()), ..Fingerprint::default() });
        let [mut first, mut second, mut third] =
            ["a", "b", "c"].map(|name| imported(name, name, "x", &[1.0]));
        (second.set.machine, third.set.machine) = (machine("one"), machine("two"));
        first.set.metrics.clear();
        third.set.metrics.push(Metric::named("cpu"));
        let (set, found) = join(vec![first, second, third]);
        assert_eq!((set.machine, found.is_none()), (machine("one"), true));
        assert_eq!(set.metrics, ["time", "cpu"].map(Metric::named));
        assert_eq!(set.runs.iter().map(|run| run.program.0).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
