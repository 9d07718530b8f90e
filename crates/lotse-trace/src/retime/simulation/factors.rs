//! The factors of call paths in each lane, by location.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::super::{Change, Factor};
use super::Lanes;
use crate::store::Trace;

/// The factors of one call path, one per lane.
pub(super) type FactorLanes<const N: usize> = [Factor; N];

/// The factors of all call paths. Paths with the same factors in all lanes form a group.
pub(super) struct Factors<const N: usize> {
    /// Tables of groups by path. The first table is for all locations without factors of their own.
    tables: Vec<Vec<u32>>,
    /// By location: its table.
    table: Vec<u32>,
    groups: Groups<N>,
}

/// Call paths with the same factors in all lanes.
pub(super) struct Group<const N: usize> {
    factors: FactorLanes<N>,
    /// A mask: all bits in lanes where the time vanishes, none in others. Most changes let time vanish or keep it.
    vanishing: Lanes<N>,
    /// The lanes with any other factor.
    scaled: Vec<usize>,
}

/// The distinct groups; the first is [`UNCHANGED`].
struct Groups<const N: usize> {
    rows: Vec<Group<N>>,
    known: HashMap<FactorLanes<N>, u32>,
}

/// The group of call paths with factor one in all lanes.
pub(super) const UNCHANGED: usize = 0;

impl<const N: usize> Factors<N> {
    pub(super) fn new(trace: &Trace, changes: &[&Change]) -> Self {
        let mut groups = Groups::new();
        let everywhere = rows(trace, changes, None);
        let mut factors = Self {
            tables: vec![groups.table(&everywhere)],
            table: vec![0; trace.timelines.len()],
            groups: Groups::new(),
        };
        for location in own_locations(changes) {
            let table = groups.table(&rows(trace, changes, Some(location)));
            factors.table[location.index()] = factors.tables.len() as u32;
            factors.tables.push(table);
        }
        factors.groups = groups;
        factors
    }

    /// The number of groups.
    pub(super) fn count(&self) -> usize {
        self.groups.rows.len()
    }

    /// By path: its group on a location.
    #[inline]
    pub(super) fn groups_on(&self, location: usize) -> &[u32] {
        &self.tables[self.table[location] as usize]
    }

    /// All groups.
    pub(super) fn groups(&self) -> &[Group<N>] {
        &self.groups.rows
    }

    /// The factors of a call path on a location.
    pub(super) fn factors_of(&self, location: usize, path: PathId) -> &FactorLanes<N> {
        &self.groups.rows[self.groups_on(location)[path.index()] as usize].factors
    }
}

/// The locations that have factors of their own.
fn own_locations(changes: &[&Change]) -> Vec<LocationId> {
    let scaled = changes.iter().flat_map(|change| &change.scaled);
    let mut locations: Vec<LocationId> = scaled.filter_map(|scaled| scaled.location).collect();
    locations.sort_unstable();
    locations.dedup();
    locations
}

/// By path: its factors on a location, or on all locations without factors of their own.
fn rows<const N: usize>(
    trace: &Trace,
    changes: &[&Change],
    location: Option<LocationId>,
) -> Vec<FactorLanes<N>> {
    let mut rows = vec![[Factor::ONE; N]; trace.paths.len()];
    for (lane, change) in changes.iter().enumerate() {
        if change.ideal_network {
            let mpi = trace.paths.ids().filter(|&path| trace.class_of(path).is_mpi());
            mpi.for_each(|path| rows[path.index()][lane] = Factor::ZERO);
        }
        let here = change.scaled.iter().filter(|it| it.location.is_none() || it.location == location);
        here.for_each(|scaled| rows[scaled.path.index()][lane] = scaled.factor);
    }
    rows
}

impl<const N: usize> Group<N> {
    fn new(factors: FactorLanes<N>) -> Self {
        let is_scaled = |&lane: &usize| factors[lane] != Factor::ZERO && factors[lane] != Factor::ONE;
        Self {
            vanishing: factors.map(|factor| if factor == Factor::ZERO { Ticks::MAX } else { 0 }),
            scaled: (0..N).filter(is_scaled).collect(),
            factors,
        }
    }

    /// Changes `ticks` of the time that elapsed in each lane.
    #[inline]
    pub(super) fn change(&self, elapsed: &mut Lanes<N>, ticks: Ticks) {
        elapsed.iter_mut().zip(&self.vanishing).for_each(|(elapsed, mask)| *elapsed -= ticks & mask);
        for &lane in &self.scaled {
            elapsed[lane] = (elapsed[lane] - ticks) + self.factors[lane].apply(ticks);
        }
    }
}

impl<const N: usize> Groups<N> {
    fn new() -> Self {
        let unchanged = [Factor::ONE; N];
        Self { rows: vec![Group::new(unchanged)], known: HashMap::from([(unchanged, 0)]) }
    }

    fn table(&mut self, rows: &[FactorLanes<N>]) -> Vec<u32> {
        rows.iter().map(|row| self.group(*row)).collect()
    }

    fn group(&mut self, row: FactorLanes<N>) -> u32 {
        *self.known.entry(row).or_insert_with(|| {
            self.rows.push(Group::new(row));
            self.rows.len() as u32 - 1
        })
    }
}
