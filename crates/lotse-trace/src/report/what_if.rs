//! The predicted run after a change.

use lotse_report::number::{format_percent, format_seconds, significant};
use lotse_report::{Block, Cell, Column, Document, Inline};

use super::short_names::short_path;
use super::{first_rows, part_of_run, path_name, seconds, share, table};
use crate::analyze::{BalancedAnswer, GainBounds, ScaledAnswer, SharedWorkAnswer, WhatIfAnswer};
use crate::farm::FarmAnswer;
use crate::kept_order::{KeptOrderAnswer, KeptOrderKind};

mod conditions;

use conditions::conditions;

/// The prediction, the changes, and the critical path after them, with at most `limit` rows; 0 for all.
pub fn what_if(answer: &WhatIfAnswer, location_names: &[String], limit: usize) -> Document {
    let mut document = Document::new();
    if let Some(caution) = &answer.caution {
        document.paragraph(format!("This answer cannot be relied on. {caution}"));
    }
    document.paragraph(sentence(answer));
    part_of_run(&mut document, answer.focus.as_ref());
    if answer.unexplained_waits > 0.0 {
        document.paragraph(format!(
            "{} of what was changed may be waiting for an accelerator of which nothing is recorded, and that time \
             stays as long as the accelerator works: the gain is an upper bound.",
            format_seconds(answer.unexplained_waits)
        ));
    }
    document.blocks.extend(clocks(answer).map(|text| Block::Paragraph(vec![Inline::Text(text)])));
    for farm in &answer.dynamic_distribution {
        document.paragraph(format!("{} {KEPT}", distribution(farm, location_names)));
    }
    for order in &answer.kept_order {
        document.paragraph(format!("{} The gain is a lower bound.", kept_order(order, location_names)));
    }
    for work in &answer.shared_work {
        document.paragraph(sharing_sentence(answer, work));
    }
    conditions(&mut document, answer, location_names);
    let rows = answer.scaled.iter().map(|it| {
        let place = place(it, location_names);
        vec![path_name(&it.callpath), place, seconds(it.seconds), seconds(it.seconds * it.factor)]
    });
    let columns = vec![
        Column::path("call path"),
        Column::left("on"),
        Column::decimal("was", "s"),
        Column::decimal("becomes", "s"),
    ];
    table(&mut document, "Changed", columns, rows.collect());
    for it in &answer.balanced {
        document.paragraph(balance(it));
    }
    if answer.scaled.iter().any(|it| it.seconds == 0.0) {
        document.paragraph("It is the own time of a call path that changes, not that of what it calls.");
    }
    let total = answer.predicted;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    rows.extend(first_rows(&answer.bounded_by, limit).iter().map(|row| {
        let location = location_names.get(row.location as usize).map_or("", String::as_str);
        vec![seconds(row.seconds), share(row.seconds, total), path_name(&row.callpath), location.into()]
    }));
    rows.extend(rest(answer));
    let columns = vec![
        Column::decimal("time", "s"),
        Column::right("share"),
        Column::path("call path"),
        Column::path("location"),
    ];
    table(&mut document, "What bounds the run then", columns, rows);
    document
}

/// A sentence about a call path whose time is distributed evenly.
fn balance(it: &BalancedAnswer) -> String {
    let how = match it.calls {
        Some(1) => ".".to_owned(),
        Some(many) => format!(": each of its {many} calls takes the mean of all locations."),
        None => {
            ": all its calls on a location together, not each call, for they cannot be paired one to one."
                .to_owned()
        }
    };
    format!(
        "{} takes {} on each of {} locations, instead of up to {}{how}",
        short_path(&it.callpath),
        format_seconds(it.mean),
        it.locations,
        format_seconds(it.longest)
    )
}

/// What re-timing assumes about dynamic distribution of work.
const KEPT: &str = "This replay keeps who did which task, although faster workers would do more of them: the gain is a \
                    lower bound.";

/// A sentence about a master that gives tasks to workers.
pub(super) fn distribution(farm: &FarmAnswer, names: &[String]) -> String {
    let master = names.get(farm.master as usize).map_or("", String::as_str);
    format!(
        "{master} gives tasks to whichever of {} workers asks first ({} requests).",
        farm.workers.len(),
        farm.tasks
    )
}

/// A sentence about work that goes to whoever is ready first.
pub(super) fn kept_order(order: &KeptOrderAnswer, names: &[String]) -> String {
    let name = |location: &u32| names.get(*location as usize).map_or("", String::as_str);
    let who: Vec<&str> = order.locations.iter().map(name).collect();
    match order.kind {
        KeptOrderKind::Queue => format!(
            "{} wait at the same condition or semaphore, as threads do that take work from one queue ({} calls): a replay \
             keeps who did what, although a faster thread would take more.",
            join(&who),
            order.calls
        ),
        KeptOrderKind::MutexQueue => format!(
            "{} lock the same mutex as threads do that take work from one queue ({} times): a replay keeps who did what, \
             although a faster thread would take more.",
            join(&who),
            order.calls
        ),
        KeptOrderKind::Arrival => format!(
            "{} receives in the order in which its requests complete ({} calls): a replay keeps that order.",
            join(&who),
            order.calls
        ),
    }
}

/// At most four names, in words.
fn join(names: &[&str]) -> String {
    match names {
        [only] => (*only).to_owned(),
        [first, .., last] if names.len() > 4 => format!("{first} to {last} ({} threads)", names.len()),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
        [] => String::new(),
    }
}

/// A sentence about clocks whose error exceeds the gain.
fn clocks(answer: &WhatIfAnswer) -> Option<String> {
    let known = match answer.clock_uncertainty {
        Some(most) if answer.gain.abs() > most => return None,
        Some(0.0) => return None,
        Some(most) => format!("only known to ± {}", format_seconds(most)),
        None => "bounded from one side only".to_owned(),
    };
    Some(format!(
        "The corrected clocks are {known}, which is more than the change gains: the gain may as well be another."
    ))
}

/// The locations at which a call path was changed.
fn place(scaled: &ScaledAnswer, names: &[String]) -> Cell {
    let Some(locations) = &scaled.locations else { return Cell::text("all") };
    let name = |location: &u32| names.get(*location as usize).map_or("", String::as_str);
    match &locations[..] {
        [one] => Cell::text(name(one)),
        [first, .., last] => Cell::text(format!("{} to {}", name(first), name(last))),
        [] => Cell::text(""),
    }
}

/// Time outside of calls is reported from this share of the run on.
const LEAST_REST: f64 = 0.001;

fn rest(answer: &WhatIfAnswer) -> Option<Vec<Cell>> {
    let rest = answer.predicted - answer.bounded_by.iter().map(|row| row.seconds).sum::<f64>();
    let what = "(messages on their way, and before what bounds it began)";
    let row = || vec![seconds(rest), share(rest, answer.predicted), what.into()];
    (rest > LEAST_REST * answer.predicted).then(row)
}

/// A sentence about the assumption that threads share work, with the prediction without it.
fn sharing_sentence(answer: &WhatIfAnswer, work: &SharedWorkAnswer) -> String {
    let counts: Vec<String> = work.pieces.iter().map(|it| it.count.to_string()).collect();
    let otherwise = answer.predicted_without_sharing.map_or_else(String::new, |seconds| {
        format!(" If every thread keeps the calls that it had, it would become {}.", format_seconds(seconds))
    });
    format!(
        "This assumes that threads take calls of {} from a common queue as they become free: they made {} of them, \
         and those with few waited for a lock.{otherwise}",
        work.callpath,
        counts.join(", "),
    )
}

/// The first sentence where only bounds of the gain are known.
fn bounded(runtime: f64, bounds: GainBounds) -> String {
    let length = |gain: f64| format_seconds((runtime - gain).max(0.0));
    format!(
        "{} would become {} to {}: more is not known, because it depends on who waits for whom.",
        format_seconds(runtime),
        length(bounds.most),
        length(bounds.least)
    )
}

/// The first sentence: run time before and after the changes, with removed waits, moved work and omitted dependencies.
fn sentence(answer: &WhatIfAnswer) -> String {
    if let Some(bounds) = answer.gain_bounds {
        return bounded(answer.runtime, bounds);
    }
    let (was, is) = (format_seconds(answer.runtime), format_seconds(answer.predicted));
    let change = if answer.runtime > 0.0 { answer.gain / answer.runtime } else { 0.0 };
    let faster =
        answer.speedup.map_or_else(String::new, |it| format!(", {} times as fast", significant(it, 4)));
    let waits = match answer.removed_waits {
        0 => String::new(),
        many => format!(" without {many} waits"),
    };
    let moved: f64 = answer.outside_lock.iter().map(|it| it.seconds).sum();
    let moved = match moved > 0.0 {
        true => format!(" with {} of work moved out of locks", format_seconds(moved)),
        false => String::new(),
    };
    let amount = format_percent(change.abs(), 1);
    let words = if change >= 0.0 { "less" } else { "more" };
    let odd = match answer.left_out {
        0 => String::new(),
        many => format!("; {many} dependencies go in circles and were left out, so this is a lower bound"),
    };
    format!("{was} would become {is}{waits}{moved}: {amount} {words}{faster}{odd}")
}
