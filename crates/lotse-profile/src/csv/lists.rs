//! Lists of functions, groups, calls, nodes of trees, data structures, parts and event types.

use std::borrow::Cow;

use lotse_report::{Cell, Document};

use super::{Sheet, cost_title, function_cells, number, optional, share, yes_or_no};
use crate::analysis::InclusiveOrigin;
use crate::answer::{EventAnswer, PartAnswer, TopAnswer};
use crate::calls::CallsAnswer;
use crate::data::DataAnswer;
use crate::events::Cost;
use crate::groups::GroupsAnswer;
use crate::report::{Relative, counted_again};
use crate::tree::{NodeAnswer, TreeAnswer};

/// The title of a column of shares; `None` if there are no shares.
fn share_title(relative: Relative, parent: &'static str) -> Option<&'static str> {
    match relative {
        Relative::Total => Some("share"),
        Relative::Parent => Some(parent),
        Relative::Off => None,
    }
}

/// Costs, each followed by its share of a whole if shares are shown.
fn costs(costs: impl Iterator<Item = (Cost, Cost)>, relative: Relative) -> Vec<Cell> {
    let cells = costs.flat_map(|(cost, whole)| [Some(number(cost)), share_cell(cost, whole, relative)]);
    cells.flatten().collect()
}

fn share_cell(cost: Cost, whole: Cost, relative: Relative) -> Option<Cell> {
    (relative != Relative::Off).then(|| share(cost, whole))
}

/// Functions with self and inclusive costs.
pub fn top(answer: &TopAnswer, relative: Relative) -> Document {
    let mut sheet = Sheet::new(&["function", "object", "file", "line", "column"]);
    sheet.titles(&["calls", "cycle", "inclusive is exact"]);
    sheet.cost_titles(&answer.events, &["self", "inclusive"], share_title(relative, "share"));
    for function in &answer.functions {
        let mut row = function_cells(&function.function);
        let inclusive = known_inclusive(&function.inclusive, answer.inclusive_from);
        let is_known = inclusive.iter().any(|cost| !cost.is_absent());
        let exact = if is_known { yes_or_no(!function.lower_bound) } else { Cell::default() };
        row.extend([optional(function.calls), optional(function.cycle), exact]);
        row.extend(self_and_inclusive(&answer.events, &function.own, &inclusive, relative));
        sheet.row(row);
    }
    sheet.finish()
}

/// Inclusive costs; absent if they are unknown, so that the cells are empty.
fn known_inclusive<'a>(inclusive: &'a [Cost], from: &str) -> Cow<'a, [Cost]> {
    if InclusiveOrigin::ALL.iter().any(|origin| origin.lacks_calls() && origin.name() == from) {
        return vec![Cost::Real(f64::NAN); inclusive.len()].into();
    }
    inclusive.into()
}

/// Self and inclusive cost of every event type.
fn self_and_inclusive(
    events: &[EventAnswer],
    own: &[Cost],
    inclusive: &[Cost],
    relative: Relative,
) -> Vec<Cell> {
    let pairs = events.iter().zip(own).zip(inclusive);
    let pair = |((event, &own), &all): ((&EventAnswer, &Cost), &Cost)| {
        let whole = event.share_base(event.total);
        [(own, whole), (all, whole)]
    };
    costs(pairs.flat_map(pair), relative)
}

/// Groups of functions; an inclusive cost may be an upper bound.
pub fn groups(answer: &GroupsAnswer, relative: Relative) -> Document {
    let mut sheet = Sheet::new(&["group"]);
    sheet.titles(&["functions", "inclusive is exact"]);
    sheet.cost_titles(&answer.events, &["self", "inclusive"], share_title(relative, "share"));
    for group in &answer.groups {
        let mut row = vec![Cell::text(&group.name), optional(Some(group.functions)), yes_or_no(group.exact)];
        let inclusive = known_inclusive(&group.inclusive, answer.inclusive_from);
        row.extend(self_and_inclusive(&answer.events, &group.own, &inclusive, relative));
        sheet.row(row);
    }
    sheet.finish()
}

/// Callers or callees; a cost may be an upper bound.
pub fn calls(answer: &CallsAnswer, relative: Relative) -> Document {
    let mut sheet = Sheet::new(&["function", "object", "file", "line", "column"]);
    sheet.titles(&["calls", "distance", "exact", "recursive"]);
    sheet.cost_titles(&answer.events, &["cost"], share_title(relative, "share of function"));
    let whole = |at: usize| {
        answer.events[at].share_base(match relative {
            Relative::Parent => answer.function.inclusive[at],
            _ => answer.events[at].total,
        })
    };
    for call in &answer.rows {
        let mut row = function_cells(&call.function);
        row.extend([
            optional(call.calls),
            optional(Some(call.distance)),
            yes_or_no(call.exact),
            yes_or_no(call.inside_cycle),
        ]);
        for (at, &cost) in call.cost.iter().enumerate() {
            row.push(number(cost));
            let share = share_cell(cost, whole(at), relative);
            row.extend(
                share.map(|it| if counted_again(call, cost, whole(at)) { Cell::text("") } else { it }),
            );
        }
        sheet.row(row);
    }
    sheet.finish()
}

/// Nodes of a tree in depth-first order; the parent of a node is the last node before it whose depth is one less.
pub fn tree(answer: &TreeAnswer, relative: Relative) -> Document {
    let mut sheet = Sheet::new(&["depth", "function", "object", "file", "line", "column"]);
    sheet.titles(&["calls"]);
    sheet.cost_titles(&answer.events, &["inclusive", "self"], share_title(relative, "share of caller"));
    let mut above: Vec<&NodeAnswer> = Vec::new();
    for node in &answer.nodes {
        above.truncate(node.depth as usize);
        let parent = above.last().map_or(&answer.whole, |parent| &parent.inclusive);
        let whole = |at: usize| {
            answer.events[at].share_base(match relative {
                Relative::Parent => parent[at],
                _ => answer.events[at].total,
            })
        };
        let mut row = vec![optional(Some(node.depth))];
        row.extend(function_cells(&node.function));
        row.push(optional(node.calls));
        let pairs = (0..answer.events.len())
            .flat_map(|at| [(node.inclusive[at], whole(at)), (node.own[at], whole(at))]);
        row.extend(costs(pairs, relative));
        sheet.row(row);
        above.push(node);
    }
    sheet.finish()
}

/// Data structures with the place of their allocation.
pub fn data(answer: &DataAnswer) -> Document {
    let mut sheet = Sheet::new(&["allocated in", "file", "line", "called from"]);
    sheet.cost_titles(&answer.events, &["cost"], Some("share"));
    for structure in &answer.structures {
        let site = structure.site.as_ref();
        let name = structure.name.as_ref().or(site.map(|site| &site.function));
        let above = structure.stack.iter().skip_while(|place| Some(*place) != site).nth(1);
        let mut row = vec![optional(name), optional(site.and_then(|site| site.file.as_ref()))];
        row.extend([optional(site.and_then(|site| site.line)), optional(above.map(|place| &place.function))]);
        let totals = answer.events.iter().map(|event| event.share_base(event.total));
        row.extend(costs(structure.cost.iter().copied().zip(totals), Relative::Total));
        sheet.row(row);
    }
    sheet.finish()
}

/// Parts of a profile; `events` are its own event types.
pub fn parts(parts: &[PartAnswer], events: &[EventAnswer]) -> Document {
    let mut sheet = Sheet::new(&["part", "name", "counted"]);
    events.iter().for_each(|event| sheet.title(cost_title(event, "total")));
    sheet.titles(&["samples", "process", "thread", "file", "written because"]);
    for part in parts {
        let mut row = vec![optional(Some(part.number)), Cell::text(&part.name), yes_or_no(part.chosen)];
        row.extend(part.totals.iter().take(events.len()).map(|&total| number(total)));
        row.extend([optional(part.samples), optional(part.process), optional(part.thread)]);
        row.extend([optional(part.source.as_ref()), optional(part.trigger.as_ref())]);
        sheet.row(row);
    }
    sheet.finish()
}

/// Event types; the total of a row is in the unit of that row.
pub fn events(events: &[EventAnswer]) -> Document {
    let mut sheet = Sheet::new(&["event type", "unit", "total in that unit", "title", "formula"]);
    for event in events {
        let texts = [optional(event.title.as_ref()), optional(event.formula.as_ref())];
        let cells = [Cell::text(&event.name), Cell::text(&event.unit), number(event.total)];
        sheet.row(cells.into_iter().chain(texts).collect());
    }
    sheet.finish()
}
