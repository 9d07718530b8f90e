//! How a program scales: the efficiencies of several runs beside each other, the first being the reference.
//!
//! Strong scaling: all runs solve the same problem. Speed-up = T(ref) / T, computation scaling = sum u(ref) / sum u.
//! Weak scaling: the problem grows with the threads. Speed-up and computation scaling are multiplied by
//! threads / threads(ref), so that in both cases the ideal speed-up is threads / threads(ref) and the ideal
//! computation scaling 1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analyze::RunEfficiency;
use crate::efficiency::Efficiency;
use crate::focus::FocusAnswer;

/// How the problem grows from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Not at all.
    #[default]
    Strong,
    /// With the number of threads.
    Weak,
}

/// One run of a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScalingRow {
    /// What the run is called.
    pub name: String,
    /// Processes.
    pub processes: usize,
    /// Threads of all processes.
    pub threads: usize,
    /// How many times faster than the reference.
    pub speedup: Option<f64>,
    /// How many times faster it would be with perfect scaling.
    pub ideal_speedup: Option<f64>,
    /// How much less was computed than in the reference, for the problem's size.
    pub computation_scaling: Option<f64>,
    /// Parallel efficiency x computation scaling.
    pub global_efficiency: Option<f64>,
    /// The run's own efficiencies.
    pub efficiency: Efficiency,
    /// The same of the part that is the program's own or was asked for; null where that is all of the run.
    pub focus: Option<FocusScaling>,
}

/// The focus of one run of a table, compared with that of the reference. Where the focus of a run is all of it, all of
/// it is compared.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FocusScaling {
    /// What part of the run it is.
    pub what: String,
    /// Where it begins, in seconds after the first event.
    pub begin: f64,
    /// Where it ends, likewise.
    pub end: f64,
    /// How many times faster than the reference.
    pub speedup: Option<f64>,
    /// How much less was computed than in the reference, for the problem's size.
    pub computation_scaling: Option<f64>,
    /// Parallel efficiency x computation scaling.
    pub global_efficiency: Option<f64>,
    /// Its own efficiencies.
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

    /// So many ranks that compute so long each and then wait for the end.
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
