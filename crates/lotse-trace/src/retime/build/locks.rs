//! Locks: each holding comes after the one before it.

use std::num::NonZeroU32;

use hashbrown::HashMap;
use lotse_model::id::ProcessId;
use lotse_model::trace::{Event, LockKind, Ticks};

use super::super::graph::{Entry, Holding, SourceId, What};
use super::Builder;
use crate::patterns::asked_for_lock;
use crate::store::{CallRef, OpRef, Trace};

/// A lock of a process.
type Lock = (ProcessId, LockKind, u64);

/// A record that acquires a lock, and its call.
type Begun = (OpRef, Option<CallRef>);

/// A record that acquires a lock, and the release that ends the holding.
#[derive(Debug, Clone, Copy)]
struct Acquired {
    lock: Lock,
    op: OpRef,
    call: CallRef,
    /// Since when the call wants the lock.
    asked: Ticks,
    at: Ticks,
    /// The release that ends the holding.
    release: OpRef,
    /// The release of the holding before.
    before: Option<OpRef>,
}

impl Acquired {
    /// How long after the release by another it got the lock, where it had to wait for that.
    fn hand_over(&self, trace: &Trace) -> Option<Ticks> {
        let released = trace.op(self.before?).at;
        (released > self.asked).then(|| self.at.saturating_sub(released))
    }

    /// How long it took where the lock was free.
    fn if_free(&self, trace: &Trace) -> Option<Ticks> {
        self.hand_over(trace).is_none().then(|| self.at.saturating_sub(self.asked))
    }
}

/// The shortest times that a lock shows.
#[derive(Debug, Clone, Copy, Default)]
struct Shortest {
    if_free: Option<Ticks>,
    hand_over: Option<Ticks>,
}

impl Builder<'_> {
    /// Makes a holding of each pair of acquire and release.
    pub(super) fn need_locks(&mut self) {
        let acquired = acquired(self.trace);
        let mut numbers: HashMap<Lock, u32> = HashMap::new();
        let mut shortest: Vec<Shortest> = Vec::new();
        for it in &acquired {
            let lock = *numbers.entry(it.lock).or_insert(shortest.len() as u32) as usize;
            if lock == shortest.len() {
                shortest.push(Shortest::default());
            }
            let least = |known: Option<Ticks>, seen: Option<Ticks>| known.into_iter().chain(seen).min();
            shortest[lock].if_free = least(shortest[lock].if_free, it.if_free(self.trace));
            shortest[lock].hand_over = least(shortest[lock].hand_over, it.hand_over(self.trace));
        }
        self.graph.locks = shortest.len();
        let mut ends: HashMap<OpRef, SourceId> = HashMap::new();
        for (holding, it) in (0..).zip(&acquired) {
            let lock = numbers[&it.lock];
            self.graph.holdings.push(it.holding(self.trace, lock, shortest[lock as usize]));
            ends.insert(it.release, self.release(it, holding));
        }
        for (holding, it) in (0..).zip(&acquired) {
            let before = it.before.and_then(|release| ends.get(&release).copied());
            self.acquire(it, holding, before);
        }
    }

    fn release(&mut self, it: &Acquired, holding: u32) -> SourceId {
        let at = self.trace.op(it.release).at;
        let call = self.place(it.release);
        let source = self.source(it.release.location, at, call, None);
        let entries = &mut self.graph.lines[it.release.location.index()].entries;
        if let Some(entry) = entries.last_mut() {
            entry.what = What::Releases { holding, source };
        }
        source
    }

    fn acquire(&mut self, it: &Acquired, holding: u32, before: Option<SourceId>) {
        let line = &mut self.graph.lines[it.op.location.index()];
        line.needs.extend(before.map(super::Need::from));
        let need = before.and_then(|_| NonZeroU32::new(line.needs.len() as u32));
        let what = What::Acquires { holding, need };
        line.entries.push(Entry { at: it.asked, resume: it.at, what, call: it.call.call });
    }
}

impl Acquired {
    /// What a lock was not seen to do is taken from the shortest of its other holdings.
    fn holding(&self, trace: &Trace, lock: u32, shortest: Shortest) -> Holding {
        let (if_free, hand_over) = match (self.if_free(trace), self.hand_over(trace)) {
            (Some(if_free), _) => (if_free, shortest.hand_over.unwrap_or(if_free)),
            (None, hand_over) => {
                let hand_over = hand_over.unwrap_or(0);
                (shortest.if_free.unwrap_or(hand_over).min(hand_over), hand_over)
            }
        };
        Holding { lock, held: (self.at, trace.op(self.release).at), if_free, hand_over }
    }
}

/// All holdings, in the order of their acquisition at each location.
fn acquired(trace: &Trace) -> Vec<Acquired> {
    let mut all = Vec::new();
    for location in trace.locations() {
        let process = trace.location(location).process;
        let mut open: HashMap<(LockKind, u64), Vec<Begun>> = HashMap::new();
        for (number, record) in (0..).zip(&trace.timeline(location).ops) {
            let op = OpRef { location, op: number };
            match record.event {
                Event::AcquireLock { kind, lock, .. } => {
                    open.entry((kind, lock)).or_default().push((op, trace.call_of(op)));
                }
                Event::ReleaseLock { kind, lock, .. } => {
                    let begun = open.get_mut(&(kind, lock)).and_then(Vec::pop);
                    let Some((acquire, Some(call))) = begun else { continue };
                    let at = trace.op(acquire).at;
                    // A thread that has the lock already does not wait for its own release.
                    let earlier = |before: &OpRef| trace.op(*before).at <= at;
                    all.push(Acquired {
                        lock: (process, kind, lock),
                        op: acquire,
                        call,
                        asked: asked_for_lock(trace, call).min(at),
                        at,
                        release: op,
                        before: trace.links.partner(acquire).filter(earlier),
                    });
                }
                _ => {}
            }
        }
    }
    all
}
