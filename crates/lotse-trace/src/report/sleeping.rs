//! Sentences about time in calls that sleep.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::shorten::{NameKind, shortened};

use super::short_names::short_path;
use crate::efficiency::Efficiency;
use crate::sleeping::SleepingAnswer;

/// Sleeping below this share of the time is in the tables only.
pub(super) const LEAST: f64 = 0.01;

/// The greatest length of call paths in sentences.
const LETTERS: usize = 48;

/// From this share on one call path is all of it.
const ALL: f64 = 0.99;

/// How much is sleeping, where, and what the parallel efficiency is without it.
pub(super) fn sleeping(answer: &SleepingAnswer, efficiency: Option<&Efficiency>) -> Option<String> {
    if answer.share < LEAST {
        return None;
    }
    let most = if answer.callpath_seconds < ALL * answer.seconds { "mostly " } else { "" };
    let head = format!(
        "{} ({}) of the time of all locations is sleeping, {most}in {}: neither work nor waiting for another location",
        format_percent(answer.share, 1),
        format_seconds(answer.seconds),
        shortened(NameKind::Path, &short_path(&answer.callpath), LETTERS)
    );
    Some(match efficiency.and_then(Efficiency::without_sleeping) {
        Some(rest) => format!(
            "{head}. The parallel efficiency counts it as time outside MPI; without it, it is {}.",
            format_percent(rest, 1)
        ),
        None => format!("{head}."),
    })
}

/// The share of the CPUs' time that is sleeping.
pub(super) fn share_of_cpus(share: f64) -> String {
    format!(
        "{} of the CPUs' time is sleeping: it counts as time outside MPI, although it is no work.",
        format_percent(share, 1)
    )
}
