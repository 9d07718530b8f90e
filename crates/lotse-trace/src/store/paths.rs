//! Call paths as a tree of (parent, region) pairs; a path of any depth is a single number.

use hashbrown::HashMap;
use lotse_model::id::{PathId, RegionId};

/// Maximum number of paths. More come only from irregular recursion; further calls are counted at their caller's path.
pub const MOST_PATHS: usize = 1 << 22;

/// All call paths. The first is the root, outside all regions.
#[derive(Debug, Clone)]
pub struct Paths {
    parent: Vec<PathId>,
    region: Vec<RegionId>,
    depth: Vec<u32>,
    known: HashMap<(PathId, RegionId), PathId>,
    /// By top-level path of worker threads: the path that forked them.
    forked_by: HashMap<PathId, PathId>,
    /// The number of calls beyond [`MOST_PATHS`].
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
    /// The path outside all regions.
    pub const ROOT: PathId = PathId(0);

    /// The number of paths, including the root.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there is only the root.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// All paths, parents before their children.
    pub fn ids(&self) -> impl Iterator<Item = PathId> + use<> {
        (0..self.len()).map(PathId::from)
    }

    /// The path of a region below another path, which is created if it is new.
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

    /// The parent of a path; the root is its own parent.
    pub fn parent(&self, path: PathId) -> PathId {
        self.parent[path.index()]
    }

    /// The caller of a path: its parent, or for a top-level path of worker threads the path that forked them.
    pub fn caller(&self, path: PathId) -> PathId {
        let joined = if self.forked_by.is_empty() { None } else { self.forked_by.get(&path).copied() };
        joined.unwrap_or_else(|| self.parent(path))
    }

    /// Joins top-level paths of worker threads to the paths that forked them.
    pub(super) fn join_to_forks(&mut self, forked_by: HashMap<PathId, PathId>) {
        self.forked_by = forked_by;
    }

    /// Whether any path is joined to a fork.
    pub fn has_forked(&self) -> bool {
        !self.forked_by.is_empty()
    }

    /// The path of the forking thread with the same regions as a path of its workers; other paths as they are.
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

    /// The last region of a path.
    pub fn region(&self, path: PathId) -> RegionId {
        self.region[path.index()]
    }

    /// The number of regions of a path.
    pub fn depth(&self, path: PathId) -> u32 {
        self.depth[path.index()]
    }

    /// An existing path by its parent and last region.
    pub(super) fn find_child(&self, parent: PathId, region: RegionId) -> Option<PathId> {
        self.known.get(&(parent, region)).copied()
    }

    /// An existing path by its regions, outermost first.
    pub fn find(&self, regions: impl IntoIterator<Item = RegionId>) -> Option<PathId> {
        regions.into_iter().try_fold(Self::ROOT, |path, region| self.known.get(&(path, region)).copied())
    }

    /// The regions of a path, outermost first.
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

    /// Adds all paths of another tree; returns their new numbers.
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

/// A small cache in front of a [`Paths`]: the same few functions are called repeatedly.
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
        let slot_entry = &mut self.slots[slot as usize % SLOTS];
        if slot_entry.0 != parent || slot_entry.1 != region {
            *slot_entry = (parent, region, paths.child(parent, region));
        }
        slot_entry.2
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
    fn the_cache_agrees_with_the_tree() {
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
