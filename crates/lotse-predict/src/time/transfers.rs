//! Lines that move between caches, and their cost for each loop.

use std::collections::{BTreeMap, BTreeSet};

use super::Assumptions;
use super::case::DataCase;
use super::tree::{LoopId, LoopTree};
use crate::concrete::Instance;
use crate::locality::{CacheMisses, Class, ClassId, Classes, LocalityError, cache_misses, least_misses};
use crate::machine::Transfer;
use crate::nest::{ArrayId, Symbol};

/// The memory traffic of one loop.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LoopTraffic {
    /// Misses in each cache, the first-level cache first.
    pub(super) misses: Vec<f64>,
    /// Seconds for the misses in each cache.
    pub(super) seconds: Vec<f64>,
    /// Page walks, and the seconds for them.
    pub(super) pages: (f64, f64),
}

impl LoopTraffic {
    /// Seconds of all transfers and page walks.
    pub(super) fn total(&self) -> f64 {
        self.seconds.iter().sum::<f64>() + self.pages.1
    }

    /// The traffic if the enclosing loop is vectorised, so that `lanes` of its iterations are executed at once: a line that would be
    /// evicted between two of these iterations is fetched only once. Caches that miss rarely keep lines from one iteration to the
    /// next; their misses do not change.
    pub(super) fn with_outer_lanes(&self, iterations: f64, lanes: f64) -> Self {
        /// Misses per iteration above which lines are assumed to be evicted between iterations of the enclosing loop.
        const LOST: f64 = 0.3;
        let factors = self.misses.iter().map(|misses| if *misses > LOST * iterations { lanes } else { 1.0 });
        let factors: Vec<f64> = factors.collect();
        let divided = |values: &[f64]| values.iter().zip(&factors).map(|(value, by)| value / by).collect();
        let by = if self.pages.0 > LOST * iterations { lanes } else { 1.0 };
        let pages = (self.pages.0 / by, self.pages.1 / by);
        Self { misses: divided(&self.misses), seconds: divided(&self.seconds), pages }
    }

    /// Whether page walks cost more than the misses in any one cache.
    pub(super) fn is_dominated_by_page_walks(&self) -> bool {
        self.pages.1 > self.seconds.iter().copied().fold(0.0, f64::max)
    }

    /// The position of the cache whose misses cost most.
    pub(super) fn costliest_cache(&self) -> Option<usize> {
        let all = self.seconds.iter().enumerate().filter(|(_, seconds)| **seconds > 0.0);
        all.max_by(|a, b| a.1.total_cmp(b.1)).map(|(index, _)| index)
    }
}

/// Loops and arrays with pointer chasing: the address of a load is known only after the previous load.
pub(super) type PointerChased = BTreeSet<(LoopId, ArrayId)>;

/// The memory traffic of every loop. The misses of a class of references are attributed to the loop that executes it most often.
pub(super) fn traffic_of_loops(
    instance: &Instance<'_>,
    classes: &Classes,
    (assumptions, case): (Assumptions<'_>, DataCase),
    (tree, pointer_chased): (&LoopTree<'_>, &PointerChased),
) -> Result<BTreeMap<LoopId, LoopTraffic>, LocalityError> {
    let Assumptions { machine, start, .. } = assumptions;
    let owners = tree.owners(classes);
    let certain = tree.certain_classes(classes);
    let mut traffic: BTreeMap<LoopId, LoopTraffic> = BTreeMap::new();
    for (level, cache) in machine.caches.iter().enumerate() {
        let misses = match case {
            DataCase::Least => least_misses(instance, classes, cache, start)?,
            DataCase::Typical | DataCase::Most => cache_misses(instance, classes, cache, start)?,
        };
        for (id, class) in classes.iter() {
            let (Some(owner), Some(cost)) = (owners.get(&id), machine.transfer(level)) else { continue };
            let skipped = case == DataCase::Least && !certain.contains(&id);
            let lines = if skipped { 0.0 } else { lines(&misses, id, case) };
            let each = match pointer_chased.contains(&(*owner, class.array)) && !class.regular {
                true => cost.latency_ns,
                false => nanoseconds(cost, stride(tree, *owner, class), cache.line),
            };
            let each = each + write_back(class, cost);
            let entry = traffic.entry(*owner).or_default();
            entry.misses.resize(machine.caches.len(), 0.0);
            entry.seconds.resize(machine.caches.len(), 0.0);
            entry.misses[level] += lines;
            entry.seconds[level] += lines * each * 1e-9;
        }
    }
    add_pages(instance, classes, (assumptions, case), tree, &mut traffic)?;
    Ok(traffic)
}

/// Adds the cost of page walks for accesses with large strides. Streams need one page walk for many lines, well in advance, and the
/// measured cost of scattered lines from memory already includes page walks.
fn add_pages(
    instance: &Instance<'_>,
    classes: &Classes,
    (assumptions, case): (Assumptions<'_>, DataCase),
    tree: &LoopTree<'_>,
    traffic: &mut BTreeMap<LoopId, LoopTraffic>,
) -> Result<(), LocalityError> {
    let Assumptions { machine, start, .. } = assumptions;
    let jumps = |owner: LoopId, class: &Class| {
        class.regular && stride(tree, owner, class).is_some_and(|it| it > NEAR)
    };
    let owners = tree.owners(classes);
    let jumping = |(id, class): &(ClassId, &Class)| owners.get(id).is_some_and(|owner| jumps(*owner, class));
    if case == DataCase::Least || !classes.iter().any(|entry| jumping(&entry)) {
        return Ok(());
    }
    let found = cache_misses(instance, classes, &machine.pages.as_cache(), start)?;
    let last = machine.caches.len().saturating_sub(1);
    for (id, _) in classes.iter().filter(jumping) {
        let entry = owners.get(&id).and_then(|owner| traffic.get_mut(owner));
        let Some(entry) = entry else { continue };
        let from_memory = entry.misses.get(last).copied().unwrap_or(0.0);
        let pages = (found.classes[id.0] - from_memory).max(0.0);
        entry.pages.0 += pages;
        entry.pages.1 += pages * machine.pages.miss_ns * 1e-9;
    }
    Ok(())
}

/// The misses of a class in one case of the data.
fn lines(misses: &CacheMisses, id: ClassId, case: DataCase) -> f64 {
    match misses.ranges.get(&id).filter(|_| case == DataCase::Most) {
        Some(range) => range.most,
        None => misses.classes[id.0],
    }
}

/// Additional nanoseconds per line if lines of the class are written back.
fn write_back(class: &Class, cost: &Transfer) -> f64 {
    if class.stores { cost.write_back_ns } else { 0.0 }
}

/// Bytes between two consecutive accesses: the stride along the innermost loop that changes the address. `None` if addresses depend
/// on data.
fn stride(tree: &LoopTree<'_>, owner: LoopId, class: &Class) -> Option<i128> {
    if !class.regular {
        return None;
    }
    let factor = |variable: Symbol| {
        class.factors.iter().find(|(symbol, _)| *symbol == variable).map(|(_, factor)| factor.abs())
    };
    Some(tree.variables_outwards(owner).into_iter().find_map(factor).unwrap_or(0))
}

/// Largest stride in bytes that hardware prefetchers recognise: half a page.
const NEAR: i128 = 2048;

/// Nanoseconds per line: those of a stream for adjacent lines, of scattered lines for large strides, and the mean in between.
fn nanoseconds(cost: &Transfer, stride: Option<i128>, line: u64) -> f64 {
    match stride {
        Some(stride) if stride <= 2 * i128::from(line) => cost.stream_ns,
        Some(stride) if stride <= NEAR => f64::midpoint(cost.stream_ns, cost.scattered_ns),
        _ => cost.scattered_ns,
    }
}

/// The loop that each class is attributed to.
pub(super) type Owners = BTreeMap<ClassId, LoopId>;
