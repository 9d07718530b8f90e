//! The sentence of a finding about waits.

use lotse_model::id::LocationId;
use lotse_report::number::{format_percent, format_seconds};

use super::{Context, holder, without_words};
use crate::answer::{CauseAnswer, LossAnswer};
use crate::metric::Bound;
use crate::patterns::RMA_LOCK_CONTENTION;
use crate::report::short_path;

/// The sentence of a finding: the loss, its locations, the lock or cause, the uncertainty of clocks, and the gain.
pub(super) fn sentence(
    context: &Context<'_>,
    loss: &LossAnswer,
    (of_total, lacks_cause): (&str, bool),
) -> String {
    let exactness = match loss.bound {
        _ if loss.is_doubtful() => "about ",
        Bound::Exact => "",
        Bound::Lower => "at least ",
        Bound::Upper => "at most ",
    };
    let location = |number: u32| context.label(LocationId(number));
    let who = match loss.locations {
        1 => format!("on {}", location(loss.worst_location)),
        many => format!("on {many} locations, most on {}", location(loss.worst_location)),
    };
    let mut text = format!(
        "{} in {} takes {exactness}{} {of_total}; {exactness}{} {who}",
        loss.title,
        short_path(&loss.callpath),
        format_percent(loss.share, 1),
        format_seconds(loss.seconds)
    );
    if let Some(lock) = &loss.lock {
        let who = if loss.metric == RMA_LOCK_CONTENTION.id { "processes" } else { "threads" };
        text.push_str(&super::locks::clause(lock, who));
    }
    if let (Some(cause), None) = (&loss.cause, holder(loss)) {
        text.push_str(&because_of(context, cause));
    }
    if lacks_cause {
        text.push_str("; what causes it was not found");
    }
    if loss.is_doubtful() {
        let known = loss.clock_uncertainty.map(|most| format!("only known to ± {}", format_seconds(most)));
        let known = known.unwrap_or_else(|| "bounded from one side only".to_owned());
        text = format!("{text}; it may be none, as the clocks are {known}");
    }
    if let Some(gain) = loss.gain {
        let (run, gain) = (context.run_words(), format_seconds(gain));
        let without = without_words(loss).unwrap_or("without this wait");
        text = format!("{text}; {without}, {run} would be {gain} shorter");
    }
    text
}

/// A clause with the cause of a part of the loss, and how far it is known.
fn because_of(context: &Context<'_>, cause: &CauseAnswer) -> String {
    let at = short_path(&cause.callpath);
    let at = if at.is_empty() { "time outside all regions" } else { &at };
    let (on, part) = (context.label(LocationId(cause.location)), format_seconds(cause.seconds));
    let contested = if cause.contested { ", if it came last: by these clocks another may have" } else { "" };
    let unknown = if cause.unrecorded { ", whose own cause the recorder did not write" } else { "" };
    let absent =
        if context.facts.lacks_processes() { ", unless a process without events came later" } else { "" };
    let indirectly = if cause.leads_back { "indirectly, through waits of others, " } else { "" };
    format!("; {part} of it {indirectly}because of {at} on {on}{unknown}{absent}{contested}")
}
