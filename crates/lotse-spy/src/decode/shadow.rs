//! Shadow memory: the epochs in which each memory location was last written and read.
//!
//! Epochs are counted as in `iterations.rs`: a new one begins with each iteration of any loop. Two accesses to one location
//! belong to different iterations of a loop if the epoch in which its current iteration began lies between them.
//!
//! Memory is divided into pages, and each page into granules of one size: that of the smallest access to the page so far. A
//! copy of many pages needs only one granule per page.

use hashbrown::HashMap;

use super::lookup::LookupCache;

/// Number of iterations begun so far; 0 means never.
pub(super) type Epoch = u32;

/// Base-2 logarithm of the page size in bytes.
const PAGE: u32 = 12;

/// When a location was last written, and when it was read since then. An iteration often reads a location before it writes it,
/// which must not hide the read of an earlier iteration: the read before the last one shows this for inner loops, and the first
/// one for outer loops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LastUses {
    pub(super) written: Epoch,
    pub(super) read: Epoch,
    /// The previous read in another epoch.
    pub(super) read_before: Epoch,
    /// The first read within the outermost active loop.
    pub(super) read_first: Epoch,
}

impl LastUses {
    fn record(&mut self, used: &MemoryUse) {
        if used.is_write {
            // A later write depends on this write, and through it on the reads before it.
            *self = Self { written: used.epoch, ..Self::default() };
            return;
        }
        if self.read_first < used.outermost {
            self.read_first = used.epoch;
        }
        if self.read != used.epoch {
            self.read_before = self.read;
            self.read = used.epoch;
        }
    }

    /// The epochs of the uses that a write depends on.
    pub(super) fn uses(self) -> [Epoch; 4] {
        [self.written, self.read, self.read_before, self.read_first]
    }
}

/// An access to record.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryUse {
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) is_write: bool,
    pub(super) epoch: Epoch,
    /// The epoch in which the outermost active loop was entered.
    pub(super) outermost: Epoch,
}

/// The last uses of all memory locations.
#[derive(Debug)]
pub(super) struct Shadow {
    numbers: HashMap<u64, u32>,
    pages: Vec<Page>,
    last: LookupCache<u32>,
    granules: usize,
    most: usize,
}

#[derive(Debug)]
struct Page {
    /// Base-2 logarithm of the granule size in bytes.
    shift: u32,
    granules: Vec<LastUses>,
}

impl Shadow {
    /// Empty shadow memory with room for `most` granules.
    pub(super) fn new(most: usize) -> Self {
        Self { numbers: HashMap::new(), pages: Vec::new(), last: LookupCache::new(), granules: 0, most }
    }

    /// Whether there are more granules than the limit.
    pub(super) fn is_full(&self) -> bool {
        self.granules > self.most
    }

    /// Records an access. `before` is called with the previous uses of its granules; equal neighbours are reported once.
    pub(super) fn record(&mut self, used: MemoryUse, mut before: impl FnMut(LastUses)) {
        for (number, from, to) in page_ranges(used.address, used.bytes) {
            let page = self.page(number, from, to);
            let mut known = None;
            for last in page.range(from, to) {
                if known.replace(*last) != Some(*last) {
                    before(*last);
                }
                last.record(&used);
            }
        }
    }

    /// Memory was allocated: forgets the uses of earlier allocations.
    pub(super) fn forget(&mut self, address: u64, bytes: u64) {
        for (number, from, to) in page_ranges(address, bytes) {
            if self.numbers.contains_key(&number) {
                self.page(number, from, to).range(from, to).fill(LastUses::default());
            }
        }
    }

    /// The page, with granules small enough that `from..to` consists of whole granules.
    fn page(&mut self, number: u64, from: u32, to: u32) -> &mut Page {
        let at = match self.last.get(number) {
            Some(known) => known,
            None => {
                let Self { numbers, pages, granules, .. } = self;
                let at = *numbers.entry(number).or_insert_with(|| {
                    pages.push(Page { shift: PAGE, granules: vec![LastUses::default()] });
                    *granules += 1;
                    (pages.len() - 1) as u32
                });
                self.last.put(number, at);
                at
            }
        };
        let page = &mut self.pages[at as usize];
        let needed = (from | to).trailing_zeros();
        if needed < page.shift {
            self.granules += page.refine(needed);
        }
        page
    }
}

impl Page {
    fn range(&mut self, from: u32, to: u32) -> &mut [LastUses] {
        &mut self.granules[(from >> self.shift) as usize..(to >> self.shift) as usize]
    }

    /// Makes granules smaller; returns how many were added.
    fn refine(&mut self, shift: u32) -> usize {
        let copies = 1 << (self.shift - shift);
        let before = self.granules.len();
        let finer = self.granules.iter().flat_map(|last| std::iter::repeat_n(*last, copies));
        self.granules = finer.collect();
        self.shift = shift;
        self.granules.len() - before
    }
}

/// The pages that an access touches: the number of each, and the range of bytes within it.
fn page_ranges(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u32, u32)> {
    let end = address.saturating_add(bytes);
    let mut at = address;
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let page = at >> PAGE;
            let page_end = (page + 1) << PAGE;
            let from = (at - (page << PAGE)) as u32;
            let to = (end.min(page_end) - (page << PAGE)) as u32;
            at = page_end;
            (page, from, to)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{LastUses, MemoryUse, Shadow};

    fn take(shadow: &mut Shadow, is_write: bool, address: u64, bytes: u64, epoch: u32) -> Vec<(u32, u32)> {
        let mut seen = Vec::new();
        let note = |last: LastUses| seen.push((last.written, last.read));
        shadow.record(MemoryUse { address, bytes, is_write, epoch, outermost: 1 }, note);
        seen
    }

    #[test]
    fn each_location_knows_its_last_uses() {
        let mut shadow = Shadow::new(1 << 20);
        assert_eq!(take(&mut shadow, true, 0x1008, 8, 3), [(0, 0)]);
        assert_eq!(take(&mut shadow, false, 0x1008, 8, 4), [(3, 0)]);
        assert_eq!(take(&mut shadow, true, 0x1008, 8, 5), [(3, 4)]);
        assert_eq!(take(&mut shadow, false, 0x1010, 8, 6), [(0, 0)]);
        assert_eq!(take(&mut shadow, false, 0x1000, 32, 7), [(0, 0), (5, 0), (0, 6), (0, 0)]);
    }

    #[test]
    fn an_own_read_does_not_hide_earlier_ones() {
        let mut shadow = Shadow::new(1 << 20);
        let mut uses = Vec::new();
        let mut take = |is_write, epoch, outermost| {
            shadow.record(MemoryUse { address: 64, bytes: 8, is_write, epoch, outermost }, |last| {
                uses = last.uses().to_vec()
            });
            uses.clone()
        };
        take(true, 2, 0);
        take(false, 3, 3);
        take(false, 5, 5);
        take(false, 6, 5);
        take(false, 7, 5);
        assert_eq!(take(true, 7, 5), [2, 7, 6, 5], "the read of epoch 3 was before the outermost loop");
        assert_eq!(take(true, 8, 5), [7, 0, 0, 0]);
    }

    #[test]
    fn single_bytes_have_neighbours() {
        let mut shadow = Shadow::new(1 << 20);
        take(&mut shadow, true, 0x2000, 8, 1);
        assert_eq!(take(&mut shadow, true, 0x2003, 1, 2), [(1, 0)]);
        assert_eq!(take(&mut shadow, false, 0x2000, 8, 3), [(1, 0), (2, 0), (1, 0)]);
        assert_eq!(take(&mut shadow, false, 0x2008, 1, 3), [(0, 0)]);
    }

    #[test]
    fn a_long_copy_takes_a_granule_for_each_page() {
        let mut shadow = Shadow::new(100);
        take(&mut shadow, true, 0x10_0000, 64 << 12, 9);
        assert_eq!((shadow.granules, shadow.is_full()), (64, false));
        assert_eq!(take(&mut shadow, false, 0x10_5ff8, 16, 9), [(9, 0), (9, 0)], "on both sides of a border");
        assert!(shadow.is_full());
    }

    #[test]
    fn newly_allocated_memory_was_never_used() {
        let mut shadow = Shadow::new(1 << 20);
        take(&mut shadow, true, 0x3000, 64, 2);
        shadow.forget(0x3010, 16);
        shadow.forget(0x9000, 16);
        assert_eq!(take(&mut shadow, false, 0x3000, 64, 3), [(2, 0), (0, 0), (2, 0)]);
        assert_eq!(shadow.numbers.len(), 1);
    }
}
