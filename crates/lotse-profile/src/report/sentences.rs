//! One sentence before a table that summarises it.

use lotse_formats::unwind::is_missing_caller;
use lotse_report::number::{format_percent, format_share, significant};
use lotse_report::shorten::{NameKind, shortened};

use super::top::place;
use super::{Numbers, base_name};
use crate::answer::{EventAnswer, FunctionAnswer, FunctionName};
use crate::calls::{CallRow, CallsAnswer, Side};
use crate::diff::{Basis, Change, ComparedFile, DiffAnswer, FunctionDiff};
use crate::events::{Column, Cost};
use crate::groups::GroupAnswer;
use crate::tree::TreeAnswer;
use crate::unfold::Direction;

/// The greatest length of a name in a sentence.
const LETTERS: usize = 48;
/// A function with a greater share is the start of the program, such as `main`, which is not worth mentioning.
const ENTRY_SHARE: f64 = 0.97;
/// The event type of files that do not state what they count.
const WEIGHT: &str = "weight";
/// The greatest number of names of a path in a sentence.
const LONGEST_PATH: usize = 5;

/// Names the function with the greatest self cost, and the one with the greatest inclusive cost. The rows start with the
/// costliest by self cost, and must not be cut by a limit, because the sentence should not depend on it.
pub fn top_sentence(columns: &[Column], events: &[EventAnswer], rows: &[FunctionAnswer]) -> Option<String> {
    let whole = TotalCost::new(columns, events)?;
    let first = rows.first().filter(|row| whole.share(row.own[0]) > 0.0)?;
    let own = format!("{} takes {}", distinct_name(first, rows), whole.part(first.own[0], "self"));
    let is_wider = |row: &&FunctionAnswer| {
        let share = whole.share(row.inclusive[0]);
        share < ENTRY_SHARE && share > whole.share(first.inclusive[0]) && share > whole.share(row.own[0])
    };
    let costliest = rows
        .iter()
        .filter(is_wider)
        // Different callers that are all missing are no function.
        .filter(|row| !is_missing_caller(&row.function.name))
        .max_by(|a, b| whole.share(a.inclusive[0]).total_cmp(&whole.share(b.inclusive[0])));
    Some(match costliest {
        Some(row) => {
            let share = format_share(whole.share(row.inclusive[0]), 1);
            let least = if row.lower_bound { "at least " } else { "" };
            format!("{own}; {} takes {least}{share} with its callees", distinct_name(row, rows))
        }
        None => own,
    })
}

/// Names the costliest group; for rows sorted by self cost.
pub fn groups_sentence(columns: &[Column], events: &[EventAnswer], rows: &[GroupAnswer]) -> Option<String> {
    let whole = TotalCost::new(columns, events)?;
    let first = rows.first().filter(|row| whole.share(row.own[0]) > 0.0)?;
    let group = shortened(NameKind::Path, &first.name, LETTERS);
    Some(format!("{group} takes {}", whole.part(first.own[0], "self")))
}

/// The cost of the function, and its costliest caller or callee.
pub fn calls_sentence(columns: &[Column], answer: &CallsAnswer) -> Option<String> {
    let whole = TotalCost::new(columns, &answer.events)?;
    let function = &answer.function;
    let shown = |it: &FunctionName| {
        let others = answer.rows.iter().map(|row| &row.function).chain([&function.function]);
        placed_name(it, others)
    };
    if function.inclusive[0].is_absent() {
        return None;
    }
    let least = if answer.lower_bound { "at least " } else { "" };
    let own = format!(
        "{} takes {least}{}",
        shown(&function.function),
        whole.part(function.inclusive[0], "with its callees")
    );
    // In cycles, a call can cost more than the function, or the function more than is known: then there is no share.
    let part = |row: &CallRow| row.cost[0].as_f64() / function.inclusive[0].as_f64();
    let Some(first) = answer.rows.iter().max_by(|a, b| part(a).total_cmp(&part(b))) else { return Some(own) };
    if answer.lower_bound
        || !first.exact
        || !(0.0..=1.0).contains(&part(first))
        || whole.share(first.cost[0]) <= 0.0
    {
        return Some(own);
    }
    let share = format_share(part(first), 1);
    let other = shown(&first.function);
    Some(match answer.side {
        Side::Callers => format!("{own}, {share} of that in calls from {other}"),
        Side::Callees => format!("{own}, {share} of that in calls of {other}"),
    })
}

/// The costliest path, as far as at least half of the cost of its root continues along it.
pub fn tree_sentence(columns: &[Column], answer: &TreeAnswer) -> Option<String> {
    let whole = TotalCost::new(columns, &answer.events)?;
    let cost = |at: usize| whole.share(answer.nodes[at].inclusive[0]);
    let below = |at: usize| {
        let depth = answer.nodes[at].depth;
        (at + 1..answer.nodes.len())
            .take_while(move |&next| answer.nodes[next].depth > depth)
            .filter(move |&next| answer.nodes[next].depth == depth + 1)
    };
    let costliest =
        |nodes: &mut dyn Iterator<Item = usize>| nodes.max_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    let mut roots = (0..answer.nodes.len()).filter(|&at| answer.nodes[at].depth == 0);
    let mut path = vec![costliest(&mut roots).filter(|&root| cost(root) > 0.0)?];
    while let Some(next) =
        costliest(&mut below(path[path.len() - 1])).filter(|&next| cost(next) >= cost(path[0]) / 2.0)
    {
        path.push(next);
    }
    let last = path[path.len() - 1];
    let cost = whole.part(answer.nodes[last].inclusive[0], "inclusive");
    if answer.direction == Direction::Callers {
        path.reverse();
    }
    let names: Vec<String> = path.iter().map(|&at| name(&answer.nodes[at].function.display)).collect();
    let skipped = names.len().saturating_sub(LONGEST_PATH);
    let begin = if skipped > 0 { "… > " } else { "" };
    Some(format!("The costliest way is {begin}{}: {cost}", names[skipped..].join(" > ")))
}

/// The change of the totals, and the function that changed most; for rows sorted by difference.
pub fn diff_sentence(columns: &[Column], answer: &DiffAnswer, by_difference: bool) -> Option<String> {
    let total = match answer.by {
        Basis::Share => "Shares of each total are compared, not costs".to_owned(),
        Basis::Cost => {
            let others = answer.files.iter().skip(1).zip(&answer.totals);
            let change = |(file, changes): (&ComparedFile, &Vec<Change>)| {
                total_sentence(columns.first()?, answer.files.first()?, file, changes.first()?)
            };
            others.map(change).collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())?.join("; ")
        }
    };
    let first = answer.functions.first().filter(|_| by_difference);
    let greatest = |row: &FunctionDiff| {
        let changes = row.versus.iter().filter_map(|versus| versus.own.first().copied());
        changes.max_by(|a, b| a.difference.as_f64().abs().total_cmp(&b.difference.as_f64().abs()))
    };
    let most = first.and_then(|row| Some((row, greatest(row)?)));
    let most = most.map_or(String::new(), |(row, change)| {
        if let Some(column) = columns.first().filter(|column| !column.adds_up()) {
            let cost = |cost: Option<Cost>| cost.map_or("nothing".to_owned(), |cost| amount(column, cost));
            let (was, is) = (cost(change.old), cost(change.new));
            return format!("; most changed {} ({was} became {is})", name(&row.function.display));
        }
        let old_total = answer.files[0].events.first().map_or(f64::NAN, |event| event.total.as_f64());
        let difference = change.difference.as_f64();
        let share = if answer.by == Basis::Share { difference } else { difference / old_total };
        let sign = if share > 0.0 { "+" } else { "" };
        let base = if answer.by == Basis::Share { "of the total" } else { "of the old total" };
        format!("; most changed {} ({sign}{} {base})", name(&row.function.display), format_percent(share, 1))
    });
    Some(format!("{total}{most}"))
}

/// `new costs 2.2 times less than old: 4.4 s became 2.0 s`
fn total_sentence(
    column: &Column,
    old: &ComparedFile,
    new: &ComparedFile,
    change: &Change,
) -> Option<String> {
    let cost = |cost: Option<Cost>| cost.map_or(String::new(), |cost| amount(column, cost));
    let (was, is) = (cost(change.old), cost(change.new));
    let (old, new) = (base_name(&old.file), base_name(&new.file));
    // Ratios and differences have no total to compare.
    if !column.adds_up() {
        let known = [change.old, change.new].iter().flatten().all(|cost| !cost.is_absent());
        let overall = if known { format!(": {was} became {is} overall") } else { String::new() };
        return Some(format!("{} is compared from {old} to {new}{overall}", column.name));
    }
    let noise = if change.noise { ", which is within the noise of sampling" } else { "" };
    Some(format!("{new} costs {} {old}: {was} became {is}{noise}", times(change.ratio?)))
}

/// `2.2 times less than`
fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio <= 0.0 => "nothing any more, unlike".to_owned(),
        ratio if ratio < 0.9 => format!("{} times less than", significant(1.0 / ratio, 3)),
        ratio if ratio < 1.0 => format!("{} less than", format_percent(1.0 - ratio, 2)),
        1.0 => "as much as".to_owned(),
        ratio if ratio < 1.1 => format!("{} more than", format_percent(ratio - 1.0, 2)),
        ratio => format!("{} times as much as", significant(ratio, 3)),
    }
}

/// The first event type and its total, which shares are relative to.
struct TotalCost<'a> {
    column: &'a Column,
    total: Cost,
}

impl<'a> TotalCost<'a> {
    /// `None` if costs of the event type have no shares.
    fn new(columns: &'a [Column], events: &[EventAnswer]) -> Option<Self> {
        let total = events.first()?.total;
        let has_shares = total.as_f64().is_finite() && total.as_f64() > 0.0 && columns.first()?.adds_up();
        Some(Self { column: columns.first()?, total }).filter(|_| has_shares)
    }

    fn share(&self, cost: Cost) -> f64 {
        let share = cost.as_f64() / self.total.as_f64();
        if share.is_finite() { share } else { 0.0 }
    }

    /// `31.0 % of 2.400 s (cpu-clock, self)`
    fn part(&self, cost: Cost, kind: &str) -> String {
        let share = format_share(self.share(cost), 1);
        let (total, name) = (Numbers::Readable.cost(self.column, self.total), &self.column.name);
        if name == WEIGHT {
            format!("{share} of a weight of {total} ({kind})")
        } else if total.ends_with(|c: char| c.is_ascii_digit()) {
            format!("{share} of {total} {name} ({kind})")
        } else {
            format!("{share} of {total} ({name}, {kind})")
        }
    }
}

/// `5,715,618 Ir`, `2.400 s`
fn amount(column: &Column, cost: Cost) -> String {
    let cost = Numbers::Readable.cost(column, cost);
    if column.name == WEIGHT {
        return format!("a weight of {cost}");
    }
    if cost.ends_with(|c: char| c.is_ascii_digit()) { format!("{cost} {}", column.name) } else { cost }
}

/// A function's name, with its place if another function of the list has the same name.
fn distinct_name(row: &FunctionAnswer, rows: &[FunctionAnswer]) -> String {
    placed_name(&row.function, rows.iter().map(|other| &other.function))
}

/// A function's name, with its place if one of the others has the same name, or if it is generic, such as `<module>` or
/// `<lambda>`.
fn placed_name<'a>(function: &FunctionName, mut others: impl Iterator<Item = &'a FunctionName>) -> String {
    let short = name(&function.display);
    let common = function.display.starts_with('<') && function.display.ends_with('>');
    let same = |other: &FunctionName| other.display == function.display && other != function;
    match place(function, Numbers::Readable) {
        place if place.is_empty() || !(common || others.any(same)) => short,
        place => format!("{short} ({place})"),
    }
}

fn name(display: &str) -> String {
    shortened(NameKind::Function, display, LETTERS)
}
