//! Delay analysis: which call path, on which location, makes others wait.
//!
//! Let location A wait for w ticks, and let B be the cause. Both are compared since their last synchronisation: A until
//! the begin of the wait, B until the event that ended it. For every call path k, t(k) is the time spent in k without
//! waiting, and d_k = max(0, t_B(k) - t_A(k)) is the excess of B over A. The waits of B itself in that interval are v_j.
//! Then w is divided in proportion to all d_k and v_j. The share of d_k is short-term cost of path k on B. The share of
//! v_j is passed on: it is inherited by the wait v_j and divided in the same way, as long-term cost.
//!
//! Example: three ranks, S sends and R receives a message, `~` is waiting.
//!
//! ```text
//! time     0         500        1000  1200
//! rank 0   |compute..............|S                excess over rank 1: compute 1000 - 500 = 500
//! rank 1   |compute..|R~~~~~~~~~~|comp.|S          excess over rank 2: compute  700 - 500 = 200; own wait 500
//! rank 2   |compute..|R~~~~~~~~~~~~~~~~|
//!
//! 1. The wait that ends last: rank 2 waits 700 for rank 1, divided 200 : 500.
//!      200  short-term cost of compute on rank 1
//!      500  inherited by the wait of rank 1
//! 2. Rank 1 waits 500 (own) for rank 0 and has inherited 500. All excess is in compute on rank 0.
//!      500  short-term cost of compute on rank 0 (the own wait)
//!      500  long-term cost of compute on rank 0  (the inherited part)
//! ```
//!
//! Waits are divided in descending order of their end, so that a wait has usually inherited everything when it is divided.
//! If something arrives later, it is passed on in further rounds.
//!
//! Special cases:
//! - A wait stays uncharged if B has neither excess nor waits.
//! - The root of a reduction certainly waits for its first sender and possibly for its last. If only a dependency on
//!   the last sender is recorded and not a wait, inherited amounts are still passed on to that sender. Otherwise the
//!   root's call would be charged for the work of the last sender.
//! - A wait for a lock is divided over the interval of the wait itself: the work of the holder, and the time for which
//!   the holder itself waited for the lock, which is passed on to the previous holder.

use std::sync::{Mutex, PoisonError};

use lotse_model::Workers;
use lotse_model::id::{LocationId, PathId};
use lotse_model::work;

use crate::store::Trace;
use crate::waits::{Wait, Waits};

mod blame;
mod costs;
mod interval;
mod last_first;
mod shares;

pub use blame::{Blame, blame};

use costs::Costs;
use last_first::LastFirst;
use shares::{Scratch, Shares};

/// The result of the delay analysis. Times are in ticks, with fractions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delays {
    /// Sorted by call path, then by location.
    pub costs: Vec<DelayCost>,
    /// By location: origin and effect of its waits.
    pub propagation: Vec<Propagation>,
    /// Waiting time that could not be charged to any call path.
    pub uncharged: f64,
}

/// The waiting time that a call path on one location causes on other locations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayCost {
    pub path: PathId,
    pub location: LocationId,
    /// Short-term cost: waits that the call path causes directly.
    pub short: f64,
    /// Long-term cost: waits that are caused by those waits.
    pub long: f64,
}

/// The waits of a location, classified twice: by origin (`direct` + `indirect`) and by effect (`propagating` +
/// `terminal`).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Propagation {
    pub location: LocationId,
    /// Caused by work of another location.
    pub direct: f64,
    /// Caused by a wait of another location.
    pub indirect: f64,
    /// Waits that made another location wait.
    pub propagating: f64,
    /// Waits that made no other location wait.
    pub terminal: f64,
}

/// A wait: its location, and its index among the waits of that location.
type WaitRef = (u32, u32);

/// Number of waits that are divided in parallel before their shares are added to the ledger.
const BATCH: usize = 1 << 15;

/// Maximum number of rounds. All rounds after the first pass on what waits inherited after they had been divided.
const ROUNDS: usize = 64;

/// Charges every wait to the call paths and waits that caused it.
pub fn delays(trace: &Trace, waits: &Waits, workers: &dyn Workers) -> Delays {
    let mut ledger = Ledger::new(trace, waits);
    charge(&mut ledger, LastFirst::new(waits), workers, false);
    for _ in 1..ROUNDS {
        let late = ledger.take_late();
        if late.is_empty() {
            break;
        }
        charge(&mut ledger, late.into_iter(), workers, true);
    }
    ledger.finish()
}

/// Divides waits among threads, batch by batch, while one thread adds the shares of the previous batch to the ledger.
///
/// Shares are added in the order of the waits, so that the sums do not depend on the number of threads. `again` is set in
/// rounds after the first, in which only inherited amounts are passed on.
fn charge(
    ledger: &mut Ledger<'_>,
    mut order: impl Iterator<Item = WaitRef>,
    workers: &dyn Workers,
    again: bool,
) {
    let (trace, waits) = (ledger.trace, ledger.waits);
    let ledger = Mutex::new(ledger);
    let tables = Mutex::new(Vec::new());
    let add = |batch: &[WaitRef], divided: &[Shares]| {
        ledger.lock().unwrap_or_else(PoisonError::into_inner).charge(batch, divided, again);
    };
    let mut previous: (Vec<WaitRef>, Vec<Shares>) = (Vec::new(), Vec::new());
    loop {
        let batch: Vec<WaitRef> = order.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let chunk_len = batch.len().div_ceil(24 * workers.threads().max(1)).max(1);
        let chunks: Vec<&[WaitRef]> = batch.chunks(chunk_len).collect();
        let mut divided = work::map(workers, chunks.len() + 1, |job| match job.checked_sub(1) {
            None => {
                add(&previous.0, &previous.1);
                Shares::default()
            }
            Some(number) => divide(trace, waits, chunks[number], &tables),
        });
        divided.remove(0);
        previous = (batch, divided);
    }
    add(&previous.0, &previous.1);
}

/// Divides some waits, with scratch tables that no other thread uses at the moment.
fn divide(trace: &Trace, waits: &Waits, chunk: &[WaitRef], tables: &Mutex<Vec<Scratch>>) -> Shares {
    let tables = || tables.lock().unwrap_or_else(PoisonError::into_inner);
    let free = tables().pop();
    let (mut scratch, mut shares) = (free.unwrap_or_else(|| Scratch::new(trace)), Shares::default());
    chunk.iter().for_each(|&wait| shares.divide(trace, waits, wait, &mut scratch));
    tables().push(scratch);
    shares
}

/// Whether a wait is charged to its cause.
fn is_charged(wait: &Wait) -> bool {
    wait.metric.is_some_and(|metric| metric.is_charged) && wait.cause.is_some() && !wait.is_overlapped
}

/// Whether an entry is a dependency that is not a wait of its own: the root of a reduction needs its last sender, but
/// certainly waits only for the first. It is not charged, but amounts that it inherits are passed on.
fn is_need(wait: &Wait) -> bool {
    wait.metric.is_none() && wait.causal && wait.cause.is_some()
}

/// The costs summed up so far.
struct Ledger<'a> {
    trace: &'a Trace,
    waits: &'a Waits,
    /// By location.
    costs: Vec<Costs>,
    /// By location and wait: the amount that was passed on to it and is not yet divided.
    inherited: Vec<Vec<f64>>,
    /// By location and wait: whether it was divided.
    done: Vec<Vec<bool>>,
    /// Waits that inherited something after they had been divided.
    late: Vec<WaitRef>,
    propagation: Vec<Propagation>,
    uncharged: f64,
}

impl<'a> Ledger<'a> {
    fn new(trace: &'a Trace, waits: &'a Waits) -> Self {
        let count = trace.timelines.len();
        Self {
            trace,
            waits,
            costs: vec![Costs::default(); count],
            inherited: waits.by_location.iter().map(|waits| vec![0.0; waits.len()]).collect(),
            done: waits.by_location.iter().map(|waits| vec![false; waits.len()]).collect(),
            late: Vec::new(),
            propagation: trace
                .locations()
                .map(|location| Propagation { location, ..Propagation::default() })
                .collect(),
            uncharged: 0.0,
        }
    }

    /// Adds the shares of a batch, in the order of its waits.
    fn charge(&mut self, batch: &[WaitRef], divided: &[Shares], again: bool) {
        let shares = divided.iter().flat_map(Shares::by_wait);
        batch.iter().zip(shares).for_each(|(&wait, shares)| self.add_wait(wait, shares, again));
    }

    /// Adds the shares of one wait: the excess of call paths becomes cost, the waits of the causing location inherit the
    /// rest. Short-term cost comes from the wait itself, long-term cost from what it inherited.
    fn add_wait(&mut self, (location, number): WaitRef, shares: shares::WaitShares<'_>, again: bool) {
        let wait = &self.waits.by_location[location as usize][number as usize];
        let inherited = std::mem::take(&mut self.inherited[location as usize][number as usize]);
        let own = if again || is_need(wait) { 0.0 } else { wait.ticks() as f64 };
        self.done[location as usize][number as usize] = true;
        let propagation = &mut self.propagation[location as usize];
        if !again {
            let per_tick = if shares.total > 0 { own / shares.total as f64 } else { 0.0 };
            propagation.direct += per_tick * shares.work as f64;
            propagation.indirect += per_tick * (shares.total - shares.work) as f64;
            match inherited > 0.0 {
                true => propagation.propagating += own,
                false => propagation.terminal += own,
            }
        }
        let (Some(cause), true) = (wait.cause, shares.total > 0) else {
            self.uncharged += own + inherited;
            return;
        };
        let total = shares.total as f64;
        let costs = &mut self.costs[cause.location.index()];
        for &(path, excess) in shares.paths {
            let share = excess as f64 / total;
            let cost = costs.cost_mut(path);
            cost.0 += own * share;
            cost.1 += inherited * share;
        }
        for &(other, ticks) in shares.waits {
            self.pass_on((cause.location.0, other), (own + inherited) * ticks as f64 / total);
        }
    }

    /// Lets a wait inherit an amount.
    fn pass_on(&mut self, (location, number): WaitRef, amount: f64) {
        let (at, wait) = (location as usize, number as usize);
        if self.done[at][wait] && self.inherited[at][wait] == 0.0 {
            self.late.push((location, number));
        }
        self.inherited[at][wait] += amount;
    }

    /// Takes the waits that inherited something after they had been divided, the last to end first.
    fn take_late(&mut self) -> Vec<WaitRef> {
        let mut late = std::mem::take(&mut self.late);
        late.sort_unstable_by_key(|&(location, number)| {
            let end = self.waits.by_location[location as usize][number as usize].end;
            (std::cmp::Reverse(end), location, number)
        });
        late
    }

    fn finish(self) -> Delays {
        let mut costs = Vec::new();
        for (location, costs_here) in self.costs.iter().enumerate() {
            let location = LocationId::from(location);
            let charged = costs_here.all().filter(|(_, cost)| cost.0 > 0.0 || cost.1 > 0.0);
            costs.extend(charged.map(|(path, &(short, long))| DelayCost { path, location, short, long }));
        }
        costs.sort_by_key(|cost| (cost.path, cost.location));
        Delays { costs, propagation: self.propagation, uncharged: self.uncharged }
    }
}

#[cfg(test)]
mod tests;
