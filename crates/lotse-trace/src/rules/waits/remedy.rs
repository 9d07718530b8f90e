//! The remedy of a loss: both as a change to re-time and as options of `what-if`, so that the gain in a table is the one
//! that the printed command predicts.

use lotse_model::finding::shell_word;
use lotse_model::id::PathId;

use super::super::Context;
use super::locks::lock_of;
use super::{Cause, Loss, cause};
use crate::analyze::{paths_of_same_name, place_name};
use crate::answer::LossAnswer;
use crate::contention::ContendedLock;
use crate::retime::{Change, Factor, Graph, Scaled};

/// The change by which the gain of a loss is computed.
pub(super) enum Remedy<'a> {
    /// The work under the lock is moved before its acquisition.
    OutsideLock(PathId),
    /// The cause takes no time on its location.
    Zero(&'a Cause),
    /// The waits of the loss are removed.
    Remove,
}

impl<'a> Remedy<'a> {
    pub(super) fn new(cause: Option<&'a Cause>, lock: Option<&ContendedLock>) -> Self {
        match (lock.and_then(|lock| lock.holder), cause) {
            (Some((path, _)), _) => Self::OutsideLock(path),
            (None, Some(cause)) => Self::Zero(cause),
            (None, None) => Self::Remove,
        }
    }

    /// The remedy as options of `what-if`.
    pub(super) fn options(&self, context: &Context<'_>, loss: &LossAnswer) -> String {
        let trace = context.trace;
        match self {
            Self::OutsideLock(path) => {
                format!("--outside-lock {}", shell_word(&trace.name_to_ask_for(*path)))
            }
            Self::Zero(cause) => {
                let (path, place) = (trace.name_to_ask_for(cause.path), place_name(trace, cause.location));
                format!("--zero {}", shell_word(&format!("{path}@{place}")))
            }
            Self::Remove => {
                format!("--remove {}", shell_word(&format!("{}@{}", loss.metric, loss.callpath)))
            }
        }
    }
}

/// The change that applies the remedy of a loss. None if the loss is not waiting time, which re-timing cannot remove, or if
/// its cause is a call whose own waits were not recorded.
pub(crate) fn remedy_change(context: &Context<'_>, graph: &Graph, loss: &Loss) -> Option<Change> {
    let (trace, cause) = (context.trace, cause(context, loss));
    match Remedy::new(cause, lock_of(context, loss)) {
        Remedy::OutsideLock(path) => {
            let change = graph.outside_lock(trace, &paths_of_same_name(trace, path));
            (!change.inserted.is_empty()).then_some(change)
        }
        // What such a call waits for is not known, so its time without that wait is not known either.
        Remedy::Zero(cause) if context.is_unrecorded(cause.path) => None,
        Remedy::Zero(cause) => {
            let scaled = |path| Scaled { path, location: Some(cause.location), factor: Factor::ZERO };
            let scaled = paths_of_same_name(trace, cause.path).into_iter().map(scaled).collect();
            Some(Change { scaled, ..Change::default() })
        }
        Remedy::Remove => {
            let mut change = Change::default();
            loss.waits(context).for_each(|wait| change.remove(wait));
            (!change.removed.is_empty() || !change.spans.is_empty()).then_some(change)
        }
    }
}

/// The call path whose work is moved before the acquisition of a lock, if that is the remedy of a loss.
pub(crate) fn moved_out_of_lock(context: &Context<'_>, loss: &Loss) -> Option<PathId> {
    lock_of(context, loss)?.holder.map(|(path, _)| path)
}
