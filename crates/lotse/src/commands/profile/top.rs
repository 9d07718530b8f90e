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
    about_columns, analyse, apply_selection, columns, complete, diagnostics, ending, event_types, filter,
    index_failure, limited, or_totals, print, read_lazily, remarks, source, style, with_lead,
};
use crate::args::profile::{CyclesArg, FilterArgs, GroupArg, SortArg, TopArgs};
use crate::commands::cache;
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::Settings;

/// Lists the costliest functions or groups. From an index, only as much is loaded as the list needs.
pub(crate) fn run(args: &TopArgs) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let mut opened = read_lazily(&source, &args.input.read, !args.output.json)?;
    if !args.select.is_empty() {
        complete(&mut opened)?;
        apply_selection(&mut opened, &args.input.read, (&args.select, &args.events))?;
    }
    let types = event_types(&opened, &args.events)?;
    let columns = columns(&types, &args.events, &args.output)?;
    match args.group {
        Some(group) => {
            complete(&mut opened)?;
            print_groups(args, &opened, &columns, grouping(group))?;
        }
        None => {
            let filter = filter(&args.filter)?;
            let limit = (args.limit > 0).then_some(args.limit);
            let query = TopQuery { columns: &columns, order: order(args.sort), limit, filter: &filter };
            let mut summary = sufficient_summary(args, &mut opened, &query)?;
            if summary.samples.is_some() && !args.no_findings {
                // Rules need the stacks of samples. These refer to all functions, so the summary must have all of them too.
                let was_digest = opened.is_digest();
                complete(&mut opened)?;
                if was_digest {
                    summary = self::summary(args, &mut opened)?;
                }
            }
            print_functions(args, &opened, &summary, &query)?;
            keep_index(args, &opened, &summary);
        }
    }
    Ok(ending(&opened))
}

/// The summary that the list needs: that of the costliest functions, which the index has at its front, if the list can be made
/// from it, else that of all functions.
fn sufficient_summary(
    args: &TopArgs,
    opened: &mut Opened<'_>,
    query: &TopQuery<'_>,
) -> Result<Summary, Failure> {
    let may_suffice = is_default_summary(args) && digest::can_answer(query);
    if !may_suffice || !opened.is_digest() {
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

/// Whether the summary is the one that an index has: all samples of the default parts, with folded cycles.
fn is_default_summary(args: &TopArgs) -> bool {
    let chosen = &args.input.read;
    chosen.parts.is_empty() && chosen.cycles == CyclesArg::Folded && args.select.is_empty()
}

/// The summary that was read, if it is the one asked for, else that of an analysis.
fn summary(args: &TopArgs, opened: &mut Opened<'_>) -> Result<Summary, Failure> {
    if let Some(summary) = opened.summary.take().filter(|_| is_default_summary(args)) {
        return Ok(summary);
    }
    complete(opened)?;
    Ok(analyse(opened, &args.input.read)?.into_summary())
}

/// Keeps the index for the next time. A failure is no error, since it only costs time.
fn keep_index(args: &TopArgs, opened: &Opened<'_>, summary: &Summary) {
    if !is_default_summary(args) {
        return;
    }
    cache::remark_unless_kept(opened.keep_index(summary));
}

/// Prints the list of functions, what it leaves out, and the findings.
fn print_functions(
    args: &TopArgs,
    opened: &Opened<'_>,
    summary: &Summary,
    query: &TopQuery<'_>,
) -> Result<(), Failure> {
    let columns = query.columns;
    let functions = top(&opened.profile, summary, query);
    if functions.is_empty() && is_filtered(args) {
        return Err(Failure::new(Exit::Usage, &query.filter.nothing_matches(&opened.profile, summary)));
    }
    let answer = TopAnswer {
        functions,
        findings: rule_findings(args, opened, summary)?,
        ..answer_without_rows(opened, summary, columns)
    };
    let style = style(&args.output, &args.shares);
    let document = || {
        if args.output.csv {
            return csv::top(&answer, style.1);
        }
        let table = report::top(columns, &answer.events, &answer.functions, summary.origin, style);
        let sentence = || report::top_sentence(columns, &answer.events, &leaders(opened, summary, query));
        let sentence = (query.order == TopOrder::Own && !is_filtered(args)).then(sentence).flatten();
        with_lead(table, or_totals(sentence, columns, &answer.events))
    };
    // Costs that no function has cannot be stated for a selection, nor for a digest, which has only the costliest functions.
    let partial = opened.is_selection() || opened.is_digest();
    let rest = if partial { Vec::new() } else { report::unattributed(columns, summary) };
    let about = about_columns(columns, opened, summary.called.is_some());
    print(&args.output, &answer, document, &[summary.notes.as_slice(), &rest, &about].concat())?;
    remark_hidden_rows(args, answer.functions.len(), answer.function_count);
    remark_other_events(args, opened, summary);
    if !args.output.json && !args.output.csv {
        screen::findings(&answer.findings, None)?;
    }
    Ok(())
}

/// The costliest functions by self cost, followed by the costliest ones by inclusive cost, independent of the limit of the list.
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

/// The findings of rules, which look at all functions, even at those that are not shown.
fn rule_findings(args: &TopArgs, opened: &Opened<'_>, summary: &Summary) -> Result<Vec<Finding>, Failure> {
    // Rules judge whole profiles, not selections.
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

/// The answer, still without functions and findings.
fn answer_without_rows(opened: &Opened<'_>, summary: &Summary, columns: &[Column]) -> TopAnswer {
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

const GROUPS_ARE_WHOLE: &str = "--filter, --in-object, --in-file and --in-class choose functions, while --group shows the \
    costs of whole groups: leave out --group to see the functions that fit";

/// Prints costs summed by object, file, class or cycle.
fn print_groups(
    args: &TopArgs,
    opened: &Opened<'_>,
    columns: &[Column],
    by: Grouping,
) -> Result<(), Failure> {
    if is_filtered(args) {
        return Err(Failure::usage(GROUPS_ARE_WHOLE));
    }
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
        with_lead(table, or_totals(sentence, columns, &answer.events))
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

/// Whether an option limits which functions are listed.
fn is_filtered(args: &TopArgs) -> bool {
    let FilterArgs { filter, in_object, in_file, in_class } = &args.filter;
    [filter, in_object, in_file, in_class].into_iter().any(Option::is_some)
}

/// Prints a remark on the functions that the table leaves out, or why it is empty.
fn remark_hidden_rows(args: &TopArgs, shown: usize, active: usize) {
    let is_filtered = is_filtered(args);
    match shown {
        _ if args.output.json => {}
        0 => screen::remark(remarks::NO_COSTS),
        // How many more functions match the filter is not known.
        shown if is_filtered && shown == args.limit => {
            screen::remark(&format!(
                "shown: the first {shown} of the functions that fit; --limit 0 shows all"
            ));
        }
        _ if is_filtered => {}
        shown => remarks::cut(shown, active, "functions"),
    }
}

/// Prints a remark on the other event types of a perf profile: each has its own samples, which the table does not show.
fn remark_other_events(args: &TopArgs, opened: &Opened<'_>, summary: &Summary) {
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
