//! Sentences about what the recorder left out, printed before any conclusion.

use lotse_report::number::{format_percent, format_seconds};

use super::grouped;
use crate::answer::Facts;
use crate::unrecorded::{GapAnswer, GapKind, Hidden};

/// A paragraph about what was left out and its consequences; none if nothing is missing.
pub(crate) fn left_out(facts: &Facts) -> Option<String> {
    let mut sentences = sentences(facts);
    if sentences.is_empty() {
        return None;
    }
    sentences.push(consequence(facts.hidden).to_owned());
    Some(sentences.join(" "))
}

/// Why a prediction is not reliable; none if it is.
pub fn caution(facts: &Facts) -> Option<String> {
    if facts.hidden == Hidden::Nothing {
        return None;
    }
    let sentences = sentences(facts);
    Some(format!(
        "What waits for what is known in part only, so the real times may be very different. {}",
        sentences.join(" ")
    ))
}

fn sentences(facts: &Facts) -> Vec<String> {
    let gaps = facts.gaps.iter().map(gap);
    cut_off(facts).into_iter().chain(unrecorded_calls(facts)).chain(gaps).collect()
}

/// A sentence about locations whose events could not be read to their end.
fn cut_off(facts: &Facts) -> Option<String> {
    let (lost, all) = (facts.incomplete_locations.len(), facts.locations);
    (lost > 0).then(|| {
        format!("The recording is incomplete: {lost} of {all} locations lost events, and what others waited for there.")
    })
}

fn unrecorded_calls(facts: &Facts) -> Option<String> {
    let share: f64 = facts.unrecorded.iter().map(|row| row.share).sum();
    let names: Vec<&str> = facts.unrecorded.iter().map(|row| row.region.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "The recorder wrote nothing of what {} does ({} of the time of all locations in the whole run): what these \
             calls wait for is not known.",
            names.join(", "),
            format_percent(share.min(1.0), 1)
        )
    })
}

/// A sentence about missing records.
pub(crate) fn gap(gap: &GapAnswer) -> String {
    let many = |number: u64| grouped(number);
    match gap.kind {
        GapKind::Synchronisation => format!(
            "The recorder wrote {} calls of {}, but no call that synchronises their windows (MPI_Win_fence, \
             MPI_Win_lock, ...): time waited there counts as computation.",
            many(gap.count),
            gap.calls.join(", ")
        ),
        GapKind::Processes => without_events(gap),
        GapKind::Completions => format!(
            "{} of {} requests are completed outside every recorded call of MPI: time waited there counts as \
             computation.",
            many(gap.count),
            many(gap.of)
        ),
        GapKind::Collectives => format!(
            "The recorder wrote no completion of {} of {} collectives that do not block{}.",
            many(gap.count),
            many(gap.of),
            unexplained(gap)
        ),
        GapKind::Barriers => format!(
            "After the last thread has come to the end of {} parallel regions and before they are joined, the recorder \
             wrote nothing for {} ({} of the time of all locations in the whole run): this counts as OpenMP, also where tasks ran.",
            many(gap.count),
            format_seconds(gap.seconds),
            format_percent(gap.share.min(1.0), 1)
        ),
        GapKind::InnerBarriers => format!(
            "The recorder wrote no barriers inside parallel regions, but {} times a thread seems to wait at one ({}, {} of \
             the time of all locations in the whole run): this counts as computation.",
            many(gap.count),
            format_seconds(gap.seconds),
            format_percent(gap.share.min(1.0), 1)
        ),
        GapKind::TaskDependences => format!(
            "The recorder wrote no dependences between tasks, but threads idle for {} ({} of the time of all \
             locations in the whole run) although tasks have been created that do not begin: what these wait for is not known.",
            format_seconds(gap.seconds),
            format_percent(gap.share.min(1.0), 1)
        ),
        GapKind::TaskWaits => format!(
            "The recorder wrote no calls that wait for tasks (taskwait), but {} a thread seems to be in one ({}, {} \
             of the time of all locations in the whole run): waiting there counts as computation.",
            if gap.count == 1 { "once".to_owned() } else { format!("{} times", many(gap.count)) },
            format_seconds(gap.seconds),
            format_percent(gap.share.min(1.0), 1)
        ),
        GapKind::Threads => threads(gap),
        GapKind::SilentThreads => format!(
            "Of {} of {} threads only the begin and the end are recorded (such as threads that a library starts): whether \
             they work or sleep is not known, and they are left out of times, efficiencies and the critical path.",
            many(gap.count),
            many(gap.of)
        ),
        GapKind::Receives => without_half(gap, "receive"),
        GapKind::Sends => without_half(gap, "send"),
    }
}

fn without_half(gap: &GapAnswer, half: &str) -> String {
    format!(
        "The recorder wrote no {half} of {} of {} messages{}.",
        grouped(gap.count),
        grouped(gap.of),
        unexplained(gap)
    )
}

fn threads(gap: &GapAnswer) -> String {
    let count = grouped(gap.count);
    match gap.calls.is_empty() {
        true => format!(
            "Nothing is recorded about when the {count} threads wait for each other: time waited counts as computation."
        ),
        false => format!(
            "Of {count} threads only the start and the end are recorded, no lock, condition or barrier (recorders of \
             pthreads do not see locks that call the kernel directly, as those of Rust and Go do): time waited there counts \
             as computation."
        ),
    }
}

fn without_events(gap: &GapAnswer) -> String {
    format!(
        "{} of {} processes that take part in the communication {} no events{}.",
        grouped(gap.count),
        grouped(gap.of),
        if gap.count == 1 { "has" } else { "have" },
        unexplained(gap)
    )
}

fn unexplained(gap: &GapAnswer) -> String {
    match gap.seconds > 0.0 {
        true => format!(
            ": what {} ({}, {} of the time of all locations in the whole run) waits for is not known",
            gap.calls.join(", "),
            format_seconds(gap.seconds),
            format_percent(gap.share.min(1.0), 1)
        ),
        false => ": waits for these are not known".to_owned(),
    }
}

fn consequence(hidden: Hidden) -> &'static str {
    match hidden {
        Hidden::Nothing => "Waits are lower bounds.",
        Hidden::Causes => "Waits are lower bounds; causes and gains are not known.",
        Hidden::Waits => {
            "Waits are lower bounds and efficiencies upper bounds; causes and gains are not known."
        }
    }
}
