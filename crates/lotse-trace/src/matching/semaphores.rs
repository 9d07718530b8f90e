//! Semaphores: a wait that took a token points to the post that the token came from.
//!
//! Tokens are alike, so the n-th successful wait takes the n-th token. The initial value of the semaphore is not recorded.
//! It is estimated as the smallest number that lets every wait end when it did. The estimate is exact if any wait had to
//! block, because then no token was left:
//!
//! ```text
//! posts            1           2     3
//! waits    a    b·····|  c·······|          a ends before any post: the initial value was one;
//!                                           b takes post 1, c takes post 2
//! ```
//!
//! Whether a `sem_trywait` or a `sem_timedwait` succeeded is not recorded: it counts as successful if a token was left.

use std::collections::BTreeMap;

use lotse_model::id::ProcessId;
use lotse_model::trace::{Event, EventKind, ObjectKind, Ticks};

use super::{Link, Links, locations_with};
use crate::store::{CallRef, OpRef, Trace};

/// The posts and successful waits of one semaphore of a process.
#[derive(Debug, Default)]
pub(crate) struct Semaphore {
    /// The estimated initial value.
    pub(crate) initial: usize,
    /// Records of posts, in the order of time.
    pub(crate) posts: Vec<OpRef>,
    /// Waits that took a token, in the order in which they ended.
    pub(crate) taken: Vec<Taken>,
}

/// A wait that took a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) op: OpRef,
    pub(crate) call: CallRef,
    /// The post that the token came from; none for an initial token.
    pub(crate) post: Option<OpRef>,
}

/// The effect of a call on a semaphore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SemaphoreEffect {
    Posts,
    Takes,
    MayTake,
}

/// Time, effect, record. At equal times posts sort first.
type SemaphoreEvent = (Ticks, SemaphoreEffect, OpRef);

pub(super) fn link(trace: &Trace, links: &mut Links) {
    for taken in semaphores(trace).iter().flat_map(|semaphore| &semaphore.taken) {
        if let Some(post) = taken.post {
            links.point(taken.op, Link::Op(post));
        }
    }
}

/// All semaphores of a trace, in the order of processes and addresses.
pub(crate) fn semaphores(trace: &Trace) -> Vec<Semaphore> {
    let mut events: BTreeMap<(ProcessId, u64), Vec<SemaphoreEvent>> = BTreeMap::new();
    for location in locations_with(trace, &[EventKind::Attribute]) {
        let (process, ops) = (trace.location(location).process, &trace.timeline(location).ops);
        if !ops.has(|event| matches!(event, Event::Object { kind: ObjectKind::Semaphore, .. })) {
            continue;
        }
        for (number, record) in (0..).zip(ops) {
            let Event::Object { kind: ObjectKind::Semaphore, address } = record.event() else { continue };
            let op = OpRef { location, op: number };
            let Some((effect, call)) = trace.call_of(op).and_then(|call| Some((effect(trace, call)?, call)))
            else {
                continue;
            };
            let at = if effect == SemaphoreEffect::Posts { trace.enter(call) } else { trace.exit(call) };
            events.entry((process, address)).or_default().push((at, effect, op));
        }
    }
    events.into_values().map(|events| semaphore(trace, events)).collect()
}

fn effect(trace: &Trace, call: CallRef) -> Option<SemaphoreEffect> {
    match trace.class(call).name.as_str() {
        "sem_post" => Some(SemaphoreEffect::Posts),
        "sem_wait" => Some(SemaphoreEffect::Takes),
        "sem_timedwait" | "sem_clockwait" | "sem_trywait" => Some(SemaphoreEffect::MayTake),
        _ => None,
    }
}

/// Assigns tokens to waits; `next` is the number of tokens taken so far.
fn semaphore(trace: &Trace, mut events: Vec<SemaphoreEvent>) -> Semaphore {
    events.sort_unstable();
    let mut found = Semaphore { initial: initial_value(&events), ..Semaphore::default() };
    let mut next = 0;
    for (_, effect, op) in events {
        let left = (found.initial + found.posts.len()).saturating_sub(next);
        match effect {
            SemaphoreEffect::Posts => found.posts.push(op),
            SemaphoreEffect::MayTake if left == 0 => {}
            SemaphoreEffect::Takes | SemaphoreEffect::MayTake => {
                let post = next.checked_sub(found.initial).and_then(|at| found.posts.get(at)).copied();
                next += usize::from(left > 0);
                found.taken.extend(trace.call_of(op).map(|call| Taken { op, call, post }));
            }
        }
    }
    found
}

/// The smallest initial value that lets all waits end when they did.
fn initial_value(events: &[SemaphoreEvent]) -> usize {
    let (mut posted, mut taken, mut missing) = (0_usize, 0_usize, 0);
    for (_, effect, _) in events {
        match effect {
            SemaphoreEffect::Posts => posted += 1,
            SemaphoreEffect::Takes => taken += 1,
            SemaphoreEffect::MayTake => {}
        }
        missing = missing.max(taken.saturating_sub(posted));
    }
    missing
}
