//! How much memory each trace holds: allocations and deallocations are attributed to the trace that allocated.
//!
//! The peak of a trace is what it holds when all traces together hold the most for the first time, as in heaptrack. An
//! allocation is temporary when the next event frees its memory. heaptrack compares only the number of the info,
//! and info 0 is also what it remembers after a deallocation; the count here is the same.
//!
//! ```text
//! event     +a 10   +b 20   -a      +c 5
//! held      10      30      20      25      all traces together
//!                   ▲ peak: a holds 10, b 20, c 0
//! ```
//!
//! The peak is known only at the end; the events up to the peak are then replayed.

use hashbrown::HashMap;

/// Columns of the costs of a trace, in the order of [`NAMES`](super::NAMES).
pub(super) const ALLOCATIONS: usize = 0;
pub(super) const ALLOCATED: usize = 1;
pub(super) const DEALLOCATIONS: usize = 2;
pub(super) const TEMPORARY: usize = 3;
pub(super) const LEAKED: usize = 4;
pub(super) const PEAK: usize = 5;

/// An allocation of `size` bytes by a trace; 0 is the trace without frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct AllocationInfo {
    pub(super) size: u64,
    pub(super) trace: u32,
}

/// The memory of all traces.
#[derive(Debug, Default)]
pub(super) struct AllocationLedger {
    /// Costs by trace.
    pub(super) sites: Vec<[u64; 6]>,
    infos: Vec<AllocationInfo>,
    /// Older and raw files write size, trace and pointer with each allocation.
    numbers: HashMap<AllocationInfo, u32>,
    pointers: HashMap<u64, u32>,
    /// The events so far: twice the number of the info, plus one for a deallocation.
    events: Vec<u32>,
    /// Bytes held now and at the peak.
    held: u64,
    peak_held: u64,
    /// The number of events up to the peak.
    events_to_peak: usize,
    /// The info and pointer of the last event if it was an allocation; info 0 otherwise.
    last: u32,
    last_pointer: Option<u64>,
}

impl AllocationLedger {
    /// Adds an info; gives back its number.
    pub(super) fn declare(&mut self, info: AllocationInfo) -> Result<u32, &'static str> {
        let number = u32::try_from(self.infos.len()).ok().filter(|&number| number <= u32::MAX / 2);
        let number = number.ok_or("more than two thousand million different allocations")?;
        self.infos.push(info);
        Ok(number)
    }

    /// Records an allocation by the number of its info.
    pub(super) fn allocate(&mut self, number: u64) -> Result<(), &'static str> {
        let (number, AllocationInfo { size, trace }) = self.info(number)?;
        let trace = trace as usize;
        if self.sites.len() <= trace {
            self.sites.resize(trace + 1, [0; 6]);
        }
        let held = self.held.checked_add(size).ok_or(TOO_LARGE)?;
        let site = &mut self.sites[trace];
        site[ALLOCATED] = site[ALLOCATED].checked_add(size).ok_or(TOO_LARGE)?;
        site[ALLOCATIONS] += 1;
        site[LEAKED] += size;
        self.held = held;
        self.last = number;
        self.events.push(number << 1);
        if held > self.peak_held {
            (self.peak_held, self.events_to_peak) = (held, self.events.len());
        }
        Ok(())
    }

    /// Records a deallocation by the number of its info.
    pub(super) fn free(&mut self, number: u64) -> Result<(), &'static str> {
        let last = std::mem::take(&mut self.last);
        self.record_free(number, u64::from(last) == number)
    }

    fn record_free(&mut self, number: u64, temporary: bool) -> Result<(), &'static str> {
        let (number, AllocationInfo { size, trace }) = self.info(number)?;
        let site = self.sites.get_mut(trace as usize).filter(|site| site[DEALLOCATIONS] < site[ALLOCATIONS]);
        let site = site.ok_or("memory is freed that is not allocated")?;
        site[LEAKED] = site[LEAKED].checked_sub(size).ok_or("more memory is freed than is allocated")?;
        site[DEALLOCATIONS] += 1;
        site[TEMPORARY] += u64::from(temporary);
        self.held -= size;
        self.events.push(number << 1 | 1);
        Ok(())
    }

    /// Records an allocation at a pointer.
    pub(super) fn allocate_at(&mut self, info: AllocationInfo, pointer: u64) -> Result<(), &'static str> {
        let number = match self.numbers.get(&info) {
            Some(&number) => number,
            None => self.declare(info)?,
        };
        self.numbers.insert(info, number);
        self.allocate(u64::from(number))?;
        self.pointers.insert(pointer, number);
        self.last_pointer = Some(pointer);
        Ok(())
    }

    /// Records a deallocation at a pointer; an unknown one was allocated before the recording began.
    pub(super) fn free_at(&mut self, pointer: u64) -> Result<(), &'static str> {
        let temporary = self.last_pointer.take() == Some(pointer);
        match self.pointers.remove(&pointer) {
            Some(number) => self.record_free(u64::from(number), temporary),
            None => Ok(()),
        }
    }

    fn info(&self, number: u64) -> Result<(u32, AllocationInfo), &'static str> {
        let known = usize::try_from(number).ok().and_then(|number| self.infos.get(number));
        let info = *known.ok_or("the allocation has not been declared")?;
        Ok((number as u32, info))
    }

    /// Replays the events up to the peak, and gives back all costs by trace.
    pub(super) fn into_costs(mut self) -> Vec<[u64; 6]> {
        for &event in &self.events[..self.events_to_peak] {
            let AllocationInfo { size, trace } = self.infos[(event >> 1) as usize];
            let peak = &mut self.sites[trace as usize][PEAK];
            *peak = if event & 1 == 0 { *peak + size } else { *peak - size };
        }
        self.sites
    }
}

const TOO_LARGE: &str = "the bytes do not fit 64 bits";

#[cfg(test)]
mod tests {
    use super::{AllocationInfo, AllocationLedger};

    #[test]
    fn the_peak_is_that_of_all_together() {
        let mut ledger = AllocationLedger::default();
        for (size, trace) in [(10, 1), (20, 2)] {
            ledger.declare(AllocationInfo { size, trace }).unwrap();
        }
        for number in [0, 0, 1] {
            ledger.allocate(number).unwrap();
        }
        ledger.free(1).unwrap();
        ledger.free(0).unwrap();
        ledger.allocate(1).unwrap();
        let sites = ledger.into_costs();
        assert_eq!(sites, [[0; 6], [2, 20, 1, 1, 10, 20], [2, 40, 1, 1, 20, 20]]);
    }

    #[test]
    fn what_cannot_be_is_refused_and_changes_nothing() {
        let mut ledger = AllocationLedger::default();
        assert!(ledger.allocate(0).is_err());
        ledger.declare(AllocationInfo { size: u64::MAX, trace: 0 }).unwrap();
        ledger.declare(AllocationInfo { size: 1, trace: 0 }).unwrap();
        assert!(ledger.free(0).is_err());
        ledger.allocate(0).unwrap();
        assert!(ledger.allocate(1).is_err());
        assert!(ledger.allocate(u64::MAX).is_err());
        assert_eq!(ledger.into_costs(), [[1, u64::MAX, 0, 0, u64::MAX, u64::MAX]]);
    }

    #[test]
    fn pointers_may_be_unknown_and_used_again() {
        let mut ledger = AllocationLedger::default();
        ledger.free_at(7).unwrap();
        let info = AllocationInfo { size: 8, trace: 0 };
        for _ in 0..3 {
            ledger.allocate_at(info, 7).unwrap();
            ledger.free_at(7).unwrap();
        }
        ledger.allocate_at(info, 7).unwrap();
        ledger.free_at(9).unwrap();
        ledger.free_at(7).unwrap();
        assert_eq!(ledger.into_costs(), [[4, 32, 4, 3, 0, 8]]);
    }
}
