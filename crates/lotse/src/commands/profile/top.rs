//! `lotse profile top`.

use lotse_model::Finding;
use lotse_profile::analysis::{Grouping, Summary};
use lotse_profile::answer::{EventAnswer, FunctionAnswer, TopAnswer, default_event};
use lotse_profile::csv;
use lotse_profile::digest;
use lotse_profile::events::{Column, column_notes};
use lotse_profile::groups::{GroupsAnswer, groups};
use lotse_profile::open::Opened;
use lotse_profile::parts::parts;
use lotse_profile::report;
use lotse_profile::rules::{Context, findings};
use lotse_profile::top::{TopOrder, TopQuery, top};

use super::{
    about_columns, analyse, choose, columns, complete, diagnostics, ending, event_types, filter,
    index_failure, led, limited, or_measured, print, read_front, remarks, source, style,
};
use crate::args::profile::{CyclesArg, FilterArgs, GroupArg, SortArg, TopArgs};
use crate::commands::cache;
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::Settings;

pub(crate) fn run(args: &TopArgs) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let mut opened = read_front(&source, &args.input.read, !args.output.json)?;
    if !args.select.is_empty() {
        complete(&mut opened)?;
        choose(&mut opened, &args.input.read, (&args.select, &args.events))?;
    }
    let types = event_types(&opened, &args.events)?;
    let columns = columns(&types, &args.events, &args.output)?;
    match args.group {
        Some(group) => {
            complete(&mut opened)?;
            grouped(args, &opened, &columns, grouping(group))?;
        }
        None => {
            let filter = filter(&args.filter)?;
            let limit = (args.limit > 0).then_some(args.limit);
            let query = TopQuery { columns: &columns, order: order(args.sort), limit, filter: &filter };
            let mut summary = enough(args, &mut opened, &query)?;
            if summary.samples.is_some() && !args.no_findings {
                // Rules look at stacks.
                complete(&mut opened)?;
            }
            functions(args, &opened, &summary, &query)?;
            keep_index(args, &mut opened, &mut summary);
        }
    }
    Ok(ending(&opened))
}

/// The summary of the costliest functions where that gives the list asked for, else of all.
fn enough(args: &TopArgs, opened: &mut Opened<'_>, query: &TopQuery<'_>) -> Result<Summary, Failure> {
    let usual = usual(args) && digest::can_answer(query);
    if !usual || !opened.is_digest() {
        opened.all_functions().map_err(index_failure)?;
        return summary(args, opened);
    }
    let short = summary(args, opened)?;
    if digest::is_complete(&top(&opened.profile, &short, query), query) {
        return Ok(short);
    }
    opened.all_functions().map_err(index_failure)?;
    summary(args, opened)
}

/// Whether the summary is the one an index keeps.
fn usual(args: &TopArgs) -> bool {
    let chosen = &args.input.read;
    chosen.parts.is_empty() && chosen.cycles == CyclesArg::Folded && args.select.is_empty()
}

fn summary(args: &TopArgs, opened: &mut Opened<'_>) -> Result<Summary, Failure> {
    if let Some(summary) = opened.summary.take().filter(|_| usual(args)) {
        return Ok(summary);
    }
    complete(opened)?;
    Ok(analyse(opened, &args.input.read)?.into_summary())
}

/// A cache that cannot be written to only makes the next opening slower.
fn keep_index(args: &TopArgs, opened: &mut Opened<'_>, summary: &mut Summary) {
    if !usual(args) {
        return;
    }
    cache::remark_unless_kept(opened.keep_index(summary));
}

fn functions(
    args: &TopArgs,
    opened: &Opened<'_>,
    summary: &Summary,
    query: &TopQuery<'_>,
) -> Result<(), Failure> {
    let columns = query.columns;
    let functions = top(&opened.profile, summary, query);
    if functions.is_empty() && filtered(args) {
        return Err(Failure::new(Exit::Usage, &query.filter.nothing_matches(&opened.profile, summary)));
    }
    let answer =
        TopAnswer { functions, findings: found(args, opened, summary)?, ..frame(opened, summary, columns) };
    let style = style(&args.output, &args.shares);
    let document = || {
        if args.output.csv {
            return csv::top(&answer, style.1);
        }
        let table = report::top(columns, &answer.events, &answer.functions, summary.origin, style);
        let sentence = || report::top_sentence(columns, &answer.events, &leaders(opened, summary, query));
        let sentence = (query.order == TopOrder::Own && !filtered(args)).then(sentence).flatten();
        led(table, or_measured(sentence, columns, &answer.events))
    };
    // What was selected is a part of the whole, and a digest has only the costliest functions.
    let partial = opened.is_selection() || opened.is_digest();
    let rest = if partial { Vec::new() } else { report::unattributed(columns, summary) };
    let about = about_columns(columns, opened, summary.called.is_some());
    print(&args.output, &answer, document, &[summary.notes.as_slice(), &rest, &about].concat())?;
    tell(args, answer.functions.len(), answer.function_count);
    tell_events(args, opened, summary);
    if !args.output.json && !args.output.csv {
        screen::findings(&answer.findings, None)?;
    }
    Ok(())
}

/// The costliest functions by self cost, then those with callees, whatever the limit of the list is.
fn leaders(opened: &Opened<'_>, summary: &Summary, query: &TopQuery<'_>) -> Vec<FunctionAnswer> {
    let limit = Some(digest::LONGEST_LIST);
    let by = |order: TopOrder| top(&opened.profile, summary, &TopQuery { order, limit, ..query.clone() });
    let mut rows = by(TopOrder::Own);
    if summary.origin.lacks_calls() {
        rows.iter_mut().for_each(|row| row.inclusive.clone_from(&row.own));
        return rows;
    }
    rows.extend(by(TopOrder::Inclusive));
    rows
}

/// What rules find in all functions, whatever is shown.
fn found(args: &TopArgs, opened: &Opened<'_>, summary: &Summary) -> Result<Vec<Finding>, Failure> {
    // A rule judges a whole profile, not what was selected of it.
    if args.no_findings || opened.is_selection() {
        return Ok(Vec::new());
    }
    Ok(findings(&Context {
        profile: &opened.profile,
        summary,
        file: &args.input.file.display().to_string(),
        call: &args.call,
        thresholds: &Settings::load()?.thresholds(),
    }))
}

/// The answer without its rows.
fn frame(opened: &Opened<'_>, summary: &Summary, columns: &[Column]) -> TopAnswer {
    let about = about_columns(columns, opened, summary.called.is_some());
    TopAnswer {
        schema: "lotse.profile.top/1",
        format: opened.format.to_owned(),
        command: opened.profile.command.clone(),
        cycles: summary.cycle_mode.name(),
        inclusive_from: summary.origin.name(),
        events: EventAnswer::for_columns(columns, &summary.totals),
        default_event: default_event(&opened.profile),
        samples: summary.samples,
        stacks: summary.stacks,
        function_count: summary.functions,
        call_count: summary.pairs,
        parts: parts(&opened.profile, summary),
        functions: Vec::new(),
        findings: Vec::new(),
        diagnostics: diagnostics(opened, &[summary.notes.clone(), about].concat()),
    }
}

fn grouped(args: &TopArgs, opened: &Opened<'_>, columns: &[Column], by: Grouping) -> Result<(), Failure> {
    let analysis = analyse(opened, &args.input.read)?;
    let all = groups(&analysis, columns, by, order(args.sort));
    let about = column_notes(columns, Some("calls are counted for functions, not for groups of them"));
    let notes = [analysis.notes.clone(), about].concat();
    let answer = GroupsAnswer {
        schema: "lotse.profile.groups/1",
        format: opened.format.to_owned(),
        inclusive_from: analysis.origin.name(),
        events: EventAnswer::for_columns(columns, &analysis.totals),
        default_event: default_event(&opened.profile),
        group_count: all.len(),
        groups: limited(all, args.limit),
        diagnostics: diagnostics(opened, &notes),
    };
    let style = style(&args.output, &args.shares);
    let document = || {
        if args.output.csv {
            return csv::groups(&answer, style.1);
        }
        let table = report::groups(columns, &answer.events, &answer.groups, analysis.origin, style);
        let sentence = || report::groups_sentence(columns, &answer.events, &answer.groups);
        let sentence = (order(args.sort) == TopOrder::Own).then(sentence).flatten();
        led(table, or_measured(sentence, columns, &answer.events))
    };
    print(&args.output, &answer, document, &notes)?;
    match answer.group_count {
        _ if args.output.json => {}
        0 if by == Grouping::Cycle => screen::remark("no functions call each other in circles"),
        0 => screen::remark(remarks::NO_COSTS),
        count => remarks::cut(answer.groups.len(), count, "groups"),
    }
    Ok(())
}

/// Whether only some functions were asked for.
fn filtered(args: &TopArgs) -> bool {
    let FilterArgs { filter, in_object, in_file, in_class } = &args.filter;
    [filter, in_object, in_file, in_class].into_iter().any(Option::is_some)
}

/// Says what a table of functions does not show.
fn tell(args: &TopArgs, shown: usize, active: usize) {
    let filtered = filtered(args);
    match shown {
        _ if args.output.json => {}
        0 => screen::remark(remarks::NO_COSTS),
        // How many more fit the filter is not known.
        shown if filtered && shown == args.limit => {
            screen::remark(&format!(
                "shown: the first {shown} of the functions that fit; --limit 0 shows all"
            ));
        }
        _ if filtered => {}
        shown => remarks::cut(shown, active, "functions"),
    }
}

/// Names the other events of perf: each has samples of its own, which the table does not show.
fn tell_events(args: &TopArgs, opened: &Opened<'_>, summary: &Summary) {
    let (profile, chosen) =
        (&opened.profile, !args.events.events.is_empty() || !args.events.define.is_empty());
    if args.output.json || args.output.csv || chosen || !opened.format.starts_with("perf") {
        return;
    }
    let shown = default_event(profile);
    let events = profile.events.iter().zip(&summary.totals).filter(|(event, total)| {
        **total != 0 && event.name != "samples" && Some(&event.name) != shown.as_ref()
    });
    let names: Vec<&str> = events.map(|(event, _)| event.name.as_str()).collect();
    if let Some(first) = names.first() {
        screen::remark(&format!("other event types: {}; `--event {first}` shows one", names.join(", ")));
    }
}

pub(super) fn grouping(group: GroupArg) -> Grouping {
    match group {
        GroupArg::Object => Grouping::Object,
        GroupArg::File => Grouping::File,
        GroupArg::Class => Grouping::Class,
        GroupArg::Cycle => Grouping::Cycle,
    }
}

fn order(sort: SortArg) -> TopOrder {
    match sort {
        SortArg::SelfCost => TopOrder::Own,
        SortArg::Inclusive => TopOrder::Inclusive,
        SortArg::Calls => TopOrder::Calls,
        SortArg::Name => TopOrder::Name,
    }
}
