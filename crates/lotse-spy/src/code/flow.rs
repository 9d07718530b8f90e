//! The loops of a compiled function, and whether an iteration ended between two events.
//!
//! Loops are the natural loops of the control-flow graph: a header that lies on every path into the loop, and all blocks from
//! which the header is reached again. The recorder does not report every block, so the graph decides whether an iteration
//! ended between two events: it did if the second place cannot be reached from the first without entering the header.
//!
//! ```text
//! for i in 1..n { b[i] = a[i - 1] }      load a, store b, guard of the back edge, load a, …
//!
//! entry ──> body: load, store ──> exit   load -> store: reachable within the body, same iteration
//!            ^        │                  store -> load: only through the header, next iteration
//!            └─ back ─┘
//! ```
//!
//! A block that only leads back to the header (`back`) counts as the beginning of a new iteration, because the compiler may
//! have copied the body behind it. Such a border between iterations is not certain; a border too many never hides a conflict
//! between iterations.
//!
//! Where the compiler loads values for the next iteration before it jumps back, iterations begin there and not at the header
//! (`code/carried/border.rs`).

use lotse_formats::history::{CarriedVariable, StoredFlow};
use lotse_symbols::graph::{NaturalLoop, natural_loops};

/// The number of a loop within its function.
pub(crate) type LoopNumber = u32;

/// The loops of a function.
#[derive(Debug)]
pub(crate) struct LoopFlow {
    starts: Vec<u64>,
    successors: Vec<Vec<u32>>,
    loops: Vec<NaturalLoop>,
    /// The loops around each block, the outermost first.
    around: Vec<Vec<LoopNumber>>,
    /// What loops carry in registers, by header block.
    carried: Vec<(u32, CarriedVariable)>,
    /// For each loop, the block at which its iterations begin.
    borders: Vec<u32>,
}

/// What happens to the active loops between two events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoopStep {
    /// This many outer loops continue in the same iteration.
    pub(crate) continuing: usize,
    /// Whether the next inner loop continues in a later iteration; otherwise it was entered or left.
    pub(crate) next: bool,
    /// Whether it is certain that this is another iteration.
    pub(crate) certain: bool,
    /// The loops around the second event, outermost first.
    pub(crate) loops: Vec<LoopNumber>,
}

impl LoopFlow {
    /// The loops of a function; `None` if it has none.
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
        let borders = loops.iter().map(|natural| border(stored, natural.header)).collect();
        (!loops.is_empty()).then_some(Self {
            starts,
            successors,
            loops,
            around,
            carried: stored.carried.clone(),
            borders,
        })
    }

    /// The header of a loop in the form of a return address: one behind its first instruction.
    pub(crate) fn header_place(&self, number: LoopNumber) -> u64 {
        self.starts[self.loops[number as usize].header as usize] + 1
    }

    /// What a loop carries in registers; `None` if it was not analysed.
    pub(crate) fn carried(&self, number: LoopNumber) -> Option<CarriedVariable> {
        let header = self.loops[number as usize].header;
        self.carried.iter().find(|(known, _)| *known == header).map(|(_, carried)| *carried)
    }

    /// Number of loops.
    pub(crate) fn count(&self) -> usize {
        self.loops.len()
    }

    /// Places from which the source line of a loop is found, as return addresses: the first and last instructions of its header
    /// and then of the blocks that lead back to it.
    pub(crate) fn border_places(&self, number: LoopNumber) -> Vec<u64> {
        /// Most loops have one latch; loops with many `continue` have more than are needed to find the line.
        const MOST_BLOCKS: usize = 8;
        let NaturalLoop { header, body, .. } = &self.loops[number as usize];
        let leads_back = |block: &usize| body[*block] && self.successors[*block].contains(header);
        let blocks = std::iter::once(*header as usize)
            .chain((0..self.starts.len()).filter(leads_back))
            .take(MOST_BLOCKS);
        let mut places = Vec::new();
        for block in blocks {
            // The end of the last block of a function is not known.
            let ends = self.starts.get(block + 1).copied();
            for place in std::iter::once(self.starts[block] + 1).chain(ends) {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        places
    }

    /// The border places of all loops.
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

    /// The block that contains the call before a return address.
    fn block(&self, place: u64) -> Option<usize> {
        self.starts.partition_point(|start| *start < place).checked_sub(1)
    }

    /// The step from one place of a function to another, both return addresses; `from` is `None` at the function's entry.
    pub(crate) fn step(&self, from: Option<u64>, to: u64) -> LoopStep {
        let certain = true;
        let Some(target) = self.block(to) else {
            return LoopStep { continuing: 0, next: false, certain, loops: Vec::new() };
        };
        let loops = self.around[target].clone();
        let source = from.and_then(|from| Some((from, self.block(from)?)));
        let Some((from, source)) = source else {
            return LoopStep { continuing: 0, next: false, certain, loops };
        };
        for (at, &number) in loops.iter().enumerate() {
            if self.around[source].get(at) != Some(&number) {
                return LoopStep { continuing: at, next: false, certain, loops };
            }
            if source == target && to > from {
                continue;
            }
            let certain = !self.reaches(number, source, target);
            if certain || self.only_leads_back(number, target) {
                return LoopStep { continuing: at, next: true, certain, loops };
            }
        }
        LoopStep { continuing: loops.len(), next: false, certain, loops }
    }

    /// Whether `target` can be reached from `source` within the same iteration of a loop.
    fn reaches(&self, number: LoopNumber, source: usize, target: usize) -> bool {
        let (around, border) = (&self.loops[number as usize], self.borders[number as usize]);
        let mut seen = vec![false; self.starts.len()];
        let mut worklist = vec![source as u32];
        while let Some(block) = worklist.pop() {
            for &next in &self.successors[block as usize] {
                let inside = around.body[next as usize] && next != border;
                if inside && !std::mem::replace(&mut seen[next as usize], true) {
                    worklist.push(next);
                }
            }
        }
        seen[target]
    }

    /// Whether a block has one predecessor and leads only to the beginning of the next iteration.
    fn only_leads_back(&self, number: LoopNumber, block: usize) -> bool {
        let entering = self.successors.iter().flatten().filter(|next| **next as usize == block).count();
        self.successors[block] == [self.borders[number as usize]] && entering == 1
    }
}

/// The block at which the iterations of the loop with this header begin.
fn border(stored: &StoredFlow, header: u32) -> u32 {
    let listed = stored.borders.iter().find(|(known, _)| *known == header);
    listed.map_or(header, |(_, border)| *border)
}

#[cfg(test)]
mod tests {
    use lotse_formats::history::StoredFlow;

    use super::{LoopFlow, LoopStep};

    fn flow(successors: &[&[u32]]) -> Option<LoopFlow> {
        let blocks =
            successors.iter().enumerate().map(|(at, next)| (100 * at as u64, next.to_vec())).collect();
        LoopFlow::new(&StoredFlow { function: 0, blocks, ..StoredFlow::default() })
    }

    fn step(flow: &LoopFlow, from: u64, to: u64) -> (usize, bool, usize) {
        let LoopStep { continuing, next, loops, .. } = flow.step(Some(from), to);
        (continuing, next, loops.len())
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
        let flow = LoopFlow::new(&stored).unwrap();
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
        // A cycle with two entries: no block lies on every path.
        assert!(flow(&[&[1, 2], &[2], &[1]]).is_none());
    }
}
