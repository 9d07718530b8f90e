//! `lotse bench report`: joins, compares and renders results of Lotse, hyperfine or temci.

use std::ffi::OsStr;
use std::path::Path;

use clap::Parser as _;

use lotse_bench::analysis::{Question, analyse};
use lotse_bench::answer::Answer;
use lotse_bench::csv;
use lotse_bench::import::{self, ImportError, Imported, PlannedQuestion, ReportChoice};
use lotse_bench::report::{self, View};
use lotse_bench::trial::Conclusion;
use lotse_formats::FormatError;
use lotse_formats::Reading;
use lotse_formats::bench::lotse_log::{self, ResultLog};
use lotse_formats::bench::{codespeed, hyperfine, lotse_json, temci_result};
use lotse_host::FileSource;
use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_report::Document;

use super::super::metric_names;
use super::export::{hyperfine_json, remark_failed_runs};
use super::run::{colour, verdicts, view};
use super::{report_choice, settings, status};
use crate::args::{BenchVerb, Cli, Command, ReportArgs, ReportFormat, ReportTable};
use crate::exit::{Exit, Failure};
use crate::export::{bytes, rendered, sarif, save};
use crate::screen;
use crate::settings::Settings;

/// Reads all results, selects programs and metrics, compares, and writes the report; the exit status is that of the answer.
pub(crate) fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let (temci, remarks) = settings::load(args.select.settings.as_deref(), &["report", "stats"])?;
    remarks.iter().for_each(|remark| screen::remark(remark));
    let args = &settings::complete_report(args, &temci)?;
    let mut all_complete = true;
    let mut imported = Vec::new();
    for path in &args.results {
        let (result, complete) = read(path, args.format.as_deref())?;
        all_complete &= complete;
        imported.push(result);
    }
    report_choice::apply(args, &mut imported)?;
    let (set, answer) = answer(args, imported)?;
    write(args, &import::shown(&set), &answer)?;
    if args.out.is_some() || args.json || args.show.quiet || !screen::is_terminal() {
        let seen = args.show.quiet && args.out.is_none() && !args.json && screen::is_terminal();
        status::report_problems(&answer, seen);
    }
    Ok(if all_complete { status::exit(&answer) } else { Exit::Unreadable })
}

/// Reads one file, and says whether all of it could be read. Of a damaged file, the rest is used.
fn read(path: &Path, format: Option<&str>) -> Result<(Imported, bool), Failure> {
    let (imported, format) = import_file(path, format)?;
    for problem in &format.problems {
        screen::remark(&format!("{}: {problem}", path.display()));
    }
    Ok((imported, format.complete))
}

/// What reading a file says beside its results.
struct ReadFile {
    format: &'static str,
    complete: bool,
    problems: Vec<String>,
}

fn import_file(path: &Path, format: Option<&str>) -> Result<(Imported, ReadFile), Failure> {
    let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let failure = |error: FormatError| match error {
        FormatError::UnknownFormat { .. } | FormatError::WrongKind { .. } => {
            Failure::new(Exit::Usage, &error)
        }
        error => Failure::new(Exit::Unreadable, &error),
    };
    let reading = lotse_formats::read_results(&source, format).map_err(failure)?;
    let complete = reading.complete();
    let problems = reading.diagnostics.iter().map(ToString::to_string).collect();
    let (conclusion, question) = end_of_measurement(&source, reading.format_id);
    let label = path
        .file_stem()
        .map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned());
    let file = ReadFile { format: reading.format_id, complete, problems };
    Ok((Imported { label, set: reading.value, conclusion, question }, file))
}

/// How a measurement of Lotse ended, and its metric and reference; files of other tools do not state these. A log without an
/// end was cut off.
fn end_of_measurement(source: &FileSource, format_id: &str) -> (Option<Conclusion>, PlannedQuestion) {
    if format_id == lotse_json::FORMAT.id {
        let Some(end) = lotse_json::read_end(source) else { return (None, PlannedQuestion::default()) };
        let asked = PlannedQuestion { primary: end.primary, reference: end.reference };
        return (Conclusion::from_record(&end.end), asked);
    }
    let log = if format_id == lotse_log::FORMAT.id { lotse_log::read(source).ok() } else { None };
    let Some(Reading { value: log, .. }) = log else { return (None, PlannedQuestion::default()) };
    let ResultLog { results, primary, reference, plan, look, end, parts: _ } = log;
    let ended = end.as_ref().and_then(Conclusion::from_record);
    let cut = || Conclusion::from_cut_file(plan, look.as_ref(), &results);
    (Some(ended.unwrap_or_else(cut)), PlannedQuestion { primary, reference })
}

/// The answer that `lotse bench report FILE` gives.
pub(crate) fn answer_from_file(path: &Path) -> Result<Answer, Failure> {
    let args = report_args(path)?;
    let (result, _) = read(path, None)?;
    Ok(answer(&args, vec![result])?.1)
}

/// The answer, the format of the file and what was odd about it, without any output.
pub(crate) fn answer_for_page(path: &Path) -> Result<(Answer, &'static str, Vec<String>), Failure> {
    let args = report_args(path)?;
    let (result, file) = import_file(path, None)?;
    Ok((answer(&args, vec![result])?.1, file.format, file.problems))
}

/// The arguments of `lotse bench report FILE`.
fn report_args(path: &Path) -> Result<Box<ReportArgs>, Failure> {
    let line = ["lotse", "bench", "report"].map(OsStr::new).into_iter().chain([path.as_os_str()]);
    let parsed = Cli::try_parse_from(line);
    let Ok(Cli { command: Some(Command::Bench(bench)), .. }) = parsed else {
        return Err(Failure::usage("a result file has no such name"));
    };
    match bench.verb {
        Some(BenchVerb::Report(args)) => Ok(args),
        _ => Err(Failure::usage("a result file has no such name")),
    }
}

/// The metric of the verdict, if the file is of Lotse; files of other tools do not state it.
pub(crate) fn primary_metric(source: &FileSource, format_id: &str) -> Option<String> {
    end_of_measurement(source, format_id).1.primary
}

/// Compares the programs of one result, or of several results joined. Metric and reference are those asked for, else those
/// that the result was measured for, else the first ones.
fn answer(args: &ReportArgs, mut imported: Vec<Imported>) -> Result<(ResultSet, Answer), Failure> {
    let thresholds = Settings::load()?.thresholds();
    let metrics = report_choice::metrics(args);
    let first = metrics.first().map(String::as_str);
    let metric = args.metric.as_deref().map(metric_names::own_name).or(first);
    if imported.len() > 1 {
        let reference = args.reference.as_deref();
        let choice = ReportChoice { reference, metric, delta: args.delta, thresholds: &thresholds };
        let several = import::analyse_several(imported, choice).map_err(|error| several_failure(args, error));
        return several.map(|(set, answer)| (set, Answer { chosen_metrics: metrics, ..answer }));
    }
    let Imported { set, conclusion, question, .. } = imported.remove(0);
    let planned = metric.map(str::to_owned).or(question.primary);
    let primary = planned.or_else(|| import::primary(&set)).ok_or_else(|| no_data(args))?;
    let measured = |name: &str| set.program_ids().any(|id| !set.samples(id, name).is_empty());
    let known: Vec<&str> = set.metrics.iter().map(|metric| metric.name.as_str()).collect();
    let known: Vec<&str> = known.into_iter().filter(|name| measured(name)).collect();
    if set.runs.is_empty() && set.programs.iter().all(|program| program.attributes.is_empty()) {
        return Err(no_data(args));
    }
    // If no run was successful, the answer says that.
    if !known.is_empty() && !measured(&primary) {
        return Err(Failure::usage(metric_names::unknown(&primary, known.into_iter())));
    }
    let planned = question.reference.as_deref().and_then(|name| set.program_named(name));
    let reference = match &args.reference {
        None => planned.unwrap_or(ProgramId(0)),
        Some(name) => set.program_named(name).ok_or_else(|| unknown_program(&set, name))?,
    };
    let conclusion = import::conclusion(&set, conclusion, args.delta);
    let question = Question {
        reference,
        primary: &primary,
        metrics: &metrics,
        invocation: None,
        thresholds: &thresholds,
    };
    let answer = analyse(&set, &question, &conclusion);
    Ok((set, answer))
}

fn several_failure(args: &ReportArgs, error: ImportError) -> Failure {
    match error {
        ImportError::Empty => no_data(args),
        error => Failure::new(Exit::Usage, &error),
    }
}

fn no_data(args: &ReportArgs) -> Failure {
    let files: Vec<String> = args.results.iter().map(|path| path.display().to_string()).collect();
    Failure { exit: Exit::Unreadable, message: format!("{}: no measurement in it", files.join(", ")) }
}

fn unknown_program(set: &ResultSet, name: &str) -> Failure {
    let names: Vec<&str> = set.programs.iter().map(|program| program.name.as_str()).collect();
    Failure::usage(format!("there is no program '{name}'; there are {}", names.join(", ")))
}

/// Prints the report, or writes it to the file of `--out`.
fn write(args: &ReportArgs, set: &ResultSet, answer: &Answer) -> Result<(), Failure> {
    let view = view(&args.show);
    let format = if args.json { ReportFormat::Json } else { args.to.unwrap_or(ReportFormat::Terminal) };
    match (&args.out, format) {
        (out, ReportFormat::Terminal) if !args.columns.is_empty() => {
            let content = content(args, format, set, answer)?;
            save(out.as_deref().unwrap_or(Path::new("-")), &content)
        }
        (None, ReportFormat::Terminal) if args.show.quiet => verdicts(answer, view),
        (None, ReportFormat::Terminal) => terminal(args, answer, view),
        (Some(path), ReportFormat::Terminal) => {
            save(path, &screen::text(&blocks(answer, view), &answer.findings)?)
        }
        (None, format) => {
            let content = content(args, format, set, answer)?;
            screen::write(|out| out.write_all(&content)).map(|_| ())
        }
        (Some(path), format) => save(path, &content(args, format, set, answer)?),
    }
}

fn terminal(args: &ReportArgs, answer: &Answer, view: View) -> Result<(), Failure> {
    let colour = colour(&args.show);
    screen::styled(&blocks(answer, view), colour)?;
    screen::findings(&answer.findings, colour)?;
    Ok(())
}

/// The document for people: the summary, and the usual statistical tests if the runs were not interleaved.
fn blocks(answer: &Answer, view: View) -> Document {
    let mut document = report::summary(answer, view);
    if !answer.design.paired() && answer.programs.len() > 1 {
        document.blocks.extend(report::thesis(answer, view).blocks.into_iter().skip(1));
    }
    document
}

fn csv_table(table: ReportTable, answer: &Answer) -> Document {
    match table {
        ReportTable::Programs => csv::programs(answer),
        ReportTable::Comparisons => csv::comparisons(answer),
    }
}

/// The report in a format other than the terminal's, or the columns asked for.
fn content(
    args: &ReportArgs,
    format: ReportFormat,
    set: &ResultSet,
    answer: &Answer,
) -> Result<Vec<u8>, Failure> {
    let view = view(&args.show);
    if matches!(format, ReportFormat::Hyperfine | ReportFormat::Hyperfine1) {
        remark_failed_runs(set);
    }
    if !args.columns.is_empty() {
        return report_choice::columns(args, format, set, answer);
    }
    match format {
        ReportFormat::Codespeed => {
            let about = report_choice::codespeed(&args.codespeed, set);
            bytes(|out| codespeed::write(set, &about, &args.without_metrics, out))
        }
        ReportFormat::Json => bytes(|out| {
            serde_json::to_writer_pretty(&mut *out, answer)?;
            writeln!(out)
        }),
        ReportFormat::Hyperfine => {
            hyperfine_json(set, hyperfine::Version::Both, &report::primary_metric(answer))
        }
        ReportFormat::Hyperfine1 => {
            hyperfine_json(set, hyperfine::Version::V1, &report::primary_metric(answer))
        }
        ReportFormat::Temci => bytes(|out| temci_result::write(set, out)),
        ReportFormat::Sarif => sarif(&answer.findings),
        ReportFormat::Html => rendered(&report::full(answer, view), "html"),
        ReportFormat::Latex => rendered(&report::thesis(answer, view), "latex"),
        ReportFormat::Terminal => rendered(&report::summary(answer, view), "terminal"),
        ReportFormat::Markdown => rendered(&report::statistics_table(answer, view), "markdown"),
        ReportFormat::Asciidoc => rendered(&report::statistics_table(answer, view), "asciidoc"),
        ReportFormat::Org => rendered(&report::statistics_table(answer, view), "orgmode"),
        ReportFormat::Csv => rendered(&csv_table(args.table, answer), "csv"),
    }
}
