//! Scaling: compares the efficiencies of several runs with those of the first, the reference.
//!
//! Strong scaling: all runs solve the same problem. Speed-up = T(ref) / T, computation scaling = sum u(ref) / sum u.
//! Weak scaling: the problem grows with the threads. Speed-up and computation scaling are multiplied by
//! threads / threads(ref), so that in both cases the ideal speed-up is threads / threads(ref) and the ideal
//! computation scaling 1.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analyze::RunEfficiency;
use crate::efficiency::Efficiency;
use crate::focus::FocusAnswer;

/// How the problem grows from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// The problem has the same size in all runs.
    #[default]
    Strong,
    /// The problem grows with the number of threads.
    Weak,
}

/// One run of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ScalingRow {
    /// The name of the run.
    pub name: String,
    /// Number of processes.
    pub processes: usize,
    /// Number of threads of all processes.
    pub threads: usize,
    /// Speed-up relative to the reference.
    pub speedup: Option<f64>,
    /// Speed-up with perfect scaling.
    pub ideal_speedup: Option<f64>,
    /// Computing time of the reference divided by that of this run, scaled to the problem's size.
    pub computation_scaling: Option<f64>,
    /// Parallel efficiency x computation scaling.
    pub global_efficiency: Option<f64>,
    /// The efficiencies of the run.
    pub efficiency: Efficiency,
    /// The same for the program's own part, or the requested region; null where that is the whole run.
    pub focus: Option<FocusScaling>,
}

/// The focus of one run of a table, compared with that of the reference. The focus may be the whole run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FocusScaling {
    /// A description of the part of the run.
    pub what: String,
    /// Its begin, in seconds after the first event.
    pub begin: f64,
    /// Its end, in seconds after the first event.
    pub end: f64,
    /// Speed-up relative to the reference.
    pub speedup: Option<f64>,
    /// Computing time of the reference divided by that of this run, scaled to the problem's size.
    pub computation_scaling: Option<f64>,
    /// Parallel efficiency x computation scaling.
    pub global_efficiency: Option<f64>,
    /// Its efficiencies.
    pub efficiency: Efficiency,
}

/// A row for each run, in the order given.
pub fn scaling(runs: Vec<(String, RunEfficiency)>, scaling: Scaling) -> Vec<ScalingRow> {
    let Some(reference) = runs.first().map(|(_, first)| first.clone()) else { return Vec::new() };
    let row = |(name, RunEfficiency { run, focus }): (String, RunEfficiency)| {
        let focus = focus.and_then(|focus| focus_row(focus, reference.own(), scaling));
        ScalingRow { focus, ..row(name, run, &reference.run, scaling) }
    };
    runs.into_iter().map(row).collect()
}

fn focus_row(focus: FocusAnswer, reference: &Efficiency, scaling: Scaling) -> Option<FocusScaling> {
    let row = row(String::new(), focus.efficiency?, reference, scaling);
    Some(FocusScaling {
        what: focus.what,
        begin: focus.begin,
        end: focus.end,
        speedup: row.speedup,
        computation_scaling: row.computation_scaling,
        global_efficiency: row.global_efficiency,
        efficiency: row.efficiency,
    })
}

/// A run compared with the reference: with weak scaling, ratios are multiplied by the growth of the problem.
fn row(name: String, run: Efficiency, reference: &Efficiency, scaling: Scaling) -> ScalingRow {
    let ideal_speedup = (reference.threads > 0).then(|| run.threads as f64 / reference.threads as f64);
    let growth = match scaling {
        Scaling::Strong => Some(1.0),
        Scaling::Weak => ideal_speedup,
    };
    let scaled = |ratio: Option<f64>| Some(ratio? * growth?);
    let faster = (run.runtime > 0.0).then(|| reference.runtime / run.runtime);
    ScalingRow {
        name,
        processes: run.useful.len(),
        threads: run.threads,
        speedup: scaled(faster),
        ideal_speedup,
        computation_scaling: scaled(run.computation_scaling(reference)),
        global_efficiency: scaled(run.global_efficiency(reference)),
        efficiency: run,
        focus: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Scaling, scaling};
    use crate::analyze::RunEfficiency;
    use crate::efficiency::efficiency;
    use crate::fixture::Script;

    /// Ranks that compute for the given times and then wait for the end.
    fn run(work: &[u64], runtime: u64) -> RunEfficiency {
        let mut script = Script::processes(work.len() as u32);
        for (rank, &work) in work.iter().enumerate() {
            script.enter(rank, 0, "main").barrier(rank, work, runtime).leave(rank, runtime, "main");
        }
        RunEfficiency { run: efficiency(&script.trace(), None).unwrap(), focus: None }
    }

    #[test]
    fn the_same_problem_on_more_processes() {
        let runs = vec![("one".to_owned(), run(&[800], 1000)), ("two".to_owned(), run(&[500, 300], 625))];
        let rows = scaling(runs, Scaling::Strong);
        assert_eq!((rows[0].speedup, rows[0].computation_scaling), (Some(1.0), Some(1.0)));
        assert_eq!((rows[1].processes, rows[1].ideal_speedup, rows[1].speedup), (2, Some(2.0), Some(1.6)));
        assert_eq!(rows[1].computation_scaling, Some(1.0));
        assert_eq!(rows[1].global_efficiency, Some(800.0 / 1250.0));
    }

    #[test]
    fn a_problem_that_grows_with_the_processes() {
        let runs = vec![("one".to_owned(), run(&[800], 1000)), ("two".to_owned(), run(&[800, 800], 1000))];
        let rows = scaling(runs, Scaling::Weak);
        assert_eq!((rows[1].speedup, rows[1].computation_scaling), (Some(2.0), Some(1.0)));
        assert_eq!(rows[1].global_efficiency, Some(0.8));
    }

    #[test]
    fn no_runs_no_rows() {
        assert!(scaling(Vec::new(), Scaling::Strong).is_empty());
    }
}
