//! `lotse bench gate`: whether the newest result is slower than a baseline by more than is allowed.

use std::path::Path;

use lotse_bench::answer::Answer;
use lotse_bench::gate::{self, Baseline, Decision, GateAnswer, Limits};
use lotse_bench::history;
use lotse_host::build;
use lotse_report::Document;
use lotse_store::{ResultId, StoredResult};

use super::super::metric_names;
use super::history::result_from_file;
use super::keep;
use crate::args::{GateArgs, GateExportArgs, RunArgs};
use crate::exit::{Exit, Failure};
use crate::export::{rendered, save};
use crate::screen;

/// Judges one result against a baseline, prints and exports the decision; the exit status is the decision.
pub(crate) fn run(args: &GateArgs) -> Result<Exit, Failure> {
    let entries = entries(args)?;
    let (result, earlier) = result(args, &entries)?;
    let baseline = baseline(args, earlier, &result)?;
    let limits = Limits {
        max_regression: args.max_regression,
        level: args.level,
        metric: args.metric.as_deref().map(|metric| metric_names::own_name(metric).to_owned()),
        across_machines: args.across_machines,
        session_spread: args.session_spread,
    };
    let answer = gate::judge(&result, earlier, &baseline, &limits)
        .map_err(|error| Failure::new(Exit::Missing, &error))?;
    if answer.checks.iter().all(|check| check.decision == Decision::Absent) {
        let metric = limits.metric.as_deref().unwrap_or("that it is about");
        return Err(Failure::usage(format!("the result has no value of the metric {metric}")));
    }
    if args.json {
        screen::json(&answer)?;
    } else {
        show(&answer, args.quiet)?;
    }
    export(&args.exports, &answer)?;
    Ok(exit(&answer))
}

/// With `--max-regression`, judges a measurement that has just been made.
pub(crate) fn after_run(args: &RunArgs, answer: &Answer, level: f64) -> Result<Option<Exit>, Failure> {
    let Some(max_regression) = args.gate.max_regression else { return Ok(None) };
    let limits = Limits { max_regression, level, ..Limits::default() };
    let judged = gate::judge_comparisons(answer, &limits);
    if args.results.json {
        judged.checks.iter().for_each(|check| screen::remark(&gate::sentence(&judged, check)));
    } else {
        show(&judged, true)?;
    }
    export(&args.gate.exports, &judged)?;
    Ok(Some(exit(&judged)))
}

fn show(answer: &GateAnswer, only_sentences: bool) -> Result<(), Failure> {
    let mut document = gate::summary(answer);
    if only_sentences {
        document.blocks.retain(|block| !matches!(block, lotse_report::Block::Table(_)));
    }
    screen::document(&document)?;
    Ok(())
}

fn export(args: &GateExportArgs, answer: &GateAnswer) -> Result<(), Failure> {
    if let Some(path) = &args.export_junit {
        save(path, gate::junit(answer).as_bytes())?;
    }
    if let Some(path) = &args.export_summary {
        let mut text = earlier_summary(path)?;
        text.extend(rendered(&markdown(answer), "markdown")?);
        save(path, &text)?;
    }
    Ok(())
}

/// The present content of the summary of a GitHub job, which several gates of the job share; else empty.
fn earlier_summary(path: &Path) -> Result<Vec<u8>, Failure> {
    let shared = std::env::var_os("GITHUB_STEP_SUMMARY");
    let is_shared = shared.is_some_and(|shared| is_same_file(Path::new(&shared), path));
    if !is_shared {
        return Ok(Vec::new());
    }
    std::fs::read(path).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(Vec::new()),
        // Writing would delete what could not be read.
        _ => {
            let message = format!("cannot read {} to add to it: {error}", path.display());
            Err(Failure { exit: Exit::Missing, message })
        }
    })
}

/// Whether two paths name the same file, which need not exist.
fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn markdown(answer: &GateAnswer) -> Document {
    let mut document = Document::new();
    document.heading(2, format!("Benchmarks: {}", answer.decision.word()));
    document.blocks.extend(gate::summary(answer).blocks);
    document
}

fn exit(answer: &GateAnswer) -> Exit {
    match answer.decision {
        Decision::Pass => Exit::Done,
        Decision::Regression => Exit::No,
        Decision::Failed => Exit::ProgramFailed,
        Decision::Undecided => Exit::Undecided,
        // Some programs may be new or absent. If all are, there is nothing to compare with.
        Decision::New | Decision::Absent
            if answer.checks.iter().any(|check| check.decision == Decision::Pass) =>
        {
            Exit::Done
        }
        Decision::New | Decision::Absent => Exit::Missing,
    }
}

/// The results of the history. No history is needed to compare files.
fn entries(args: &GateArgs) -> Result<Vec<StoredResult>, Failure> {
    let file_alone = args.result.as_deref().is_some_and(|name| Path::new(name).is_file());
    match keep::open(args.store.as_deref()) {
        Ok(store) => store.entries().map_err(keep::failure),
        Err(failure) if failure.exit == Exit::Missing && args.store.is_none() && file_alone => Ok(Vec::new()),
        Err(failure) => Err(failure),
    }
}

/// The result to judge, and the results before it: those of the history with an earlier date.
fn result<'a>(
    args: &GateArgs,
    entries: &'a [StoredResult],
) -> Result<(StoredResult, &'a [StoredResult]), Failure> {
    let Some(name) = &args.result else {
        let (newest, earlier) = entries.split_last().ok_or_else(|| {
            let message = "the history is empty: `lotse bench --keep CMD` adds a result".to_owned();
            Failure { exit: Exit::Missing, message }
        })?;
        return Ok((newest.clone(), earlier));
    };
    if let Ok(id) = name.parse::<i64>() {
        let at = entries.iter().position(|entry| entry.id == ResultId(id)).ok_or_else(|| {
            let known: Vec<String> = entries.iter().rev().take(5).map(|entry| entry.id.to_string()).collect();
            Failure::usage(format!("the history has no result {id}; the newest are {}", known.join(", ")))
        })?;
        return Ok((entries[at].clone(), &entries[..at]));
    }
    let new = history::unsaved_entry(result_from_file(Path::new(name))?);
    let before = entries.partition_point(|entry| entry.date < new.date);
    Ok((new, &entries[..before]))
}

/// The baseline: a prefix of its name (`last:`, `label:`, `rev:`, `file:`) states its kind, else it is the first that exists of
/// file, label and revision.
fn baseline(args: &GateArgs, earlier: &[StoredResult], result: &StoredResult) -> Result<Baseline, Failure> {
    if let [name] = &args.baseline[..]
        && let Some(found) = baseline_in_history(name, earlier, &result.labels)?
    {
        return Ok(found);
    }
    let mut files = Vec::new();
    for name in &args.baseline {
        let path = Path::new(name.strip_prefix("file:").unwrap_or(name));
        if !path.is_file() {
            return Err(unknown(name, earlier, args.baseline.len() > 1));
        }
        files.push(history::unsaved_entry(result_from_file(path)?));
    }
    Ok(Baseline::Files(files))
}

/// A baseline that is the last results, a label or a revision; `None` for a file or an unknown name.
fn baseline_in_history(
    name: &str,
    earlier: &[StoredResult],
    judged_labels: &[String],
) -> Result<Option<Baseline>, Failure> {
    let commit = |name: &str| {
        let found = build::resolve(Path::new("."), name);
        found.map(|revision| Baseline::Commit { name: name.to_owned(), commit: revision.commit })
    };
    if let Some(count) = name.strip_prefix("last") {
        let count = count.strip_prefix([':', '-']).unwrap_or(count);
        match if count.is_empty() { Ok(10) } else { count.parse() } {
            Ok(count) if count > 0 => return Ok(Some(Baseline::Last(count))),
            _ if name.starts_with("last:") => {
                return Err(Failure::usage(format!("'{name}': last: takes a number of results")));
            }
            _ => {}
        }
    }
    if let Some(label) = name.strip_prefix("label:") {
        return Ok(Some(Baseline::Label(label.to_owned())));
    }
    if let Some(revision) = name.strip_prefix("rev:") {
        return commit(revision).map(Some).map_err(|error| Failure::new(Exit::Usage, &error));
    }
    if name.starts_with("file:") || Path::new(name).is_file() {
        return Ok(None);
    }
    let is_label = |entry: &StoredResult| entry.labels.iter().any(|label| label == name);
    if earlier.iter().any(is_label) {
        return Ok(Some(Baseline::Label(name.to_owned())));
    }
    // A label that only the judged result has is refused later, with the reason.
    let judged = judged_labels.iter().any(|label| label == name);
    Ok(commit(name).ok().or(judged.then(|| Baseline::Label(name.to_owned()))))
}

/// The failure for a baseline that cannot be found.
fn unknown(name: &str, earlier: &[StoredResult], several: bool) -> Failure {
    if several {
        return Failure::usage(format!("'{name}' is no file; only files can be several baselines"));
    }
    let mut labels: Vec<&str> = earlier.iter().flat_map(|entry| &entry.labels).map(String::as_str).collect();
    labels.sort_unstable();
    labels.dedup();
    let labels = if labels.is_empty() {
        "there are none".to_owned()
    } else {
        format!("there are {}", labels.join(", "))
    };
    Failure::usage(format!(
        "'{name}' is no file, no label of the history ({labels}), no revision of this repository, and not last:N"
    ))
}

#[cfg(test)]
mod tests {
    use lotse_bench::gate::Baseline;
    use lotse_store::StoredResult;

    use super::baseline_in_history;

    fn parsed(name: &str) -> Option<Baseline> {
        let entry = StoredResult {
            id: lotse_store::ResultId(1),
            date: String::new(),
            origin: lotse_store::SourceOrigin::default(),
            machine: None,
            primary: None,
            labels: vec!["lastly".into()],
            points: Vec::new(),
        };
        baseline_in_history(name, &[entry], &["cur".to_owned()]).unwrap()
    }

    #[test]
    fn names_of_baselines() {
        assert_eq!(parsed("last"), Some(Baseline::Last(10)));
        assert_eq!(parsed("last:3"), Some(Baseline::Last(3)));
        assert_eq!(parsed("last-5"), Some(Baseline::Last(5)));
        assert_eq!(parsed("lastly"), Some(Baseline::Label("lastly".into())));
        assert_eq!(parsed("label:other"), Some(Baseline::Label("other".into())));
        assert_eq!(parsed("file:x"), None);
        assert_eq!(parsed("cur"), Some(Baseline::Label("cur".into())));
        for name in ["last:x", "last:-1", "last:-5", "last:0", "rev:no-such-revision"] {
            assert!(baseline_in_history(name, &[], &[]).is_err(), "{name}");
        }
    }
}
