//! `lotse profile diff`.

use std::path::Path;

use lotse_model::profile::Details;
use lotse_profile::analysis::Analysis;
use lotse_profile::answer::DiagnosticAnswer;
use lotse_profile::csv;
use lotse_profile::diff::{
    Basis, Comparison, DiffAnswer, DiffOrder, DiffQuery, DiffSide, LineDiff, Pairing, Rename, calls,
    line_costs, lines, pair, sampling_note, unknown_note, weight_note,
};
use lotse_profile::events::{Column, EventTypes, ranking};
use lotse_profile::filter::Filter;
use lotse_profile::open::Opened;
use lotse_profile::report;
use lotse_profile::rules::{ComparisonContext, compared_findings};

use super::calls::find_function;
use super::diff_lines;
use super::{
    about_columns, analyse, diagnostics, ending, event_types, filter, format_failure, numbers, print, read,
    source, with_lead,
};
use crate::args::profile_diff::{BasisArg, DiffArgs, DiffSortArg};
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::Settings;

/// Reads all profiles, pairs their event types, and prints the comparison of each with the first.
pub(crate) fn run(args: &DiffArgs) -> Result<Exit, Failure> {
    let files = args.files();
    if files.iter().filter(|file| **file == Path::new("-")).count() > 1 {
        return Err(Failure::usage("standard input can be read only once; give the other profiles as files"));
    }
    let sources = map_all(&files, |file| source(file))?;
    let opened = map_all(&sources, |source| read(source, &args.read, !args.output.json))?;
    let types = map_all(&opened, |opened| event_types(opened, &args.events))?;
    let analyses = map_all(&opened, |opened| analyse(opened, &args.read))?;
    if args.inclusive {
        check_inclusive_known(&files, &analyses)?;
    }
    let pairing = pairing(args, &opened, &types)?;
    if args.inclusive {
        check_inherited(&pairing)?;
    }
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let side = |at: usize| DiffSide {
        file: &names[at],
        format: opened[at].format,
        analysis: &analyses[at],
        columns: &pairing.columns[at],
    };
    let sides: Vec<DiffSide<'_>> = (0..files.len()).map(side).collect();
    print_comparison(args, &opened, &sides, &pairing)?;
    Ok(opened.iter().map(ending).find(|ending| *ending != Exit::Done).unwrap_or(Exit::Done))
}

/// Refuses `--inclusive` if a file has no calls: its inclusive costs are unknown.
fn check_inclusive_known(files: &[&Path], analyses: &[Analysis<'_>]) -> Result<(), Failure> {
    match files.iter().zip(analyses).find(|(_, analysis)| analysis.origin.lacks_calls()) {
        None => Ok(()),
        Some((file, _)) => Err(Failure::usage(format!(
            "{} has no calls, so its inclusive costs are unknown; without --inclusive self costs are compared",
            file.display()
        ))),
    }
}

/// Refuses `--inclusive` for an event type that callers do not inherit.
fn check_inherited(pairing: &Pairing) -> Result<(), Failure> {
    let ranking = pairing.columns.iter().filter_map(|columns| columns.get(ranking(columns)));
    match ranking.into_iter().find(|column| !column.has_inclusive()) {
        None => Ok(()),
        Some(column) => Err(Failure::usage(format!(
            "{} has no inclusive costs, because callers do not inherit it; without --inclusive self costs are compared",
            column.name
        ))),
    }
}

/// Applies a function to all items, up to the first failure.
fn map_all<'i, T, U>(items: &'i [T], make: impl Fn(&'i T) -> Result<U, Failure>) -> Result<Vec<U>, Failure> {
    items.iter().map(make).collect()
}

/// Which event types of the profiles are compared with each other. Text shows only the default one unless others are chosen.
fn pairing(args: &DiffArgs, opened: &[Opened<'_>], types: &[EventTypes]) -> Result<Pairing, Failure> {
    let defined =
        args.events.define.iter().map(|text| text.split('=').next().unwrap_or(text).trim().to_owned());
    let chosen = if args.events.events.is_empty() { defined.collect() } else { args.events.events.clone() };
    let by = args.by.map(|by| match by {
        BasisArg::Cost => Basis::Cost,
        BasisArg::Share => Basis::Share,
    });
    let profiles: Vec<(&str, &EventTypes)> = opened.iter().map(|opened| opened.format).zip(types).collect();
    let mut pairing = pair(&profiles, &chosen, by).map_err(|error| Failure::new(Exit::Usage, &error))?;
    if let Some(column) = pairing.without_shares() {
        let message = format!(
            "{column} does not add up over functions, so that there are no shares to compare; --by cost compares the numbers"
        );
        return Err(Failure::usage(message));
    }
    if chosen.is_empty() && !args.output.json && !args.output.csv {
        let first = &opened[0].profile.details;
        pairing.keep_one(|column| args.lines.is_none() || has_lines(first, column));
    }
    Ok(pairing)
}

/// Whether lines have costs of an event type: some formats count samples by line but have no times by line.
fn has_lines(details: &Details, column: &Column) -> bool {
    match (details, column.event()) {
        (Details::Loaded(detail), Some(event)) if detail.lines.costs.rows() > 0 => {
            detail.lines.costs.total(event) != 0
        }
        _ => true,
    }
}

/// Compares the profiles: functions, and if asked for calls, lines of a function, and findings; and prints the answer.
fn print_comparison(
    args: &DiffArgs,
    opened: &[Opened<'_>],
    sides: &[DiffSide<'_>],
    pairing: &Pairing,
) -> Result<(), Failure> {
    let filter = filter(&args.filter)?;
    let query = query(args, pairing.basis, &filter);
    let parsed = args.rename.iter().map(|text| Rename::parse(text)).collect::<Result<Vec<_>, _>>();
    let renames = parsed.map_err(|error| Failure::new(Exit::Usage, &error))?;
    let comparison = Comparison::renamed(sides, pairing.basis, &renames);
    let mut answer = comparison.answer(&query);
    answer.calls = args.calls.then(|| calls(&comparison, &query));
    let mut line_notes = Vec::new();
    match &args.lines {
        Some(Some(name)) => answer.lines = Some(changed_lines(&comparison, opened, sides, name, &query)?),
        Some(None) => {
            let (lines, notes) = diff_lines::whole_program(args, &comparison, opened, sides, &query)?;
            (answer.lines, line_notes) = (Some(lines), notes);
        }
        None => {}
    }
    if !args.no_findings {
        answer.findings = rule_findings(&comparison, &query, &args.call)?;
    }
    let naming = comparison.naming_notes(&renames);
    let mut notes: Vec<String> = pairing
        .notes
        .iter()
        .cloned()
        .chain(sampling_note(sides))
        .chain(weight_note(sides))
        .chain(column_notes(opened, sides))
        .chain(naming)
        .chain(unknown_note(if args.inclusive { answer.unknown_changes() } else { 0 }, "function"))
        .collect();
    notes.extend(line_notes);
    let cut = cut_note(&answer).filter(|_| answer.lines.is_none());
    if args.output.csv {
        cut.iter().for_each(|note| screen::remark(note));
    }
    notes.extend(cut);
    answer.diagnostics = remarks(opened, sides, &notes);
    let columns = sides.first().map_or(&[][..], |side| side.columns);
    let numbers = numbers(&args.output);
    let by_difference = query.order == DiffOrder::Difference && !args.inclusive;
    let document = || {
        if args.output.csv {
            return csv::diff(&answer);
        }
        let tables = report::diff(&answer, columns, args.inclusive, numbers);
        with_lead(tables, report::diff_sentence(columns, &answer, by_difference))
    };
    print(&args.output, &answer, document, &notes)?;
    if !args.output.json && !args.output.csv {
        screen::findings(&answer.findings, None)?;
    }
    Ok(())
}

/// The notes about the event types of all profiles, each once.
fn column_notes(opened: &[Opened<'_>], sides: &[DiffSide<'_>]) -> Vec<String> {
    let about = |(opened, side): (&Opened<'_>, &DiffSide<'_>)| {
        about_columns(side.columns, opened, side.analysis.called().is_some())
    };
    let mut notes: Vec<String> = opened.iter().zip(sides).flat_map(about).collect();
    notes.dedup();
    notes
}

/// A note if the limit leaves functions out.
fn cut_note(answer: &DiffAnswer) -> Option<String> {
    let (shown, all) = (answer.functions.len(), answer.function_count);
    (shown < all).then(|| format!("shown: {shown} of {all} functions that changed; --limit 0 shows all"))
}

fn query<'a>(args: &DiffArgs, basis: Basis, filter: &'a Filter) -> DiffQuery<'a> {
    DiffQuery {
        basis,
        order: order(args.sort),
        inclusive: args.inclusive,
        limit: (args.limit > 0).then_some(args.limit),
        min_change: args.min_change,
        filter,
    }
}

fn order(sort: DiffSortArg) -> DiffOrder {
    match sort {
        DiffSortArg::Difference => DiffOrder::Difference,
        DiffSortArg::Ratio => DiffOrder::Ratio,
        DiffSortArg::New => DiffOrder::New,
        DiffSortArg::Old => DiffOrder::Old,
        DiffSortArg::Name => DiffOrder::Name,
    }
}

/// The findings of rules, which look at all functions, even at those that are not shown.
fn rule_findings(
    comparison: &Comparison<'_>,
    query: &DiffQuery<'_>,
    call: &lotse_model::Invocation,
) -> Result<Vec<lotse_model::Finding>, Failure> {
    let all = Filter::default();
    let all_functions: DiffAnswer = comparison.answer(&DiffQuery {
        limit: None,
        min_change: 0.0,
        inclusive: false,
        filter: &all,
        ..*query
    });
    let thresholds = Settings::load()?.thresholds();
    Ok(compared_findings(&ComparisonContext { answer: &all_functions, call, thresholds: &thresholds }))
}

/// The changed lines of a function, whose name is searched in the first profile, then in the others.
fn changed_lines(
    comparison: &Comparison<'_>,
    opened: &[Opened<'_>],
    sides: &[DiffSide<'_>],
    name: &str,
    query: &DiffQuery<'_>,
) -> Result<Vec<LineDiff>, Failure> {
    let known = |analysis: &Analysis<'_>| lotse_profile::names::find(analysis, name).is_ok();
    let at = sides.iter().position(|side| known(side.analysis)).unwrap_or(0);
    let (function, note) = find_function(sides[at].analysis, name)?;
    note.iter().for_each(|note| screen::remark(note));
    let functions = comparison.matched(at, function);
    let mut costs = Vec::with_capacity(sides.len());
    for ((opened, side), functions) in opened.iter().zip(sides).zip(&functions) {
        costs.push(line_costs(opened, side.analysis, functions).map_err(format_failure)?);
    }
    Ok(lines(comparison, &costs, query))
}

/// The diagnostics of all files, each with the name of its file, and the notes about the comparison.
fn remarks(opened: &[Opened<'_>], sides: &[DiffSide<'_>], notes: &[String]) -> Vec<DiagnosticAnswer> {
    let named = |(opened, side): (&Opened<'_>, &DiffSide<'_>)| {
        let mut remarks = diagnostics(opened, &side.analysis.notes);
        for remark in &mut remarks {
            remark.message = format!("{}: {}", side.file, remark.message);
        }
        remarks
    };
    let note = |message: &String| DiagnosticAnswer { place: None, message: message.clone(), loss: false };
    opened.iter().zip(sides).flat_map(named).chain(notes.iter().map(note)).collect()
}
