//! Semaphores: whoever took a token points to the post that it came from.
//!
//! Tokens are alike, so the n-th wait that succeeds takes the n-th token. The first ones may have been there from the
//! beginning, which no record tells: as few as the waits need that ended before a post could have given them theirs.
//! That number is exact wherever somebody had to wait, for then no token was left:
//!
//! ```text
//! posts            1           2     3
//! waits    a    b·····|  c·······|          a ends before any post: one token was there from the beginning;
//!                                           b takes post 1, c takes post 2
//! ```
//!
//! Whether a `sem_trywait` or a `sem_timedwait` succeeded is not recorded: it did where a token was left.

use std::collections::BTreeMap;

use lotse_model::id::ProcessId;
use lotse_model::trace::{Event, EventKind, ObjectKind, Ticks};

use super::{Link, Links, locations_with};
use crate::store::{CallRef, OpRef, Trace};

/// What happened to one semaphore of a process.
#[derive(Debug, Default)]
pub(crate) struct Semaphore {
    /// Tokens that were there from the beginning.
    pub(crate) initial: usize,
    /// Records of posts, in their order.
    pub(crate) posts: Vec<OpRef>,
    /// Waits that took a token, in the order in which they ended.
    pub(crate) taken: Vec<Taken>,
}

/// A wait that took a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) op: OpRef,
    pub(crate) call: CallRef,
    /// The post that the token came from; nothing for one that was there from the beginning.
    pub(crate) post: Option<OpRef>,
}

/// What a call does to a semaphore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Posts,
    Takes,
    MayTake,
}

/// When, what, and by which record. At one moment posts come first.
type Turn = (Ticks, Part, OpRef);

pub(super) fn link(trace: &Trace, links: &mut Links) {
    for taken in semaphores(trace).iter().flat_map(|semaphore| &semaphore.taken) {
        if let Some(post) = taken.post {
            links.point(taken.op, Link::Op(post));
        }
    }
}

/// All semaphores of a trace, in the order of processes and addresses.
pub(crate) fn semaphores(trace: &Trace) -> Vec<Semaphore> {
    let mut turns: BTreeMap<(ProcessId, u64), Vec<Turn>> = BTreeMap::new();
    for location in locations_with(trace, &[EventKind::Attribute]) {
        let (process, ops) = (trace.location(location).process, &trace.timeline(location).ops);
        if !ops.has(|event| matches!(event, Event::Object { kind: ObjectKind::Semaphore, .. })) {
            continue;
        }
        for (number, record) in (0..).zip(ops) {
            let Event::Object { kind: ObjectKind::Semaphore, address } = record.event() else { continue };
            let op = OpRef { location, op: number };
            let Some((part, call)) = trace.call_of(op).and_then(|call| Some((part(trace, call)?, call)))
            else {
                continue;
            };
            let at = if part == Part::Posts { trace.enter(call) } else { trace.exit(call) };
            turns.entry((process, address)).or_default().push((at, part, op));
        }
    }
    turns.into_values().map(|turns| semaphore(trace, turns)).collect()
}

fn part(trace: &Trace, call: CallRef) -> Option<Part> {
    match trace.class(call).name.as_str() {
        "sem_post" => Some(Part::Posts),
        "sem_wait" => Some(Part::Takes),
        "sem_timedwait" | "sem_clockwait" | "sem_trywait" => Some(Part::MayTake),
        _ => None,
    }
}

fn semaphore(trace: &Trace, mut turns: Vec<Turn>) -> Semaphore {
    turns.sort_unstable();
    let mut found = Semaphore { initial: initial(&turns), ..Semaphore::default() };
    let mut next = 0;
    for (_, part, op) in turns {
        let left = (found.initial + found.posts.len()).saturating_sub(next);
        match part {
            Part::Posts => found.posts.push(op),
            Part::MayTake if left == 0 => {}
            Part::Takes | Part::MayTake => {
                let post = next.checked_sub(found.initial).and_then(|at| found.posts.get(at)).copied();
                next += usize::from(left > 0);
                found.taken.extend(trace.call_of(op).map(|call| Taken { op, call, post }));
            }
        }
    }
    found
}

/// The fewest tokens from the beginning that let all waits end when they did.
fn initial(turns: &[Turn]) -> usize {
    let (mut posted, mut taken, mut missing) = (0_usize, 0_usize, 0);
    for (_, part, _) in turns {
        match part {
            Part::Posts => posted += 1,
            Part::Takes => taken += 1,
            Part::MayTake => {}
        }
        missing = missing.max(taken.saturating_sub(posted));
    }
    missing
}
