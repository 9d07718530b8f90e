//! A result as one number with its error for each program and metric.

use std::collections::BTreeMap;

use lotse_model::Metric;
use lotse_model::id::ProgramId;
use lotse_model::results::{Program, ResultSet, Status};
use lotse_stats::autocorrelation::effective_sample_size;
use lotse_stats::descriptive::{hodges_lehmann, mean, median, sample_sd};
use lotse_stats::walsh::{kth_walsh_average, walsh_total};
use lotse_store::MetricPoint;

/// The attribute of a program that was built from a commit of its own (`--rev`).
pub const COMMIT: &str = "commit";

/// All points of a result: each program with each metric that was measured of it, and programs without a good run.
pub fn points(set: &ResultSet, primary: Option<&str>) -> Vec<MetricPoint> {
    set.program_ids().flat_map(|id| program_points(set, id, primary)).collect()
}

fn program_points(set: &ResultSet, id: ProgramId, primary: Option<&str>) -> Vec<MetricPoint> {
    let program = &set.programs[id.index()];
    let runs = set.runs.iter().filter(|run| run.program == id);
    let failed = runs.filter(|run| run.outcome.status != Status::Ok).count() as u32;
    let point = |metric: &Metric| {
        let units = units(set, id, &metric.name);
        MetricPoint {
            program: lasting_name(program),
            command: program.command.clone(),
            commit: commit(program),
            metric: metric.name.clone(),
            unit: metric.unit,
            runs: set.samples(id, &metric.name).len() as u32,
            failed,
            contended: set.good_runs(id).filter(|run| run.disturbance.contended).count() as u32,
            centre: centre(&units),
            error: error(&units),
        }
    };
    let mut points: Vec<MetricPoint> =
        set.metrics.iter().map(point).filter(|point| point.centre.is_some()).collect();
    if points.is_empty() && failed > 0 {
        // A program without a good run has one point, of the primary metric.
        let about = primary.map(Metric::named).or_else(|| set.metrics.first().cloned());
        points.extend(about.iter().map(point));
    }
    points
}

/// The name that identifies a program across results. A program built from a revision is named after the revision, so its
/// command is used instead.
fn lasting_name(program: &Program) -> String {
    if program.attributes.contains_key(COMMIT) { program.command.clone() } else { program.name.clone() }
}

fn commit(program: &Program) -> Option<String> {
    program.attributes.get(COMMIT)?.as_str().map(str::to_owned)
}

/// The values that are independent of each other within the result: those of single runs, or the means of builds or
/// layouts where several were drawn.
fn units(set: &ResultSet, id: ProgramId, metric: &str) -> Vec<f64> {
    let mut drawn: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    let has_builds = set.runs.iter().any(|run| run.levels.build > 0);
    for run in set.good_runs(id) {
        if let Some(&value) = run.values.get(metric) {
            let unit = if has_builds { (run.levels.build, 0) } else { (0, run.levels.layout) };
            drawn.entry(unit).or_default().push(value);
        }
    }
    if drawn.len() < 2 {
        return drawn.into_values().flatten().collect();
    }
    drawn.values().filter_map(|values| mean(values).ok()).collect()
}

/// Hodges-Lehmann centre of the logarithms, which single slow runs hardly move; the median where a value has no logarithm.
fn centre(values: &[f64]) -> Option<f64> {
    match logs(values) {
        Some(logs) if logs.iter().all(|log| *log == logs[0]) => values.first().copied(),
        Some(logs) => hodges_lehmann(&logs).ok().map(f64::exp),
        None => median(values).ok(),
    }
}

/// The standard error of the logarithm of the centre, for the effective number of runs, which is smaller if neighbouring runs
/// correlate. It is half the width of the 95 % signed-rank interval divided by 1.96; with fewer than six runs, which have no
/// such interval, the usual sd / sqrt(n).
fn error(values: &[f64]) -> Option<f64> {
    const LEAST: usize = 6;
    const WIDTH: f64 = 1.96;
    let mut logs = logs(values)?;
    if logs.len() > 1 && logs.iter().all(|log| *log == logs[0]) {
        return Some(0.0);
    }
    let n = logs.len() as f64;
    let alike = (n / effective_sample_size(&logs).ok()?).sqrt();
    if logs.len() < LEAST {
        return Some(alike * sample_sd(&logs).ok()? / n.sqrt());
    }
    logs.sort_by(f64::total_cmp);
    let radius = WIDTH * (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    let lowest = ((n * (n + 1.0) / 4.0 - radius).floor() as u64).max(1);
    let ends = [lowest, walsh_total(logs.len()) + 1 - lowest].map(|k| kth_walsh_average(&logs, k));
    Some(alike * (ends[1] - ends[0]) / (2.0 * WIDTH))
}

fn logs(values: &[f64]) -> Option<Vec<f64>> {
    values.iter().map(|value| (*value > 0.0).then(|| value.ln())).collect()
}

#[cfg(test)]
mod tests {
    use lotse_model::Metric;
    use lotse_model::results::{Disturbance, Levels, Outcome, Program, ResultSet, Run, Status};

    use super::points;

    fn run(program: u32, block: u32, build: u32, wall: f64) -> Run {
        Run {
            program: lotse_model::id::ProgramId(program),
            block: lotse_model::id::BlockId(block),
            position: 0,
            levels: Levels { build, ..Levels::default() },
            outcome: Outcome::ok(),
            disturbance: Disturbance::default(),
            values: [("wall".to_owned(), wall)].into(),
            within: std::collections::BTreeMap::new(),
        }
    }

    fn set(runs: Vec<Run>) -> ResultSet {
        let program =
            |name: &str| Program { name: name.into(), command: "./app 1".into(), ..Program::default() };
        let mut built = program("main");
        built.attributes.insert("commit".into(), "abc".into());
        ResultSet {
            metrics: vec![Metric::named("wall"), Metric::named("cpu")],
            programs: vec![program("app"), built],
            runs,
            ..ResultSet::default()
        }
    }

    #[test]
    fn single_slow_runs_do_not_move_the_centre() {
        let values = [1.0, 1.01, 0.99, 1.0, 50.0, 1.0, 0.995];
        let runs = values.iter().enumerate().map(|(block, wall)| run(0, block as u32, 0, *wall)).collect();
        let found = points(&set(runs), None);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].program.as_str(), found[0].runs, found[0].failed), ("app", 7, 0));
        assert!((found[0].centre.unwrap() - 1.0).abs() < 0.02, "{found:?}");
        assert!(found[0].error.unwrap() < 1.5, "{found:?}");
    }

    #[test]
    fn what_was_built_from_a_revision_keeps_its_command_as_name() {
        // Three builds, measured twice each: builds are what is independent.
        let times = [(1, 1.0), (1, 1.0), (2, 1.1), (2, 1.1), (3, 0.9), (3, 0.9)];
        let runs = times.iter().enumerate().map(|(block, (build, wall))| run(1, block as u32, *build, *wall));
        let found = points(&set(runs.collect()), None);
        assert_eq!((found[0].program.as_str(), found[0].commit.as_deref()), ("./app 1", Some("abc")));
        let logs = [1.0_f64.ln(), 1.1_f64.ln(), 0.9_f64.ln()];
        let error = lotse_stats::descriptive::sample_sd(&logs).unwrap() / 3.0_f64.sqrt();
        assert!((found[0].error.unwrap() - error).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_program_that_always_fails_is_there_without_a_value() {
        let mut failed = run(0, 0, 0, 1.0);
        failed.outcome.status = Status::Failed;
        let found = points(&set(vec![failed]), None);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].failed, found[0].runs, found[0].centre), (1, 0, None));
    }

    #[test]
    fn constants_are_exact_and_zeros_have_no_logarithm() {
        let constant = points(&set((0..4).map(|block| run(0, block, 0, 42.0)).collect()), None);
        assert_eq!((constant[0].centre, constant[0].error), (Some(42.0), Some(0.0)));
        let zeros = points(&set([0.0, 0.0, 3.0].iter().map(|wall| run(0, 0, 0, *wall)).collect()), None);
        assert_eq!((zeros[0].centre, zeros[0].error), (Some(0.0), None));
        let one = points(&set(vec![run(0, 0, 0, 2.0)]), None);
        assert_eq!((one[0].centre, one[0].error), (Some(2.0), None));
    }
}
