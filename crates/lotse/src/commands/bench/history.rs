//! `lotse bench history`: shows the kept results and where they changed; adds, labels, exports and deletes results.

use std::num::NonZeroUsize;
use std::path::Path;

use lotse_bench::history::{self, HistoryAnswer, HistoryQuery, KeptDetails};
use lotse_formats::FormatError;
use lotse_host::{FileSource, build};
use lotse_model::bytes::Source;
use lotse_report::{Block, Document};
use lotse_store::{NewResult, ResultFile, ResultId, SourceOrigin, StoredResult};

use super::super::metric_names;
use super::keep;
use crate::args::{HistoryAddArgs, HistoryArgs, HistoryShowArgs, HistoryVerb};
use crate::exit::{Exit, Failure};
use crate::export::{rendered, save};
use crate::screen;

/// The number of results that a table on a terminal shows.
const ROWS: usize = 20;

/// Runs the verb; without one, shows the history.
pub(crate) fn run(args: &HistoryArgs) -> Result<Exit, Failure> {
    match &args.verb {
        None => show(&args.show),
        Some(HistoryVerb::Add(add)) => add_files(add),
        Some(HistoryVerb::Export(export)) => {
            let store = keep::open(export.store.as_deref())?;
            if export.file.exists() {
                return Err(Failure::usage(format!("`{}` exists already", export.file.display())));
            }
            let file = store.file(ResultId(export.id)).map_err(keep::failure)?;
            save(&export.file, &file.content)?;
            Ok(Exit::Done)
        }
        Some(HistoryVerb::Label(label)) => {
            let mut store = keep::open(label.store.as_deref())?;
            if label.remove {
                store.unlabel(ResultId(label.id), &label.name).map_err(keep::failure)?;
            } else {
                store.label(ResultId(label.id), &label.name).map_err(keep::failure)?;
            }
            Ok(Exit::Done)
        }
        Some(HistoryVerb::Forget(forget)) => {
            let mut store = keep::open(forget.store.as_deref())?;
            let ids: Vec<ResultId> = forget.ids.iter().map(|id| ResultId(*id)).collect();
            store.forget(&ids).map_err(keep::failure)?;
            Ok(Exit::Done)
        }
    }
}

/// Prints the series of results, and exports them.
fn show(args: &HistoryShowArgs) -> Result<Exit, Failure> {
    let store = keep::open(args.store.as_deref())?;
    let entries = store.entries().map_err(keep::failure)?;
    let machine = lotse_host::fingerprint(env!("CARGO_PKG_VERSION"));
    let choice = HistoryQuery {
        programs: args.programs.clone(),
        metric: args.metric.as_deref().map(|metric| metric_names::own_name(metric).to_owned()),
        last: args.last.map(NonZeroUsize::get),
        machine: (!args.across_machines).then_some(machine),
    };
    let answer = history::analyse(&store.path().display().to_string(), &entries, &choice);
    refuse_empty(&answer, entries.len(), args)?;
    if let Some(path) = &args.export_html {
        save(path, &rendered(&history::full(&answer), "html")?)?;
    }
    if let Some(path) = &args.export_csv {
        save(path, &rendered(&tables(&answer), "csv")?)?;
    }
    if args.json {
        return screen::json(&answer);
    }
    screen::document(&history::summary(&answer, if args.all { usize::MAX } else { ROWS }))
}

/// One table of all series, for CSV.
fn tables(answer: &HistoryAnswer) -> Document {
    let mut document = Document::new();
    document.push(Block::Table(history::table(answer)));
    document
}

/// If there is nothing to show, an error with the reason.
fn refuse_empty(answer: &HistoryAnswer, all: usize, args: &HistoryShowArgs) -> Result<(), Failure> {
    if !answer.series.is_empty() {
        return Ok(());
    }
    let message = match (all, answer.other_machines as usize) {
        (0, _) => "the history is empty: `lotse bench --keep CMD` adds a result".to_owned(),
        (all, others) if all == others => {
            format!("all {all} results were made on another machine: --across-machines shows them")
        }
        _ if !args.programs.is_empty() => format!("no result of {}", args.programs.join(", ")),
        _ => format!("no result has the metric {}", args.metric.as_deref().unwrap_or("asked for")),
    };
    Err(Failure { exit: Exit::Usage, message })
}

/// Adds result files to the history, except those that are in it already.
fn add_files(args: &HistoryAddArgs) -> Result<Exit, Failure> {
    let commit = match &args.commit {
        Some(name) => {
            let found = build::resolve(Path::new("."), name);
            Some(found.map_err(|error| Failure::new(Exit::Usage, &error))?.commit)
        }
        None => None,
    };
    // All files are read before any is added.
    let mut results = Vec::new();
    for path in &args.results {
        let mut result = result_from_file(path)?;
        result.origin = SourceOrigin { commit: commit.clone(), ..SourceOrigin::default() };
        result.labels.clone_from(&args.label);
        if result.machine.is_none() && args.this_machine {
            result.machine = Some(lotse_host::fingerprint(env!("CARGO_PKG_VERSION")));
        }
        if result.machine.is_none() {
            let name = path.display();
            screen::remark(&format!(
                "{name} does not say on which machine it was measured: add --this-machine if it was this one, else only \
                 --across-machines shows it"
            ));
        }
        results.push((path, result));
    }
    let mut store = keep::open_or_begin(args.store.as_deref())?;
    let known = store.entries().map_err(keep::failure)?;
    for (path, result) in results {
        let same = |entry: &&StoredResult| entry.date == result.date && entry.points == result.points;
        if let Some(there) = known.iter().find(same) {
            screen::remark(&format!("{} is there already as result {}", path.display(), there.id));
            continue;
        }
        let id = store.add(&result).map_err(keep::failure)?;
        screen::remark(&format!("{} is result {id}", path.display()));
    }
    Ok(Exit::Done)
}

/// A result file as an entry of the history. A remark reports damage of the file.
pub(crate) fn result_from_file(path: &Path) -> Result<NewResult, Failure> {
    let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let reading = lotse_formats::read_results(&source, None).map_err(|error| unreadable(path, &error))?;
    for diagnostic in &reading.diagnostics {
        screen::remark(&format!("{}: {diagnostic}", path.display()));
    }
    let stated = super::report::primary_metric(&source, reading.format_id);
    let primary = stated.or_else(|| lotse_bench::import::primary(&reading.value));
    if reading.value.runs.is_empty() {
        let message = format!("{}: it has no single runs, only summaries: nothing to keep", path.display());
        return Err(Failure { exit: Exit::Unreadable, message });
    }
    let file = ResultFile { format: reading.format_id.to_owned(), content: source.bytes().to_vec() };
    let keeping = KeptDetails { date: date_of(path), primary, ..KeptDetails::default() };
    Ok(history::new_result(&reading.value, file, keeping))
}

/// The failure for a file that cannot be read. Of the commands that read results, only the report takes a format.
fn unreadable(path: &Path, error: &FormatError) -> Failure {
    let advice = |found: String| {
        let message =
            format!("{found}; `lotse bench report --format FORMAT {}` reads it as one", path.display());
        Failure { exit: Exit::Unreadable, message }
    };
    match error {
        FormatError::Unrecognised { name, known } => {
            advice(format!("{name} is in none of the formats read here ({known})"))
        }
        FormatError::Ambiguous { name, claims } => {
            advice(format!("{name} could be any of {}", claims.join(", ")))
        }
        error => Failure::new(Exit::Unreadable, error),
    }
}

/// When a file was last written, for results that do not say when they were measured.
fn date_of(path: &Path) -> String {
    let modified = std::fs::metadata(path).and_then(|about| about.modified());
    modified.map_or_else(|_| lotse_host::utc_now(), lotse_host::utc_of)
}
