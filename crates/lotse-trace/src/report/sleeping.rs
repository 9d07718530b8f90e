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
///
/// `polls`: whether processes poll for messages; asleep between two tests, they wait for these.
pub(super) fn sleeping(
    answer: &SleepingAnswer,
    efficiency: Option<&Efficiency>,
    polls: bool,
) -> Option<String> {
    if answer.share < LEAST {
        return None;
    }
    let most = if answer.callpath_seconds < ALL * answer.seconds { "mostly " } else { "" };
    let head = format!(
        "{} ({}) of the time of all locations is sleeping, {most}in {}: {}",
        format_percent(answer.share, 1),
        format_seconds(answer.seconds),
        shortened(NameKind::Path, &short_path(&answer.callpath), LETTERS),
        match polls {
            true => "no work, but between two tests for a message part of that wait",
            false => "neither work nor waiting for another location",
        }
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

#[cfg(test)]
mod tests {
    use super::sleeping;
    use crate::sleeping::SleepingAnswer;

    #[test]
    fn the_sentence_says_how_much_where_and_what_it_is() {
        let slept = |share| SleepingAnswer {
            seconds: 0.5,
            share,
            callpath: "main/retry/usleep".to_owned(),
            callpath_seconds: 0.5,
        };
        let told = sleeping(&slept(0.25), None, false).unwrap();
        assert_eq!(
            told,
            "25.0 % (500.0 ms) of the time of all locations is sleeping, in main/retry/usleep: neither work nor waiting \
             for another location."
        );
        assert!(sleeping(&slept(0.25), None, true).unwrap().contains("part of that wait"));
        assert_eq!(sleeping(&slept(0.001), None, false), None);
    }
}
