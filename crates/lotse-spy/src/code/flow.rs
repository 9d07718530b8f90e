//! Loops of a compiled function, and when an iteration ends.
//!
//! Loops are the natural loops of the control-flow graph: a block that lies on every way into the loop (the header) and all
//! blocks from which it is reached again. The recorder does not report every block, so whether an iteration ended between
//! two events is decided from the graph: it did if the second place cannot be reached from the first one without
//! entering the header.
//!
//! ```text
//! for i in 1..n { b[i] = a[i - 1] }      load a, store b, guard of the back edge, load a, …
//!
//! entry ──> body: load, store ──> exit   load -> store: reachable within the body, same iteration
//!            ^        │                  store -> load: only through the header, next iteration
//!            └─ back ─┘
//! ```
//!
//! A block that only leads back to the header (`back`) counts as an iteration of its own: the compiler may have copied the
//! body behind it. Borders that are too many never hide a conflict between iterations. Such a border is not certain.
//!
//! Where compilers load what the next iteration needs before they jump back, iterations are cut there and not at the header
//! (`code/carried/border.rs`).

use lotse_formats::history::{CarriedVariable, StoredFlow};
use lotse_symbols::graph::{NaturalLoop, natural_loops};

/// The number of a loop within its function.
pub(crate) type LoopNumber = u32;

/// The loops of a function.
#[derive(Debug)]
pub(crate) struct Flow {
    starts: Vec<u64>,
    successors: Vec<Vec<u32>>,
    loops: Vec<NaturalLoop>,
    /// The loops around each block, the outermost first.
    around: Vec<Vec<LoopNumber>>,
    /// What loops carry in registers, by the number of the header.
    carried: Vec<(u32, CarriedVariable)>,
    /// The block that begins the iterations of each loop.
    borders: Vec<u32>,
}

/// What happens to the loops under way between two events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// So many loops, from the outermost on, go on in the same iteration.
    pub(crate) kept: usize,
    /// Whether the next one goes on in a later iteration.
    pub(crate) next: bool,
    /// Whether that iteration is certainly another one.
    pub(crate) certain: bool,
    /// The loops around the second event, the outermost first.
    pub(crate) loops: Vec<LoopNumber>,
}

impl Flow {
    /// The loops of a function; nothing if it has none.
    pub(crate) fn new(stored: &StoredFlow) -> Option<Self> {
        let (starts, successors): (Vec<u64>, Vec<Vec<u32>>) = stored.blocks.iter().cloned().unzip();
        let entry = starts.binary_search(&stored.function).ok()?;
        let loops = natural_loops(&successors, entry as u32);
        let around = (0..starts.len()).map(|block| {
            let mut around: Vec<LoopNumber> = (0..loops.len())
                .filter(|&number| loops[number].body[block])
                .map(|number| number as u32)
                .collect();
            around.sort_by_key(|&number| std::cmp::Reverse(loops[number as usize].size));
            around
        });
        let around = around.collect();
        let borders = loops.iter().map(|of_loop| border(stored, of_loop.header)).collect();
        (!loops.is_empty()).then_some(Self {
            starts,
            successors,
            loops,
            around,
            carried: stored.carried.clone(),
            borders,
        })
    }

    /// The header of a loop, as if a call began it: a return address.
    pub(crate) fn header_place(&self, number: LoopNumber) -> u64 {
        self.starts[self.loops[number as usize].header as usize] + 1
    }

    /// What a loop carries in registers; nothing if it was not looked at.
    pub(crate) fn carried(&self, number: LoopNumber) -> Option<CarriedVariable> {
        let header = self.loops[number as usize].header;
        self.carried.iter().find(|(known, _)| *known == header).map(|(_, carried)| *carried)
    }

    /// How many loops there are.
    pub(crate) fn count(&self) -> usize {
        self.loops.len()
    }

    /// Places that tell in which source a loop is, as return addresses: the first and last instructions of its header, which
    /// comes first, and of the blocks that lead back to it.
    pub(crate) fn border_places(&self, number: LoopNumber) -> Vec<u64> {
        /// Loops have one block that leads back; those with many `continue` have more than it takes to find the line.
        const MOST: usize = 8;
        let NaturalLoop { header, body, .. } = &self.loops[number as usize];
        let leads_back = |block: &usize| body[*block] && self.successors[*block].contains(header);
        let blocks =
            std::iter::once(*header as usize).chain((0..self.starts.len()).filter(leads_back)).take(MOST);
        let mut places = Vec::new();
        for block in blocks {
            // Behind the last block the function ends, and where is not known.
            let ends = self.starts.get(block + 1).copied();
            for place in std::iter::once(self.starts[block] + 1).chain(ends) {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        places
    }

    /// The places of all loops.
    pub(crate) fn all_border_places(&self) -> Vec<u64> {
        (0..self.loops.len()).flat_map(|number| self.border_places(number as LoopNumber)).collect()
    }

    /// Whether a block is in a loop.
    pub(crate) fn is_in(&self, number: LoopNumber, block: u32) -> bool {
        self.loops[number as usize].body.get(block as usize).copied().unwrap_or(false)
    }

    /// The block that an instruction is in, and the loops around it.
    pub(crate) fn loops_at(&self, address: u64) -> Option<(u32, &[LoopNumber])> {
        let block = self.block(address + 1)?;
        Some((block as u32, &self.around[block]))
    }

    /// The block around a return address: the call lies before.
    fn block(&self, place: u64) -> Option<usize> {
        self.starts.partition_point(|start| *start < place).checked_sub(1)
    }

    /// From one place of a function to another, both return addresses; from nothing at the function's entry.
    pub(crate) fn step(&self, from: Option<u64>, to: u64) -> Step {
        let certain = true;
        let Some(target) = self.block(to) else {
            return Step { kept: 0, next: false, certain, loops: Vec::new() };
        };
        let loops = self.around[target].clone();
        let source = from.and_then(|from| Some((from, self.block(from)?)));
        let Some((from, source)) = source else { return Step { kept: 0, next: false, certain, loops } };
        for (at, &number) in loops.iter().enumerate() {
            if self.around[source].get(at) != Some(&number) {
                return Step { kept: at, next: false, certain, loops };
            }
            if source == target && to > from {
                continue;
            }
            let certain = !self.reaches(number, source, target);
            if certain || self.only_leads_back(number, target) {
                return Step { kept: at, next: true, certain, loops };
            }
        }
        Step { kept: loops.len(), next: false, certain, loops }
    }

    /// Whether one block of a loop leads to another one within the same iteration.
    fn reaches(&self, number: LoopNumber, source: usize, target: usize) -> bool {
        let (around, border) = (&self.loops[number as usize], self.borders[number as usize]);
        let mut seen = vec![false; self.starts.len()];
        let mut waiting = vec![source as u32];
        while let Some(block) = waiting.pop() {
            for &next in &self.successors[block as usize] {
                let inside = around.body[next as usize] && next != border;
                if inside && !std::mem::replace(&mut seen[next as usize], true) {
                    waiting.push(next);
                }
            }
        }
        seen[target]
    }

    fn only_leads_back(&self, number: LoopNumber, block: usize) -> bool {
        let entering = self.successors.iter().flatten().filter(|next| **next as usize == block).count();
        self.successors[block] == [self.borders[number as usize]] && entering == 1
    }
}

/// The block that begins the iterations of the loop with a header.
fn border(stored: &StoredFlow, header: u32) -> u32 {
    let listed = stored.borders.iter().find(|(of, _)| *of == header);
    listed.map_or(header, |(_, border)| *border)
}

#[cfg(test)]
mod tests {
    use lotse_formats::history::StoredFlow;

    use super::{Flow, Step};

    fn flow(successors: &[&[u32]]) -> Option<Flow> {
        let blocks =
            successors.iter().enumerate().map(|(at, next)| (100 * at as u64, next.to_vec())).collect();
        Flow::new(&StoredFlow { function: 0, blocks, ..StoredFlow::default() })
    }

    fn step(flow: &Flow, from: u64, to: u64) -> (usize, bool, usize) {
        let Step { kept, next, loops, .. } = flow.step(Some(from), to);
        (kept, next, loops.len())
    }

    #[test]
    fn a_simple_loop() {
        // entry, body, back, exit
        let flow = flow(&[&[1], &[2, 3], &[1], &[]]).unwrap();
        assert_eq!(step(&flow, 50, 110), (0, false, 1), "entered");
        assert_eq!(step(&flow, 110, 120), (1, false, 1), "the same iteration");
        assert_eq!(step(&flow, 120, 110), (0, true, 1), "the next one");
        assert_eq!(step(&flow, 110, 110), (0, true, 1));
        assert_eq!(step(&flow, 120, 205), (0, true, 1), "the back edge");
        assert_eq!(step(&flow, 205, 220), (1, false, 1), "a copy of the body behind it");
        assert_eq!(step(&flow, 220, 205), (0, true, 1));
        assert_eq!(step(&flow, 120, 310), (0, false, 0), "left");
        let certain = |from, to| flow.step(Some(from), to).certain;
        assert_eq!((certain(120, 110), certain(120, 205), certain(205, 110)), (true, false, true));
        assert_eq!(flow.header_place(0), 101);
        assert_eq!(
            flow.all_border_places(),
            [101, 200, 201, 300],
            "the header, and the block that leads back"
        );
    }

    #[test]
    fn iterations_that_begin_before_the_jump_back() {
        // entry, header, a block that loads what the header uses, exit
        let blocks = [vec![1], vec![2, 3], vec![1, 3], vec![]].into_iter();
        let blocks = (0..).step_by(100).zip(blocks).collect();
        let stored = StoredFlow { blocks, borders: vec![(1, 2)], ..StoredFlow::default() };
        let flow = Flow::new(&stored).unwrap();
        assert_eq!(step(&flow, 50, 110), (0, false, 1), "entered");
        assert_eq!(step(&flow, 110, 210), (0, true, 1), "the next iteration");
        assert_eq!(step(&flow, 210, 110), (1, false, 1), "the same one");
        assert_eq!(step(&flow, 110, 120), (1, false, 1));
        assert_eq!(step(&flow, 110, 110), (0, true, 1));
        assert!(flow.step(Some(110), 210).certain);
    }

    #[test]
    fn two_ways_through_the_body() {
        // entry, header, left, right, exit; both sides lead back.
        let flow = flow(&[&[1], &[2, 3], &[1], &[1, 4], &[]]).unwrap();
        assert_eq!(step(&flow, 210, 310), (0, true, 1), "left, then right: another iteration");
        assert_eq!(step(&flow, 110, 310), (1, false, 1), "header and right are one");
    }

    #[test]
    fn nested_loops() {
        // entry, outer header, inner body, inner back, after the inner loop, exit
        let flow = flow(&[&[1], &[2], &[3, 4], &[2], &[1, 5], &[]]).unwrap();
        assert_eq!(step(&flow, 110, 210), (1, false, 2), "inner loop entered");
        assert_eq!(step(&flow, 210, 305), (1, true, 2), "inner iteration");
        assert_eq!(step(&flow, 220, 210), (1, true, 2), "inner iteration whose border is not reported");
        assert_eq!(step(&flow, 210, 410), (1, false, 1), "inner loop left");
        assert_eq!(step(&flow, 410, 210), (0, true, 2), "outer iteration");
    }

    #[test]
    fn no_loops_are_nothing() {
        assert!(flow(&[&[1, 2], &[2], &[]]).is_none());
        assert!(flow(&[]).is_none());
        // Two entries into a cycle: no block lies on every way.
        assert!(flow(&[&[1, 2], &[2], &[1]]).is_none());
    }
}
