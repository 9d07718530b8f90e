//! Who holds how much memory: allocations and deallocations booked on the traces that allocate.
//!
//! The peak of a trace is what it holds when all together hold the most for the first time, as heaptrack has it.
//! An allocation is temporary when its memory is the next to be given back. heaptrack knows it by the number of
//! the info alone, and info 0 is also what it remembers after a deallocation; the count here is the same.

use hashbrown::HashMap;

/// What is booked on a trace, in the order of [`NAMES`](super::NAMES).
pub(super) const ALLOCATIONS: usize = 0;
pub(super) const ALLOCATED: usize = 1;
pub(super) const DEALLOCATIONS: usize = 2;
pub(super) const TEMPORARY: usize = 3;
pub(super) const LEAKED: usize = 4;
pub(super) const PEAK: usize = 5;

/// So many bytes by a trace; 0 is the trace without frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Info {
    pub(super) size: u64,
    pub(super) trace: u32,
}

/// The booking.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Costs by trace.
    pub(super) sites: Vec<[u64; 6]>,
    infos: Vec<Info>,
    /// Older files and raw ones say size, trace and pointer each time.
    numbers: HashMap<Info, u32>,
    pointers: HashMap<u64, u32>,
    /// What happened: twice the number of the info, plus one for a deallocation.
    happened: Vec<u32>,
    held: u64,
    most: u64,
    /// How much had happened at the peak.
    peak: usize,
    last: u32,
    last_pointer: Option<u64>,
}

impl Ledger {
    /// Gives an info the next number.
    pub(super) fn declare(&mut self, info: Info) -> Result<u32, &'static str> {
        let number = u32::try_from(self.infos.len()).ok().filter(|&number| number <= u32::MAX / 2);
        let number = number.ok_or("more than two thousand million different allocations")?;
        self.infos.push(info);
        Ok(number)
    }

    /// Allocates by the number of an info.
    pub(super) fn allocate(&mut self, number: u64) -> Result<(), &'static str> {
        let (number, Info { size, trace }) = self.info(number)?;
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
        self.happened.push(number << 1);
        if held > self.most {
            (self.most, self.peak) = (held, self.happened.len());
        }
        Ok(())
    }

    /// Gives back by the number of an info.
    pub(super) fn free(&mut self, number: u64) -> Result<(), &'static str> {
        let last = std::mem::take(&mut self.last);
        self.give_back(number, u64::from(last) == number)
    }

    fn give_back(&mut self, number: u64, temporary: bool) -> Result<(), &'static str> {
        let (number, Info { size, trace }) = self.info(number)?;
        let site = self.sites.get_mut(trace as usize).filter(|site| site[DEALLOCATIONS] < site[ALLOCATIONS]);
        let site = site.ok_or("memory is given back that nobody has")?;
        site[LEAKED] = site[LEAKED].checked_sub(size).ok_or("more memory is given back than there is")?;
        site[DEALLOCATIONS] += 1;
        site[TEMPORARY] += u64::from(temporary);
        self.held -= size;
        self.happened.push(number << 1 | 1);
        Ok(())
    }

    /// Allocates at a pointer.
    pub(super) fn allocate_at(&mut self, info: Info, pointer: u64) -> Result<(), &'static str> {
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

    /// Gives back what is at a pointer; one that is not known was allocated before the recording began.
    pub(super) fn free_at(&mut self, pointer: u64) -> Result<(), &'static str> {
        let temporary = self.last_pointer.take() == Some(pointer);
        match self.pointers.remove(&pointer) {
            Some(number) => self.give_back(u64::from(number), temporary),
            None => Ok(()),
        }
    }

    fn info(&self, number: u64) -> Result<(u32, Info), &'static str> {
        let known = usize::try_from(number).ok().and_then(|number| self.infos.get(number));
        let info = *known.ok_or("the allocation has not been declared")?;
        Ok((number as u32, info))
    }

    /// Books what each trace held at the peak, and gives all costs by trace.
    pub(super) fn close(mut self) -> Vec<[u64; 6]> {
        for &event in &self.happened[..self.peak] {
            let Info { size, trace } = self.infos[(event >> 1) as usize];
            let peak = &mut self.sites[trace as usize][PEAK];
            *peak = if event & 1 == 0 { *peak + size } else { *peak - size };
        }
        self.sites
    }
}

const TOO_LARGE: &str = "the bytes do not fit 64 bits";

#[cfg(test)]
mod tests {
    use super::{Info, Ledger};

    #[test]
    fn the_peak_is_that_of_all_together() {
        let mut ledger = Ledger::default();
        for (size, trace) in [(10, 1), (20, 2)] {
            ledger.declare(Info { size, trace }).unwrap();
        }
        for number in [0, 0, 1] {
            ledger.allocate(number).unwrap();
        }
        ledger.free(1).unwrap();
        ledger.free(0).unwrap();
        ledger.allocate(1).unwrap();
        let sites = ledger.close();
        assert_eq!(sites, [[0; 6], [2, 20, 1, 1, 10, 20], [2, 40, 1, 1, 20, 20]]);
    }

    #[test]
    fn what_cannot_be_is_refused_and_changes_nothing() {
        let mut ledger = Ledger::default();
        assert!(ledger.allocate(0).is_err());
        ledger.declare(Info { size: u64::MAX, trace: 0 }).unwrap();
        ledger.declare(Info { size: 1, trace: 0 }).unwrap();
        assert!(ledger.free(0).is_err());
        ledger.allocate(0).unwrap();
        assert!(ledger.allocate(1).is_err());
        assert!(ledger.allocate(u64::MAX).is_err());
        assert_eq!(ledger.close(), [[1, u64::MAX, 0, 0, u64::MAX, u64::MAX]]);
    }

    #[test]
    fn pointers_may_be_unknown_and_used_again() {
        let mut ledger = Ledger::default();
        ledger.free_at(7).unwrap();
        let info = Info { size: 8, trace: 0 };
        for _ in 0..3 {
            ledger.allocate_at(info, 7).unwrap();
            ledger.free_at(7).unwrap();
        }
        ledger.allocate_at(info, 7).unwrap();
        ledger.free_at(9).unwrap();
        ledger.free_at(7).unwrap();
        assert_eq!(ledger.close(), [[4, 32, 4, 3, 0, 8]]);
    }
}
