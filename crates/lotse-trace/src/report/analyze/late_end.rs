//! The clause about a process that ends late and thereby bounds the run.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::shorten::{NameKind, shortened};

use super::{LETTERS, short_path};
use crate::answer::{Answer, LossAnswer};
use crate::unrecorded::Hidden;

/// A clause with the process that ends last and the call path by which it bounds the run; none if the critical path is
/// mostly on another process, or not known.
pub(super) fn late_end(answer: &Answer) -> Option<String> {
    // The critical path is not known if the recorder left something out.
    let late = answer.late_end.as_ref().filter(|_| answer.facts.hidden == Hidden::Nothing)?;
    let rows = answer.critical_path.iter().filter(|row| !row.callpath.is_empty());
    let most = rows.max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let there = most.location == late.location;
    let gain = answer.what_if_zero.iter().find(|zero| zero.callpath == most.callpath).map(|zero| zero.gain);
    let without = gain.map_or_else(String::new, |gain| {
        format!(": without it on all locations the run would be {} shorter", format_seconds(gain))
    });
    there.then(|| {
        format!(
            "{} ends up to {} after the other processes and bounds the run, mostly by {} ({} of the critical \
             path){without}",
            late.who,
            format_seconds(late.seconds),
            shortened(NameKind::Path, &short_path(&most.callpath), LETTERS),
            format_percent(most.seconds / answer.critical_path_length, 1),
        )
    })
}

/// Whether the cause of a loss is on the process that ends late: then that process is named already.
pub(super) fn is_late_end(answer: &Answer, loss: &LossAnswer) -> bool {
    let on = loss.cause.as_ref().map(|cause| cause.location);
    answer.late_end.as_ref().is_some_and(|late| on == Some(late.location))
}
