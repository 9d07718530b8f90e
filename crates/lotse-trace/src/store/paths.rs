//! Call paths as a tree of (parent, region) pairs; a path is one number however deep it is.

use hashbrown::HashMap;
use lotse_model::id::{PathId, RegionId};

/// More paths than this come of recursion that wanders; their calls are counted at the path where it was reached.
pub const MOST_PATHS: usize = 1 << 22;

/// All call paths. The first is the root, outside all regions.
#[derive(Debug, Clone)]
pub struct Paths {
    parent: Vec<PathId>,
    region: Vec<RegionId>,
    depth: Vec<u32>,
    known: HashMap<(PathId, RegionId), PathId>,
    /// By a path where the part of worker threads begins: the path that forked them.
    forked_by: HashMap<PathId, PathId>,
    /// Calls that found no room.
    pub dropped: u64,
}

impl Default for Paths {
    fn default() -> Self {
        Self {
            parent: vec![PathId(0)],
            region: vec![RegionId(0)],
            depth: vec![0],
            known: HashMap::new(),
            forked_by: HashMap::new(),
            dropped: 0,
        }
    }
}

impl Paths {
    /// The root.
    pub const ROOT: PathId = PathId(0);

    /// How many there are, with the root.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there is none but the root.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// All of them, parents before their children.
    pub fn ids(&self) -> impl Iterator<Item = PathId> + use<> {
        (0..self.len()).map(PathId::from)
    }

    /// The path of a region below another path.
    pub fn child(&mut self, parent: PathId, region: RegionId) -> PathId {
        if let Some(&path) = self.known.get(&(parent, region)) {
            return path;
        }
        if self.len() >= MOST_PATHS {
            self.dropped += 1;
            return parent;
        }
        let path = PathId::from(self.len());
        self.parent.push(parent);
        self.region.push(region);
        self.depth.push(self.depth[parent.index()] + 1);
        self.known.insert((parent, region), path);
        path
    }

    /// What it lies below; the root lies below itself.
    pub fn parent(&self, path: PathId) -> PathId {
        self.parent[path.index()]
    }

    /// What people regard as its caller: what it lies below, or the path that forked the worker threads whose part it
    /// begins.
    pub fn caller(&self, path: PathId) -> PathId {
        let joined = if self.forked_by.is_empty() { None } else { self.forked_by.get(&path).copied() };
        joined.unwrap_or_else(|| self.parent(path))
    }

    /// Joins paths where the part of worker threads begins to those that forked them.
    pub(super) fn join_to_forks(&mut self, forked_by: HashMap<PathId, PathId>) {
        self.forked_by = forked_by;
    }

    /// Whether any path is joined to a fork.
    pub fn has_forked(&self) -> bool {
        !self.forked_by.is_empty()
    }

    /// The path of the forking thread that a path of its workers is the same as; other paths as they are.
    pub fn joined(&self, path: PathId) -> PathId {
        if self.forked_by.is_empty() {
            return path;
        }
        let (mut regions, mut at) = (Vec::new(), path);
        while at != Self::ROOT && !self.forked_by.contains_key(&at) {
            regions.push(self.region(at));
            at = self.parent(at);
        }
        let Some(&fork) = self.forked_by.get(&at) else { return path };
        regions.push(self.region(at));
        let below = |caller: PathId, region: RegionId| self.find_child(caller, region);
        regions.into_iter().rev().try_fold(fork, below).unwrap_or(path)
    }

    /// Its last region.
    pub fn region(&self, path: PathId) -> RegionId {
        self.region[path.index()]
    }

    /// How many regions it has.
    pub fn depth(&self, path: PathId) -> u32 {
        self.depth[path.index()]
    }

    /// A known path by what it lies below and its last region.
    pub(super) fn find_child(&self, parent: PathId, region: RegionId) -> Option<PathId> {
        self.known.get(&(parent, region)).copied()
    }

    /// A known path by its regions' numbers, outermost first.
    pub fn find(&self, regions: impl IntoIterator<Item = RegionId>) -> Option<PathId> {
        regions.into_iter().try_fold(Self::ROOT, |path, region| self.known.get(&(path, region)).copied())
    }

    /// Its regions, outermost first.
    pub fn regions(&self, path: PathId) -> Vec<RegionId> {
        let mut regions = Vec::with_capacity(self.depth(path) as usize);
        let mut at = path;
        while at != Self::ROOT {
            regions.push(self.region(at));
            at = self.parent(at);
        }
        regions.reverse();
        regions
    }

    /// Takes over all paths of another tree; gives their new numbers.
    pub fn absorb(&mut self, other: &Self) -> Vec<PathId> {
        let mut numbers = vec![Self::ROOT];
        for path in other.ids().skip(1) {
            let parent = numbers[other.parent(path).index()];
            numbers.push(self.child(parent, other.region(path)));
        }
        self.dropped += other.dropped;
        numbers
    }
}

/// A small cache before a [`Paths`]: the same few functions are called again and again.
#[derive(Debug)]
pub(super) struct PathCache {
    slots: Vec<(PathId, RegionId, PathId)>,
}

const SLOTS: usize = 1 << 10;

impl PathCache {
    pub(super) fn new() -> Self {
        Self { slots: vec![(PathId(u32::MAX), RegionId(0), PathId(0)); SLOTS] }
    }

    #[inline]
    pub(super) fn child(&mut self, paths: &mut Paths, parent: PathId, region: RegionId) -> PathId {
        let slot = parent.0.wrapping_mul(0x9E37_79B1).wrapping_add(region.0.wrapping_mul(0x85EB_CA6B)) >> 22;
        let kept = &mut self.slots[slot as usize % SLOTS];
        if kept.0 != parent || kept.1 != region {
            *kept = (parent, region, paths.child(parent, region));
        }
        kept.2
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::RegionId;

    use super::{PathCache, Paths};

    #[test]
    fn a_path_is_a_parent_and_a_region() {
        let mut paths = Paths::default();
        let main = paths.child(Paths::ROOT, RegionId(1));
        let deep = paths.child(main, RegionId(1));
        assert_eq!(paths.child(main, RegionId(1)), deep);
        assert_eq!(paths.depth(deep), 2);
        assert_eq!(paths.regions(deep), [RegionId(1), RegionId(1)]);
        assert_eq!(paths.find([RegionId(1)]), Some(main));
        assert_eq!(paths.find([RegionId(2)]), None);
    }

    #[test]
    fn trees_of_two_locations_become_one() {
        let (mut one, mut two) = (Paths::default(), Paths::default());
        let main = one.child(Paths::ROOT, RegionId(1));
        one.child(main, RegionId(2));
        let worker = two.child(Paths::ROOT, RegionId(3));
        let main = two.child(Paths::ROOT, RegionId(1));
        let send = two.child(main, RegionId(4));
        let numbers = one.absorb(&two);
        assert_eq!(one.regions(numbers[send.index()]), [RegionId(1), RegionId(4)]);
        assert_eq!(one.regions(numbers[worker.index()]), [RegionId(3)]);
        assert_eq!(one.len(), 5);
    }

    #[test]
    fn the_cache_gives_what_the_tree_would() {
        let (mut paths, mut cache) = (Paths::default(), PathCache::new());
        let mut parent = Paths::ROOT;
        for number in 0..5000 {
            let region = RegionId(number % 7);
            let cached = cache.child(&mut paths, parent, region);
            assert_eq!(paths.child(parent, region), cached);
            parent = if number % 11 == 0 { Paths::ROOT } else { cached };
        }
    }
}
