//! The regions of all classes of a part of a nest, for one iteration of the loops around it.

use std::collections::{BTreeMap, BTreeSet};

use super::LocalityError;
use super::classes::{ClassId, Classes, offset};
use super::region::{Dimension, Region};
use crate::concrete::{ConcreteNode, Instance, Linear, System, Touch};
use crate::count;
use crate::nest::Symbol;

/// Fixed values of the variables of outer loops.
pub(super) type IterationPoint = BTreeMap<Symbol, i128>;

/// Bytes and lines that a part of a nest touches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Footprint {
    /// Number of distinct bytes.
    pub bytes: f64,
    /// Number of distinct lines.
    pub lines: f64,
    /// Whether less may be touched: a subscript depends on data, or there are too many bounds for an exact region.
    pub upper_bound: bool,
    /// The region of each class that is touched, and the number of its lines that no larger region of the array covers.
    pub(super) regions: BTreeMap<ClassId, (Region, f64)>,
}

/// Computes footprints of an instance.
pub(super) struct FootprintAnalysis<'a> {
    pub(super) instance: &'a Instance<'a>,
    pub(super) classes: &'a Classes,
    /// Bytes of a line.
    pub(super) line: u64,
    /// Whether elements whose subscripts depend on data are left out.
    pub(super) regular_only: bool,
}

impl Footprint {
    /// Lines of a class, including those that other classes touch as well.
    pub(super) fn raw_lines_of(&self, class: ClassId) -> f64 {
        self.regions.get(&class).map_or(0.0, |(region, _)| region.lines)
    }

    /// Lines of a class that no larger region of its array covers.
    pub(super) fn lines_of(&self, class: ClassId) -> f64 {
        self.regions.get(&class).map_or(0.0, |(_, lines)| *lines)
    }
}

impl FootprintAnalysis<'_> {
    /// The footprint of nodes for one iteration of the loops around them, given by `point`.
    pub(super) fn footprint(
        &self,
        nodes: &[ConcreteNode],
        point: &IterationPoint,
    ) -> Result<Footprint, LocalityError> {
        let mut members: BTreeMap<ClassId, Vec<&Touch>> = BTreeMap::new();
        collect(nodes, &mut |touch| {
            let counted = |class: &ClassId| !self.regular_only || self.classes.get(*class).regular;
            if let Some(class) = self.classes.id_of(touch).filter(counted) {
                members.entry(class).or_default().push(touch);
            }
        });
        let mut regions = Vec::new();
        for (class, touches) in members {
            if let Some(region) = self.region(class, &touches, point)? {
                regions.push((class, region));
            }
        }
        Ok(self.union_of_regions(regions))
    }

    pub(super) fn value_of(&self, parameter: Symbol) -> i128 {
        self.instance.values.get(parameter).map_or(0, i128::from)
    }

    /// The union of the regions. Regions of one array are added from the largest to the smallest; each adds only the lines that
    /// the previous ones do not cover.
    fn union_of_regions(&self, mut regions: Vec<(ClassId, Region)>) -> Footprint {
        regions.sort_by(|(_, a), (_, b)| b.lines.total_cmp(&a.lines));
        let mut footprint = Footprint::default();
        let mut done: Vec<(ClassId, Region)> = Vec::new();
        for (class, region) in regions {
            let array = self.classes.get(class).array;
            let before = done.iter().filter(|(other, _)| self.classes.get(*other).array == array);
            let covered = before.map(|(_, other)| region.covered_by(other)).fold(0.0, f64::max);
            footprint.upper_bound |= region.upper_bound;
            footprint.bytes += region.bytes * (1.0 - covered);
            footprint.lines += region.lines * (1.0 - covered);
            footprint.regions.insert(class, (region.clone(), region.lines * (1.0 - covered)));
            done.push((class, region));
        }
        footprint
    }

    /// The region that the accesses of one class touch together; `None` if none of them is executed.
    ///
    /// Variables of the address that are not fixed are the dimensions of the region, the largest stride first. Their counts come
    /// from the domain projected onto these variables. Constant offsets between the members of the class then enlarge the
    /// dimensions ([`spread`]).
    fn region(
        &self,
        id: ClassId,
        touches: &[&Touch],
        point: &IterationPoint,
    ) -> Result<Option<Region>, LocalityError> {
        let class = self.classes.get(id);
        let mut variables: Vec<(Symbol, i128)> =
            class.factors.iter().copied().filter(|(symbol, _)| !point.contains_key(symbol)).collect();
        variables.sort_by_key(|(_, factor)| std::cmp::Reverse(factor.abs()));
        let varying: Vec<Symbol> = variables.iter().map(|(symbol, _)| *symbol).collect();
        let mut executed: Vec<(&Touch, System)> = Vec::new();
        for touch in touches {
            let system = System::with_fixed(&touch.domain, point, |symbol| self.value_of(symbol))?;
            if !system.is_empty() {
                executed.push((touch, system));
            }
        }
        let Some((first, _)) = executed.first() else { return Ok(None) };
        let width = first.width_bytes;
        if !class.regular {
            let region = self.irregular(&executed, width)?;
            return Ok(Some(Region { upper_bound: true, ..region }));
        }
        let mut systems: Vec<System> = Vec::new();
        for (_, system) in &executed {
            let projection = system.onto(&varying);
            if !systems.contains(&projection) {
                systems.push(projection);
            }
        }
        let mut counts: Vec<f64> = vec![1.0; varying.len()];
        for system in &systems {
            let own = self.average_counts(system, &varying)?;
            if own.iter().product::<f64>() > counts.iter().product::<f64>() {
                counts = own;
            }
        }
        let low = lowest(&systems, &variables, class.factors.as_slice(), point);
        let offsets = executed.iter().filter_map(|(touch, _)| touch.address.as_ref());
        let offsets = offsets.map(|address| offset(address, |symbol| self.value_of(symbol)));
        let offsets = offsets.collect::<Result<Vec<i128>, _>>()?;
        let strides = variables.iter().map(|(_, factor)| factor.abs());
        let dimensions = strides.zip(counts).map(|(stride, count)| Dimension { stride, count }).collect();
        let (dimensions, width) = spread(dimensions, &offsets, width, self.line);
        let low = low + offsets.iter().min().copied().unwrap_or(0);
        let upper_bound = systems.iter().any(System::is_incomplete);
        let region = Region { upper_bound, ..Region::new(low, width, &dimensions, self.line) };
        Ok(Some(self.within_range(region, class.factors.as_slice(), &executed, width, point)?))
    }

    /// The region, made no larger than the range of its addresses. The range is smaller if variables with factors of opposite
    /// sign cancel each other, as in `a[i % 100]`, whose address is `8*i - 800*q`.
    fn within_range(
        &self,
        region: Region,
        factors: &[(Symbol, i128)],
        executed: &[(&Touch, System)],
        width: u32,
        point: &IterationPoint,
    ) -> Result<Region, LocalityError> {
        let open: Vec<i128> = factors
            .iter()
            .filter(|(symbol, _)| !point.contains_key(symbol))
            .map(|(_, factor)| *factor)
            .collect();
        let cancel = open.iter().any(|factor| *factor < 0) && open.iter().any(|factor| *factor > 0);
        if !cancel {
            return Ok(region);
        }
        let (mut low, mut high) = (i128::MAX, i128::MIN);
        for (touch, _) in executed {
            let Some(range) = self.address_range(touch, point)? else { return Ok(region) };
            (low, high) = (low.min(range.0), high.max(range.1));
        }
        let span = (high - low) as f64 + f64::from(width);
        if span >= region.span {
            return Ok(region);
        }
        let stride = open.iter().fold(0, |all, factor| crate::algebra::gcd(all, *factor)).max(1);
        let whole = Dimension { stride, count: (high - low) as f64 / stride as f64 + 1.0 };
        let tight = Region::new(low, width, &[whole], self.line);
        Ok(if tight.lines < region.lines {
            Region { upper_bound: region.upper_bound, ..tight }
        } else {
            region
        })
    }

    /// The smallest and the largest address of an access.
    fn address_range(
        &self,
        touch: &Touch,
        point: &IterationPoint,
    ) -> Result<Option<(i128, i128)>, LocalityError> {
        let Some(address) = &touch.address else { return Ok(None) };
        let free = self.instance.free;
        let difference = address.sub(&Linear::variable(free))?;
        let mut domain = touch.domain.clone();
        domain.variables.push(free);
        domain.constraints.push(difference.scale(-1)?);
        domain.constraints.push(difference);
        let system = System::with_fixed(&domain, point, |symbol| self.value_of(symbol))?;
        Ok(system.range(free))
    }

    /// For each variable, the average number of its values for fixed values of the variables before it.
    fn average_counts(&self, system: &System, varying: &[Symbol]) -> Result<Vec<f64>, LocalityError> {
        let mut counts = Vec::with_capacity(varying.len());
        let mut before = 1.0;
        for length in 1..=varying.len() {
            let variables = varying[..length].to_vec();
            let domain = system.onto(&variables).to_domain(variables)?;
            let points = count::points(&domain, BTreeMap::new(), self.instance.free)?.number as f64;
            counts.push((points / f64::max(before, 1.0)).max(1.0));
            before = points;
        }
        Ok(counts)
    }

    /// An upper bound for accesses that depend on data: every execution touches another line, up to the size of all elements that
    /// can be selected.
    fn irregular(&self, executed: &[(&Touch, System)], width: u32) -> Result<Region, LocalityError> {
        let mut executions = 0.0;
        let mut seen = BTreeSet::new();
        for (touch, system) in executed {
            if touch.scattered.as_ref().is_none_or(|scattered| seen.insert(scattered.element)) {
                let domain = system.to_domain(system.variables())?;
                executions += count::points(&domain, BTreeMap::new(), self.instance.free)?.number as f64;
            }
        }
        let within = selectable(executed.iter().map(|(touch, _)| *touch));
        let dimension = match within.filter(|bytes| bytes / self.line as f64 <= executions) {
            Some(bytes) => Dimension { stride: i128::from(width), count: bytes / f64::from(width) },
            None => Dimension { stride: i128::from(self.line), count: executions },
        };
        Ok(Region::new(0, width, &[dimension], self.line))
    }
}

/// Size in bytes of all elements that can be selected; `None` if it is unknown for one of the accesses.
pub(super) fn selectable<'t>(touches: impl Iterator<Item = &'t Touch>) -> Option<f64> {
    let within = touches.map(|touch| touch.scattered.as_ref()?.within.map(|bytes| bytes as f64));
    within.reduce(|a, b| Some(a?.max(b?))).flatten()
}

/// Calls `visit` with every access below the nodes.
pub(super) fn collect<'i>(nodes: &'i [ConcreteNode], visit: &mut impl FnMut(&'i Touch)) {
    for node in nodes {
        match node {
            ConcreteNode::Loop(inner) => collect(&inner.body, visit),
            ConcreteNode::Statement(statement) => statement.touches.iter().for_each(&mut *visit),
        }
    }
}

/// The smallest address of a class, without the constant part of the address.
fn lowest(
    systems: &[System],
    variables: &[(Symbol, i128)],
    all: &[(Symbol, i128)],
    point: &IterationPoint,
) -> i128 {
    let fixed: i128 = all.iter().filter_map(|(symbol, factor)| Some(point.get(symbol)? * factor)).sum();
    let smallest = |(symbol, factor): &(Symbol, i128)| {
        let ranges = systems.iter().filter_map(|system| system.range(*symbol));
        ranges.map(|(low, high)| (low * factor).min(high * factor)).min().unwrap_or(0)
    };
    fixed + variables.iter().map(smallest).sum::<i128>()
}

/// Dimensions and width of a region, enlarged by the distances between the members of a class.
///
/// Every distance is written as a multiple of each stride and a remainder. Along a dimension of n values, members that
/// are at most n apart make the dimension longer; members further apart repeat it, which is a dimension of its own.
///
/// ```text
/// x[i-1] + x[i] + x[i+1], i < 100     offsets 0, 8, 16:   one dimension of 102 values
/// x[i] + x[i+500], i < 100            offsets 0, 4000:    two groups of 100 values, 4000 bytes apart
/// ```
fn spread(mut dimensions: Vec<Dimension>, offsets: &[i128], width: u32, line: u64) -> (Vec<Dimension>, u32) {
    let base = offsets.iter().min().copied().unwrap_or(0);
    let mut rests: Vec<i128> = offsets.iter().map(|offset| offset - base).collect();
    let mut groups = Vec::new();
    for dimension in &mut dimensions {
        let multiples: Vec<i128> = rests.iter().map(|rest| nearest(*rest, dimension.stride)).collect();
        rests.iter_mut().zip(&multiples).for_each(|(rest, multiple)| *rest -= multiple * dimension.stride);
        let (clusters, apart, length) = clusters(multiples, dimension.count, 0.0);
        dimension.count = length;
        if clusters > 1 {
            groups.push(Dimension {
                stride: (apart * dimension.stride as f64) as i128,
                count: clusters as f64,
            });
        }
    }
    let (count, apart, length) = clusters(rests, f64::from(width), line as f64);
    if count > 1 {
        groups.push(Dimension { stride: apart as i128, count: count as f64 });
    }
    dimensions.extend(groups);
    dimensions.sort_by_key(|dimension| std::cmp::Reverse(dimension.stride));
    (dimensions, length as u32)
}

/// The nearest integer to `value / stride`; of two that are equally near, the smaller one.
fn nearest(value: i128, stride: i128) -> i128 {
    (value + (stride - 1) / 2).div_euclid(stride)
}

/// Groups intervals of equal length at these positions into clusters; intervals with a gap of at most `gap` between them are in
/// one cluster. Gives the number of clusters, their average distance and their average length.
fn clusters(mut positions: Vec<i128>, length: f64, gap: f64) -> (usize, f64, f64) {
    positions.sort_unstable();
    positions.dedup();
    let (mut count, mut covered) = (1_usize, length);
    for pair in positions.windows(2) {
        let distance = (pair[1] - pair[0]) as f64;
        if distance > length + gap {
            count += 1;
            covered += length;
        } else {
            covered += distance;
        }
    }
    let reach = match (positions.first(), positions.last()) {
        (Some(first), Some(last)) => (last - first) as f64,
        _ => 0.0,
    };
    (count, reach / (count.max(2) - 1) as f64, covered / count as f64)
}
