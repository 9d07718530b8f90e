//! Lines that move between caches, and what that costs each loop.

use std::collections::{BTreeMap, BTreeSet};

use super::Assumptions;
use super::case::Case;
use super::tree::{LoopId, Tree};
use crate::concrete::Instance;
use crate::locality::{CacheMisses, Class, ClassId, Classes, LocalityError, cache_misses, least_misses};
use crate::machine::Transfer;
use crate::nest::{ArrayId, Symbol};

/// What moves for one loop.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Moved {
    /// Misses of each cache, the nearest first.
    pub(super) misses: Vec<f64>,
    /// Seconds for the misses of each cache.
    pub(super) seconds: Vec<f64>,
    /// Pages whose places are looked up, and the seconds for that.
    pub(super) pages: (f64, f64),
}

impl Moved {
    pub(super) fn total(&self) -> f64 {
        self.seconds.iter().sum::<f64>() + self.pages.1
    }

    /// The same if several iterations of the loop around are done at once: a line that is lost between two of them is fetched
    /// once for all. Levels that keep lines for longer, and so miss them rarely, do not change.
    pub(super) fn across(&self, iterations: f64, lanes: f64) -> Self {
        /// Misses for each iteration from which on lines are taken to be lost between iterations of the loop around.
        const LOST: f64 = 0.3;
        let factors = self.misses.iter().map(|misses| if *misses > LOST * iterations { lanes } else { 1.0 });
        let factors: Vec<f64> = factors.collect();
        let divided = |values: &[f64]| values.iter().zip(&factors).map(|(value, by)| value / by).collect();
        let by = if self.pages.0 > LOST * iterations { lanes } else { 1.0 };
        let pages = (self.pages.0 / by, self.pages.1 / by);
        Self { misses: divided(&self.misses), seconds: divided(&self.seconds), pages }
    }

    /// Whether looking up the places of pages costs more than the misses of any cache.
    pub(super) fn is_by_pages(&self) -> bool {
        self.pages.1 > self.seconds.iter().copied().fold(0.0, f64::max)
    }

    /// The cache whose misses cost most.
    pub(super) fn costliest(&self) -> Option<usize> {
        let all = self.seconds.iter().enumerate().filter(|(_, seconds)| **seconds > 0.0);
        all.max_by(|a, b| a.1.total_cmp(b.1)).map(|(index, _)| index)
    }
}

/// Arrays of which a loop loads elements at addresses that it knows only after the load before.
pub(super) type Followed = BTreeSet<(LoopId, ArrayId)>;

/// What moves for every loop. A class of references belongs to the loop that executes it most often.
pub(super) fn moved(
    instance: &Instance<'_>,
    classes: &Classes,
    (assumptions, case): (Assumptions<'_>, Case),
    (tree, followed): (&Tree<'_>, &Followed),
) -> Result<BTreeMap<LoopId, Moved>, LocalityError> {
    let Assumptions { machine, start, .. } = assumptions;
    let owners = tree.owners(classes);
    let certain = tree.certain_classes(classes);
    let mut moved: BTreeMap<LoopId, Moved> = BTreeMap::new();
    for (level, cache) in machine.caches.iter().enumerate() {
        let misses = match case {
            Case::Least => least_misses(instance, classes, cache, start)?,
            Case::Typical | Case::Most => cache_misses(instance, classes, cache, start)?,
        };
        for (id, class) in classes.iter() {
            let (Some(owner), Some(cost)) = (owners.get(&id), machine.transfer(level)) else { continue };
            let skipped = case == Case::Least && !certain.contains(&id);
            let lines = if skipped { 0.0 } else { lines(&misses, id, case) };
            let each = match followed.contains(&(*owner, class.array)) && !class.regular {
                true => cost.latency_ns,
                false => nanoseconds(cost, stride(tree, *owner, class), cache.line),
            };
            let each = each + write_back(class, cost);
            let entry = moved.entry(*owner).or_default();
            entry.misses.resize(machine.caches.len(), 0.0);
            entry.seconds.resize(machine.caches.len(), 0.0);
            entry.misses[level] += lines;
            entry.seconds[level] += lines * each * 1e-9;
        }
    }
    add_pages(instance, classes, (assumptions, case), tree, &mut moved)?;
    Ok(moved)
}

/// Adds what it costs to look up the places of pages. Streams look up a page for many lines, well in advance; and what lines cost
/// that come from memory in any order was measured with this in it.
fn add_pages(
    instance: &Instance<'_>,
    classes: &Classes,
    (assumptions, case): (Assumptions<'_>, Case),
    tree: &Tree<'_>,
    moved: &mut BTreeMap<LoopId, Moved>,
) -> Result<(), LocalityError> {
    let Assumptions { machine, start, .. } = assumptions;
    let jumps = |owner: LoopId, class: &Class| {
        class.regular && stride(tree, owner, class).is_some_and(|it| it > NEAR)
    };
    let owners = tree.owners(classes);
    let jumping = |(id, class): &(ClassId, &Class)| owners.get(id).is_some_and(|owner| jumps(*owner, class));
    if case == Case::Least || !classes.iter().any(|entry| jumping(&entry)) {
        return Ok(());
    }
    let found = cache_misses(instance, classes, &machine.pages.as_cache(), start)?;
    let last = machine.caches.len().saturating_sub(1);
    for (id, _) in classes.iter().filter(jumping) {
        let entry = owners.get(&id).and_then(|owner| moved.get_mut(owner));
        let Some(entry) = entry else { continue };
        let from_memory = entry.misses.get(last).copied().unwrap_or(0.0);
        let pages = (found.classes[id.0] - from_memory).max(0.0);
        entry.pages.0 += pages;
        entry.pages.1 += pages * machine.pages.miss_ns * 1e-9;
    }
    Ok(())
}

fn lines(misses: &CacheMisses, id: ClassId, case: Case) -> f64 {
    match misses.ranges.get(&id).filter(|_| case == Case::Most) {
        Some(range) => range.most,
        None => misses.classes[id.0],
    }
}

fn write_back(class: &Class, cost: &Transfer) -> f64 {
    if class.stores { cost.write_back_ns } else { 0.0 }
}

/// Bytes between two accesses that follow each other: those of the innermost loop that moves the address. `None` where
/// addresses depend on data.
fn stride(tree: &Tree<'_>, owner: LoopId, class: &Class) -> Option<i128> {
    if !class.regular {
        return None;
    }
    let factor = |variable: Symbol| {
        class.factors.iter().find(|(symbol, _)| *symbol == variable).map(|(_, factor)| factor.abs())
    };
    Some(tree.variables_outwards(owner).into_iter().find_map(factor).unwrap_or(0))
}

/// Hardware recognises strides within a page half, and fetches neighbouring lines best.
const NEAR: i128 = 2048;

fn nanoseconds(cost: &Transfer, stride: Option<i128>, line: u64) -> f64 {
    match stride {
        Some(stride) if stride <= 2 * i128::from(line) => cost.stream_ns,
        Some(stride) if stride <= NEAR => f64::midpoint(cost.stream_ns, cost.scattered_ns),
        _ => cost.scattered_ns,
    }
}

/// Which loop each class belongs to.
pub(super) type Owners = BTreeMap<ClassId, LoopId>;
