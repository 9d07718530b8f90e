//! `lotse profile`: reads profiles, lists and draws their costs, and compares them.

use std::path::{Path, PathBuf};

use lotse_formats::FormatError;
use lotse_formats::index::IndexError;
use lotse_host::{FileSource, IndexPlace};
use lotse_model::Progress;
use lotse_model::bytes::Source as _;
use lotse_profile::analysis::{Analysis, CycleMode, PartChoice};
use lotse_profile::answer::{DiagnosticAnswer, EventAnswer, remarks};
use lotse_profile::events::{Column, EventTypes, column_notes};
use lotse_profile::filter::{Filter, Pattern};
use lotse_profile::open::{Opened, Request, open};
use lotse_profile::report::{self, Numbers, Relative};
use lotse_profile::resolve::Binaries;
use lotse_profile::select::Selection;
use lotse_profile::unit::state_unit;
use lotse_report::Document;
use serde::Serialize;

use super::cache;
use crate::args::profile::{
    CyclesArg, EventArgs, FilterArgs, OutputArgs, PercentArg, ProfileArgs, ProfileVerb, ReadArgs, SelectArgs,
    ShareArgs,
};
use crate::exit::{Exit, Failure};
use crate::export::rendered;
use crate::progress::ProgressLine;
use crate::screen;

mod annotate;
pub(super) mod binaries;
mod calls;
mod convert;
mod data;
mod diff;
mod diff_lines;
mod empty_file;
mod events;
mod flame;
mod formats;
mod graph;
mod lines;
mod parts;
mod remarks;
mod stores;
mod top;
mod tree;
mod treemap;

pub(super) use empty_file::empty_file_failure;

pub(crate) fn run(args: &ProfileArgs) -> Result<Exit, Failure> {
    match &args.verb {
        ProfileVerb::Formats(args) => formats::run(args),
        ProfileVerb::Top(args) => top::run(args),
        ProfileVerb::Callers(args) => calls::run(args, lotse_profile::calls::Side::Callers),
        ProfileVerb::Callees(args) => calls::run(args, lotse_profile::calls::Side::Callees),
        ProfileVerb::Annotate(args) => annotate::run(args),
        ProfileVerb::Lines(args) => lines::run(args),
        ProfileVerb::Tree(args) => tree::run(args),
        ProfileVerb::Flame(args) => flame::run(args),
        ProfileVerb::Treemap(args) => treemap::run(args),
        ProfileVerb::Graph(args) => graph::run(args),
        ProfileVerb::Parts(args) => parts::run(args),
        ProfileVerb::Data(args) => data::run(args),
        ProfileVerb::Events(args) => events::run(args),
        ProfileVerb::Convert(args) => convert::run(args),
        ProfileVerb::Diff(args) => diff::run(args),
    }
}

/// The file of a profile, or standard input for `-`.
pub(super) fn source(file: &Path) -> Result<FileSource, Failure> {
    FileSource::open(file).map_err(|error| Failure::new(Exit::Unreadable, &error))
}

/// Reads a profile, and prints on standard error what was odd about it. Without remarks, because JSON has them, only one line
/// about losses is printed.
fn read<'a>(source: &'a FileSource, args: &ReadArgs, with_remarks: bool) -> Result<Opened<'a>, Failure> {
    let mut opened = read_lazily(source, args, with_remarks)?;
    complete(&mut opened)?;
    Ok(opened)
}

/// [`read`] with only the samples and frames that the options select.
fn read_selected<'a>(
    source: &'a FileSource,
    (args, select, events): (&ReadArgs, &SelectArgs, &EventArgs),
    with_remarks: bool,
) -> Result<Opened<'a>, Failure> {
    let mut opened = read(source, args, with_remarks)?;
    apply_selection(&mut opened, args, (select, events))?;
    Ok(opened)
}

/// Removes the samples and frames that the options do not select. The profile must be read completely.
fn apply_selection(
    opened: &mut Opened<'_>,
    args: &ReadArgs,
    (select, events): (&SelectArgs, &EventArgs),
) -> Result<(), Failure> {
    let texts = [&select.focus, &select.ignore, &select.hide, &select.show].map(Option::as_deref);
    let selection = Selection::parse(texts).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let selection = selection.for_event(events.events.first().map(String::as_str));
    if selection.is_empty() {
        return Ok(());
    }
    let (choice, cycle_mode) = (part_choice(&args.parts), cycle_mode(args.cycles));
    opened.select(&selection, &choice, cycle_mode).map_err(|error| Failure::new(Exit::Usage, &error))
}

/// Reads a profile without hiding the allocators of heap profiles.
fn read_unchanged<'a>(
    source: &'a FileSource,
    args: &ReadArgs,
    with_remarks: bool,
) -> Result<Opened<'a>, Failure> {
    let mut opened = open_and_resolve(source, args)?;
    if with_remarks {
        remarks::about_file(source.name(), &opened.diagnostics);
    } else {
        remarks::losses(source.name(), &opened.diagnostics);
    }
    complete(&mut opened)?;
    Ok(opened)
}

/// Reads a profile, from its index if there is one: then only a part of the costs is loaded, until [`complete`] loads the rest.
fn read_lazily<'a>(
    source: &'a FileSource,
    args: &ReadArgs,
    with_remarks: bool,
) -> Result<Opened<'a>, Failure> {
    let mut opened = open_and_resolve(source, args)?;
    if !args.allocators {
        opened.look_through_allocators();
    }
    if with_remarks {
        remarks::about_file(source.name(), &opened.diagnostics);
    } else {
        remarks::losses(source.name(), &opened.diagnostics);
    }
    Ok(opened)
}

/// Reads a profile completely and without any output, for the page, and keeps its index.
pub(super) fn read_for_page<'a>(
    source: &'a FileSource,
    binary: &[PathBuf],
    no_index: bool,
    progress: &mut (dyn Progress + Send),
) -> Result<Opened<'a>, Failure> {
    let args = ReadArgs {
        format: None,
        parts: Vec::new(),
        cycles: CyclesArg::Folded,
        binary: binary.to_vec(),
        allocators: false,
        unit: None,
        no_index,
    };
    let mut opened = open_with_progress(source, &args, progress)?;
    opened.look_through_allocators();
    complete(&mut opened)?;
    Ok(opened)
}

/// Reads a profile and gives names to its addresses. The event type of the parts asked for becomes the default.
fn open_and_resolve<'a>(source: &'a FileSource, args: &ReadArgs) -> Result<Opened<'a>, Failure> {
    open_with_progress(source, args, &mut ProgressLine::busy("reading"))
}

/// [`open_and_resolve`] with the receiver of progress reports.
fn open_with_progress<'a>(
    source: &'a FileSource,
    args: &ReadArgs,
    progress: &mut (dyn Progress + Send),
) -> Result<Opened<'a>, Failure> {
    let index = index_place(source, args)?;
    let request = Request { format: args.format.as_deref(), index };
    let given = binaries::existing_paths(&args.binary)?;
    let failed = |error| empty_file_failure(source).unwrap_or_else(|| format_failure(error));
    let mut opened = open(source, &request, progress).map_err(failed)?;
    let changed = source.stamp().and_then(|stamp| i64::try_from(stamp.modified).ok());
    opened.profile.recorded = opened.profile.recorded.or(changed);
    if let Some(unit) = &args.unit {
        state_unit(&mut opened.profile, opened.format, unit)
            .map_err(|error| Failure::new(Exit::Usage, &error))?;
    }
    opened.resolve(&Binaries { files: &binaries::Disk::new(), given: &given });
    if !args.parts.is_empty() {
        complete(&mut opened)?;
        let preferred = opened.prefer_event_of(&part_choice(&args.parts));
        preferred.map_err(|error| Failure::new(Exit::Usage, &error))?;
    }
    Ok(opened)
}

/// Where the index of a file is kept; `None` if it is switched off or cannot be kept.
fn index_place(source: &FileSource, args: &ReadArgs) -> Result<Option<IndexPlace>, Failure> {
    // An index has the units of the file, not the one of --unit.
    if args.no_index || args.unit.is_some() {
        return Ok(None);
    }
    let cache = cache::user_cache()?.filter(|cache| cache.limit() > 0);
    Ok(cache.and_then(|cache| lotse_profile::index::place(source, &cache)))
}

/// Loads everything that was not yet loaded from the index.
fn complete(opened: &mut Opened<'_>) -> Result<(), Failure> {
    opened.complete().map_err(index_failure)
}

fn index_failure(error: IndexError) -> Failure {
    Failure { exit: Exit::Unreadable, message: format!("{error}; --no-index reads the profile itself") }
}

pub(super) fn format_failure(error: FormatError) -> Failure {
    let exit = match error {
        FormatError::UnknownFormat { .. } | FormatError::WrongKind { .. } | FormatError::Ambiguous { .. } => {
            Exit::Usage
        }
        _ => Exit::Unreadable,
    };
    Failure::new(exit, &error)
}

/// Sums the costs of the parts chosen.
fn analyse<'a>(opened: &'a Opened<'_>, args: &ReadArgs) -> Result<Analysis<'a>, Failure> {
    let choice = part_choice(&args.parts);
    opened.analysis(&choice, cycle_mode(args.cycles)).map_err(|error| Failure::new(Exit::Usage, &error))
}

fn part_choice(parts: &[String]) -> PartChoice {
    match parts {
        [] => PartChoice::Default,
        [all] if all == "all" => PartChoice::All,
        named => PartChoice::Named(named.to_vec()),
    }
}

fn cycle_mode(cycles: CyclesArg) -> CycleMode {
    match cycles {
        CyclesArg::Folded => CycleMode::Folded,
        CyclesArg::Gprof => CycleMode::Gprof,
        CyclesArg::Raw => CycleMode::Raw,
    }
}

/// The event types of a profile, with those the user defines.
fn event_types(opened: &Opened<'_>, args: &EventArgs) -> Result<EventTypes, Failure> {
    let types =
        EventTypes::new(&opened.profile, &args.define).map_err(|error| Failure::new(Exit::Usage, &error))?;
    types.problems().iter().for_each(|problem| screen::remark(problem));
    Ok(types)
}

/// The event types asked for. Without a choice: in JSON and CSV all of the profile, in text its default one.
fn columns(types: &EventTypes, args: &EventArgs, output: &OutputArgs) -> Result<Vec<Column>, Failure> {
    let chosen: Vec<String> = match (args.events.as_slice(), args.define.as_slice()) {
        ([], []) => Vec::new(),
        ([], defined) => {
            defined.iter().map(|text| text.split('=').next().unwrap_or(text).trim().to_owned()).collect()
        }
        (events, _) => events.to_vec(),
    };
    if !chosen.is_empty() {
        return types.choose(&chosen).map_err(|error| Failure::new(Exit::Usage, &error));
    }
    if output.json || output.csv {
        return Ok(types.own());
    }
    Ok(types.default().cloned().into_iter().collect())
}

fn filter(args: &FilterArgs) -> Result<Filter, Failure> {
    let pattern = |text: &Option<String>| {
        text.as_deref().map(Pattern::parse).transpose().map_err(|error| Failure::new(Exit::Usage, &error))
    };
    Ok(Filter {
        name: pattern(&args.filter)?,
        object: pattern(&args.in_object)?,
        file: pattern(&args.in_file)?,
        class: pattern(&args.in_class)?,
    })
}

/// Notes about the event types shown.
fn about_columns(columns: &[Column], opened: &Opened<'_>, counted: bool) -> Vec<String> {
    let why = match opened.is_selection() {
        true => "numbers of calls are those of the whole file, not of what is selected",
        false => "the file does not count calls",
    };
    column_notes(columns, (!counted).then_some(why))
}

fn diagnostics(opened: &Opened<'_>, analysis_notes: &[String]) -> Vec<DiagnosticAnswer> {
    remarks(&opened.diagnostics, analysis_notes)
}

fn numbers(output: &OutputArgs) -> Numbers {
    if output.csv { Numbers::Bare } else { Numbers::Readable }
}

fn relative(shares: &ShareArgs) -> Relative {
    match shares.percent {
        PercentArg::Total => Relative::Total,
        PercentArg::Parent => Relative::Parent,
        PercentArg::Off => Relative::Off,
    }
}

fn style(output: &OutputArgs, shares: &ShareArgs) -> (Numbers, Relative) {
    (numbers(output), relative(shares))
}

/// Prints an answer as JSON, CSV or text; only text is followed by notes.
fn print(
    output: &OutputArgs,
    answer: &impl Serialize,
    document: impl FnOnce() -> Document,
    notes: &[String],
) -> Result<(), Failure> {
    if output.json {
        screen::json(answer)?;
    } else if output.csv {
        let table = rendered(&document(), "csv")?;
        screen::write(|out| out.write_all(&table))?;
    } else {
        screen::document(&document())?;
        notes.iter().for_each(|note| screen::remark(note));
    }
    Ok(())
}

/// Puts a sentence about what a document shows before the document.
fn with_lead(mut document: Document, sentence: Option<String>) -> Document {
    if let Some(sentence) = sentence {
        document.lead(sentence);
    }
    document
}

/// The sentence, or else one with the event types and their totals, so that a table always says what it counts.
fn or_totals(sentence: Option<String>, columns: &[Column], events: &[EventAnswer]) -> Option<String> {
    sentence.or_else(|| Some(report::totals_line(columns, events)))
}

/// The exit status, which also says whether costs of the file were lost.
fn ending(opened: &Opened<'_>) -> Exit {
    if opened.is_lossless() { Exit::Done } else { Exit::Unreadable }
}

/// The first `limit` rows; all of them if it is 0.
fn limited<T>(mut rows: Vec<T>, limit: usize) -> Vec<T> {
    if limit > 0 {
        rows.truncate(limit);
    }
    rows
}
