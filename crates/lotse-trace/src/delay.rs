//! Delay analysis: which call path, on which location, makes others wait.
//!
//! A wait w at A caused by B is divided over what B did longer than A since both last met: for every call path k the
//! excess d_k = max(0, t_B(k) - t_A(k)), and B's own waits v_j. The share of d_k is short-term cost of k at B; the
//! share of v_j is passed on to what caused v_j and becomes long-term cost there. Waits are looked at from the last to
//! the first, so that all that is passed on to a wait is there when its turn comes.
//!
//! Waiting time counts in no t(k). A wait to which nothing can be charged stays uncharged. The root of a reduction
//! surely waits only for its first sender, and at most for its last; where no wait is booked, what it needs is passed on
//! to the last as if it were one, or its call would be blamed for what the last sender did.
//!
//! A wait for a lock is divided over what was done while it lasted: what its holder did, and what the holder itself
//! waited for the lock, which is passed on to the holder before.

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

/// What delays cost. All times in ticks; shares of ticks occur.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delays {
    /// By call path and location, in that order.
    pub costs: Vec<DelayCost>,
    /// By location: where its waits come from and lead to.
    pub propagation: Vec<Propagation>,
    /// Waits that nothing could be charged for.
    pub uncharged: f64,
}

/// What a call path of a location costs others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayCost {
    /// The delaying call path.
    pub path: PathId,
    /// Where.
    pub location: LocationId,
    /// Waits that it causes directly.
    pub short: f64,
    /// Waits that come of those waits.
    pub long: f64,
}

/// The waits of a location, divided.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Propagation {
    /// Whose waits.
    pub location: LocationId,
    /// Caused by work of another.
    pub direct: f64,
    /// Caused by waiting of another.
    pub indirect: f64,
    /// Waits that made somebody else wait.
    pub propagating: f64,
    /// Waits that made nobody wait.
    pub terminal: f64,
}

/// A wait by its place: location, number.
type WaitRef = (u32, u32);

/// How many waits are divided at the same time.
const BATCH: usize = 1 << 15;

/// How often what comes too late for a wait is passed on again.
const ROUNDS: usize = 64;

/// Charges all waits.
pub fn delays(trace: &Trace, waits: &Waits, workers: &dyn Workers) -> Delays {
    let mut ledger = Ledger::new(trace, waits);
    charge(&mut ledger, LastFirst::new(waits), workers, false);
    for _ in 1..ROUNDS {
        let late = ledger.left_over();
        if late.is_empty() {
            break;
        }
        charge(&mut ledger, late.into_iter(), workers, true);
    }
    ledger.finish()
}

/// Divides waits batch by batch on all hands; one of them books the batch before meanwhile, in order.
fn charge(
    ledger: &mut Ledger<'_>,
    mut order: impl Iterator<Item = WaitRef>,
    workers: &dyn Workers,
    again: bool,
) {
    let (trace, waits) = (ledger.trace, ledger.waits);
    let ledger = Mutex::new(ledger);
    let tables = Mutex::new(Vec::new());
    let book = |batch: &[WaitRef], divided: &[Shares]| {
        ledger.lock().unwrap_or_else(PoisonError::into_inner).charge(batch, divided, again);
    };
    let mut before: (Vec<WaitRef>, Vec<Shares>) = (Vec::new(), Vec::new());
    loop {
        let batch: Vec<WaitRef> = order.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let piece = batch.len().div_ceil(24 * workers.threads().max(1)).max(1);
        let pieces: Vec<&[WaitRef]> = batch.chunks(piece).collect();
        let mut divided = work::map(workers, pieces.len() + 1, |job| match job.checked_sub(1) {
            None => {
                book(&before.0, &before.1);
                Shares::default()
            }
            Some(number) => divide(trace, waits, pieces[number], &tables),
        });
        divided.remove(0);
        before = (batch, divided);
    }
    book(&before.0, &before.1);
}

/// Divides some waits, with tables that nobody else uses at the moment.
fn divide(trace: &Trace, waits: &Waits, part: &[WaitRef], tables: &Mutex<Vec<Scratch>>) -> Shares {
    let tables = || tables.lock().unwrap_or_else(PoisonError::into_inner);
    let free = tables().pop();
    let (mut scratch, mut shares) = (free.unwrap_or_else(|| Scratch::new(trace)), Shares::default());
    part.iter().for_each(|&wait| shares.divide(trace, waits, wait, &mut scratch));
    tables().push(scratch);
    shares
}

/// Whether somebody is to be charged for a wait.
fn is_charged(wait: &Wait) -> bool {
    wait.metric.is_some_and(|metric| metric.is_charged) && wait.cause.is_some() && !wait.is_overlapped
}

/// Whether a call needed somebody without that being a wait of its own: the root of a reduction needs its last sender,
/// but surely waits only for the first. Nobody is charged for that, but what is passed on to it goes on.
fn is_need(wait: &Wait) -> bool {
    wait.metric.is_none() && wait.causal && wait.cause.is_some()
}

/// Costs as they come together.
struct Ledger<'a> {
    trace: &'a Trace,
    waits: &'a Waits,
    /// By location.
    costs: Vec<Costs>,
    /// By location and wait: what is passed on to it.
    inherited: Vec<Vec<f64>>,
    /// Waits that had their turn before something was passed on to them.
    done: Vec<Vec<bool>>,
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
            inherited: waits.by_location.iter().map(|of_one| vec![0.0; of_one.len()]).collect(),
            done: waits.by_location.iter().map(|of_one| vec![false; of_one.len()]).collect(),
            late: Vec::new(),
            propagation: trace
                .locations()
                .map(|location| Propagation { location, ..Propagation::default() })
                .collect(),
            uncharged: 0.0,
        }
    }

    /// Books a batch in its order.
    fn charge(&mut self, batch: &[WaitRef], divided: &[Shares], again: bool) {
        let rows = divided.iter().flat_map(Shares::rows);
        batch.iter().zip(rows).for_each(|(&wait, row)| self.book(wait, row, again));
    }

    fn book(&mut self, (location, number): WaitRef, row: shares::Row<'_>, again: bool) {
        let wait = &self.waits.by_location[location as usize][number as usize];
        let inherited = std::mem::take(&mut self.inherited[location as usize][number as usize]);
        let own = if again || is_need(wait) { 0.0 } else { wait.ticks() as f64 };
        self.done[location as usize][number as usize] = true;
        let propagation = &mut self.propagation[location as usize];
        if !again {
            let of_all = if row.total > 0 { own / row.total as f64 } else { 0.0 };
            propagation.direct += of_all * row.work as f64;
            propagation.indirect += of_all * (row.total - row.work) as f64;
            match inherited > 0.0 {
                true => propagation.propagating += own,
                false => propagation.terminal += own,
            }
        }
        let (Some(cause), true) = (wait.cause, row.total > 0) else {
            self.uncharged += own + inherited;
            return;
        };
        let total = row.total as f64;
        let costs = &mut self.costs[cause.location.index()];
        for &(path, excess) in row.paths {
            let share = excess as f64 / total;
            let cost = costs.of(path);
            cost.0 += own * share;
            cost.1 += inherited * share;
        }
        for &(other, ticks) in row.waits {
            self.pass_on((cause.location.0, other), (own + inherited) * ticks as f64 / total);
        }
    }

    fn pass_on(&mut self, (location, number): WaitRef, amount: f64) {
        let (at, wait) = (location as usize, number as usize);
        if self.done[at][wait] && self.inherited[at][wait] == 0.0 {
            self.late.push((location, number));
        }
        self.inherited[at][wait] += amount;
    }

    fn left_over(&mut self) -> Vec<WaitRef> {
        let mut late = std::mem::take(&mut self.late);
        late.sort_unstable_by_key(|&(location, number)| {
            let end = self.waits.by_location[location as usize][number as usize].end;
            (std::cmp::Reverse(end), location, number)
        });
        late
    }

    fn finish(self) -> Delays {
        let mut costs = Vec::new();
        for (location, of_one) in self.costs.iter().enumerate() {
            let location = LocationId::from(location);
            let charged = of_one.all().filter(|(_, cost)| cost.0 > 0.0 || cost.1 > 0.0);
            costs.extend(charged.map(|(path, &(short, long))| DelayCost { path, location, short, long }));
        }
        costs.sort_by_key(|cost| (cost.path, cost.location));
        Delays { costs, propagation: self.propagation, uncharged: self.uncharged }
    }
}

#[cfg(test)]
mod tests;
