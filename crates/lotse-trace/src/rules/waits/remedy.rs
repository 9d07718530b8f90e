//! What would have to change for a loss to vanish: the same as a change to re-time and as options of `what-if`, so that the
//! gain of a table is the one that the printed command answers.

use lotse_model::finding::shell_word;
use lotse_model::id::PathId;

use super::super::Context;
use super::locks::lock_of;
use super::{Cause, Loss, cause};
use crate::analyze::{alike, place_name};
use crate::answer::LossAnswer;
use crate::contention::ContendedLock;
use crate::retime::{Change, Factor, Graph, Scaled};

/// What is changed to see what a loss costs.
pub(super) enum Remedy<'a> {
    /// What is done while the lock is held happens before it is acquired.
    OutsideLock(PathId),
    /// What most of the loss is because of takes no time there.
    Zero(&'a Cause),
    /// Its waits do not happen.
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

    /// The same as options of `what-if`, and the cause's call path.
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

/// The run without what most of a loss is because of, without its waits where that is not known, or with the work done
/// before the lock is acquired. Nothing where the loss is time of another kind, which re-timing cannot take away, and
/// where its cause is a call of which the recorder did not write what it waits for.
pub(crate) fn without(context: &Context<'_>, graph: &Graph, loss: &Loss) -> Option<Change> {
    let (trace, cause) = (context.trace, cause(context, loss));
    match Remedy::new(cause, lock_of(context, loss)) {
        Remedy::OutsideLock(path) => {
            let change = graph.outside_lock(trace, &alike(trace, path));
            (!change.inserted.is_empty()).then_some(change)
        }
        // What such a call waits for is not known, so neither is what remains of it on other locations.
        Remedy::Zero(cause) if context.is_unrecorded(cause.path) => None,
        Remedy::Zero(cause) => {
            let scaled = |path| Scaled { path, location: Some(cause.location), factor: Factor::ZERO };
            let scaled = alike(trace, cause.path).into_iter().map(scaled).collect();
            Some(Change { scaled, ..Change::default() })
        }
        Remedy::Remove => {
            let mut change = Change::default();
            loss.waits(context).for_each(|wait| change.remove(wait));
            (!change.removed.is_empty() || !change.spans.is_empty()).then_some(change)
        }
    }
}

/// The call path whose work would be done before a lock is acquired, where that would take a loss away.
pub(crate) fn moved_out_of_lock(context: &Context<'_>, loss: &Loss) -> Option<PathId> {
    lock_of(context, loss)?.holder.map(|(path, _)| path)
}
