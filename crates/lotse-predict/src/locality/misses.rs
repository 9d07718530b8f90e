//! Misses of one cache.
//!
//! For every class, an iteration x of a loop has F(x), the lines that it touches; cost(x), its misses if it starts with an empty
//! cache; and s(x), the share of its lines that survive until the next iteration. The loop as a whole touches fewer lines than the
//! sum of F(x), because iterations share lines; the ratio of the two is the share of lines that are new in an iteration. So
//!
//! ```text
//! cost(loop) = new * sum of s(x) F(x)  +  sum of (1 - s(x)) cost(x)        new = F(loop) / sum of F(x)
//! ```
//!
//! which is F(loop) if everything survives, and the sum of the costs if nothing does.
//!
//! ```text
//! for i { for j { … x[j] … } }, x of 1000 lines     F(i) = 1000, F(loop) = 1000, new = 1 / (number of iterations of i)
//!   x fits the cache:         s = 1, cost(loop) = 1000 misses
//!   x is twice the cache:     s = 0, cost(loop) = 1000 misses in every iteration of i
//! ```
//!
//! For a sequence of nodes, F is that of the union of their footprints, and the sum of their costs takes the place of the second
//! sum. Lines that several classes of an array touch count once. With a warm cache, lines that survive the whole function are not
//! missed at its beginning.

use std::collections::BTreeMap;

use super::LocalityError;
use super::classes::{ClassId, Classes};
use super::footprint::{Footprint, FootprintAnalysis, IterationPoint};
use super::integrate;
use super::occupancy::survival;
use super::scattered::{ScatteredMisses, scattered_misses};
use crate::concrete::{ConcreteLoop, ConcreteNode, Instance, System};
use crate::machine::Cache;
use crate::nest::SourcePosition;

/// The state of the caches before the function starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Empty caches.
    Cold,
    /// The caches contain what a previous call with the same data left there.
    Warm,
}

/// Lines that one cache had to fetch.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheMisses {
    pub total: f64,
    /// Misses of each class.
    pub classes: Vec<f64>,
    /// Bounds for classes whose subscripts depend on data; `classes` has the upper bound if it is unknown which elements
    /// can be selected.
    pub ranges: BTreeMap<ClassId, ScatteredMisses>,
    /// Whether there may be fewer misses: a subscript or a condition depends on data, or a loop may end early. Refused parts
    /// are not in the total at all; `Instance::refusals` lists them.
    pub upper_bound: bool,
}

/// The misses of a whole function.
pub fn cache_misses(
    instance: &Instance<'_>,
    classes: &Classes,
    cache: &Cache,
    start: Start,
) -> Result<CacheMisses, LocalityError> {
    let mut found = misses_by_class(
        FootprintAnalysis { instance, classes, line: cache.line, regular_only: false },
        cache,
        start,
    )?;
    let regular: f64 =
        classes.iter().filter(|(_, class)| class.regular).map(|(id, _)| found.classes[id.0]).sum();
    for (id, _) in classes.iter().filter(|(_, class)| !class.regular) {
        let range = scattered_misses(instance, (classes, id), cache, (start, regular))?;
        found.classes[id.0] = range.typical.unwrap_or(range.most);
        found.ranges.insert(id, range);
    }
    found.total = found.classes.iter().sum();
    Ok(found)
}

/// A lower bound of the misses: elements whose subscripts depend on data are assumed to need no space in the cache.
pub fn least_misses(
    instance: &Instance<'_>,
    classes: &Classes,
    cache: &Cache,
    start: Start,
) -> Result<CacheMisses, LocalityError> {
    misses_by_class(
        FootprintAnalysis { instance, classes, line: cache.line, regular_only: true },
        cache,
        start,
    )
}

/// The misses of each class by the formula above, without the bounds for data-dependent subscripts.
fn misses_by_class(
    footprints: FootprintAnalysis<'_>,
    cache: &Cache,
    start: Start,
) -> Result<CacheMisses, LocalityError> {
    let (instance, classes) = (footprints.instance, footprints.classes);
    let analysis = MissAnalysis { footprints, cache };
    let mut misses = analysis.cost_of_sequence(&instance.body, &IterationPoint::new())?;
    if start == Start::Warm {
        let footprint = analysis.footprints.footprint(&instance.body, &IterationPoint::new())?;
        for (class, share) in
            analysis.survival_between_executions(&instance.body, &footprint, &IterationPoint::new())?
        {
            misses[class.0] *= 1.0 - share;
        }
    }
    let upper_bound = may_execute_less(&instance.body) || classes.iter().any(|(_, class)| !class.regular);
    let total = misses.iter().sum();
    Ok(CacheMisses { total, classes: misses, ranges: BTreeMap::new(), upper_bound })
}

/// Whether a loop may end early or a condition depends on data.
fn may_execute_less(nodes: &[ConcreteNode]) -> bool {
    nodes.iter().any(|node| match node {
        ConcreteNode::Loop(inner) => inner.at_most || may_execute_less(&inner.body),
        ConcreteNode::Statement(statement) => statement.at_most,
    })
}

/// The footprint of one execution of every loop, in the order of the source. Outer loops are fixed at a typical index.
pub fn loop_footprints(
    instance: &Instance<'_>,
    classes: &Classes,
    line: u64,
) -> Result<Vec<(SourcePosition, Footprint)>, LocalityError> {
    let footprints = FootprintAnalysis { instance, classes, line, regular_only: false };
    let mut found = Vec::new();
    visit(&footprints, &instance.body, &IterationPoint::new(), &mut found)?;
    Ok(found)
}

/// Adds the footprints of the loops below `nodes` to `found`.
fn visit(
    footprints: &FootprintAnalysis<'_>,
    nodes: &[ConcreteNode],
    point: &IterationPoint,
    found: &mut Vec<(SourcePosition, Footprint)>,
) -> Result<(), LocalityError> {
    for node in nodes {
        if let ConcreteNode::Loop(inner) = node {
            found.push((inner.place, footprints.footprint(std::slice::from_ref(node), point)?));
            if let Some(range) = footprints.range(inner, point)? {
                visit(
                    footprints,
                    &inner.body,
                    &with_index(point, inner, typical_index(range, point.len())),
                    found,
                )?;
            }
        }
    }
    Ok(())
}

/// For each class, the share of its lines that survive.
type Shares = BTreeMap<ClassId, f64>;

/// Computes the misses of one cache.
struct MissAnalysis<'a> {
    footprints: FootprintAnalysis<'a>,
    cache: &'a Cache,
}

impl MissAnalysis<'_> {
    fn classes(&self) -> usize {
        self.footprints.classes.len()
    }

    /// Misses of each class for a sequence of nodes that starts with an empty cache.
    fn cost_of_sequence(
        &self,
        nodes: &[ConcreteNode],
        point: &IterationPoint,
    ) -> Result<Vec<f64>, LocalityError> {
        if let [single] = nodes {
            return self.cost_of_node(single, point);
        }
        let footprint = self.footprints.footprint(nodes, point)?;
        let shares = survival(&footprint, self.footprints.classes, self.cache);
        if shares.values().all(|share| *share == 1.0) {
            return Ok(self.lines(&footprint));
        }
        let mut total = vec![0.0; self.classes()];
        for node in nodes {
            total.iter_mut().zip(self.cost_of_node(node, point)?).for_each(|(sum, cost)| *sum += cost);
        }
        for (class, share) in shares {
            // Never more than if nothing had survived.
            let together = footprint.lines_of(class).min(total[class.0]);
            total[class.0] = share * together + (1.0 - share) * total[class.0];
        }
        Ok(total)
    }

    /// The lines of each class in a footprint.
    fn lines(&self, footprint: &Footprint) -> Vec<f64> {
        (0..self.classes()).map(|class| footprint.lines_of(ClassId(class))).collect()
    }

    fn cost_of_node(&self, node: &ConcreteNode, point: &IterationPoint) -> Result<Vec<f64>, LocalityError> {
        match node {
            ConcreteNode::Loop(inner) => self.cost_of_loop(node, inner, point),
            ConcreteNode::Statement(_) => {
                Ok(self.lines(&self.footprints.footprint(std::slice::from_ref(node), point)?))
            }
        }
    }

    /// Misses of each class for one execution of a loop that starts with an empty cache: cost(loop) above.
    ///
    /// The sums over iterations are approximated ([`integrate`]) if the iterations differ; otherwise they are the values of one
    /// iteration times the number of iterations.
    fn cost_of_loop(
        &self,
        node: &ConcreteNode,
        inner: &ConcreteLoop,
        point: &IterationPoint,
    ) -> Result<Vec<f64>, LocalityError> {
        let Some((low, high)) = self.footprints.range(inner, point)? else {
            return Ok(vec![0.0; self.classes()]);
        };
        let mut iteration = |x: i128| self.iteration(inner, &with_index(point, inner, x));
        let sums = if self.footprints.body_depends_on(inner, point) {
            integrate::sum((low, high), &mut iteration)?
        } else {
            let trips = (high - low + 1) as f64;
            let typical = iteration(typical_index((low, high), point.len()))?;
            typical.into_iter().map(|value| value * trips).collect()
        };
        let whole = self.footprints.footprint(std::slice::from_ref(node), point)?;
        let (lines, rest) = sums.split_at(self.classes());
        let (surviving, missed) = rest.split_at(self.classes());
        let cost = |class: usize| {
            let new =
                if lines[class] > 0.0 { whole.raw_lines_of(ClassId(class)) / lines[class] } else { 1.0 };
            new.min(1.0) * surviving[class] * self.union_share(&whole, ClassId(class)) + missed[class]
        };
        Ok((0..self.classes()).map(cost).collect())
    }

    /// Distinct lines of an array divided by the sum of the lines of its classes, which may share lines.
    fn union_share(&self, footprint: &Footprint, class: ClassId) -> f64 {
        let same_array = self.footprints.classes.of_same_array(class);
        let (union, sum) = same_array.fold((0.0, 0.0), |(union, sum), other| {
            (union + footprint.lines_of(other), sum + footprint.raw_lines_of(other))
        });
        if sum > 0.0 { union / sum } else { 1.0 }
    }

    /// The share of each class's lines that are still in the cache when the nodes are executed again.
    ///
    /// If a class touches the same lines in every iteration of an inner loop, its reuse distance is shorter than the whole loop:
    /// between the last iteration of one execution and the first iteration of the next, only one iteration's lines are touched.
    fn survival_between_executions(
        &self,
        nodes: &[ConcreteNode],
        footprint: &Footprint,
        point: &IterationPoint,
    ) -> Result<Shares, LocalityError> {
        let mut shares = survival(footprint, self.footprints.classes, self.cache);
        let [ConcreteNode::Loop(inner)] = nodes else { return Ok(shares) };
        if shares.values().all(|share| *share == 1.0) {
            return Ok(shares);
        }
        let Some(range) = self.footprints.range(inner, point)? else { return Ok(shares) };
        let point = with_index(point, inner, typical_index(range, point.len()));
        let body = self.footprints.footprint(&inner.body, &point)?;
        let nearer = self.survival_between_executions(&inner.body, &body, &point)?;
        for (class, share) in &mut shares {
            let moves = self
                .footprints
                .classes
                .get(*class)
                .factors
                .iter()
                .any(|(symbol, _)| *symbol == inner.variable);
            if !moves && body.raw_lines_of(*class) >= 0.99 * footprint.raw_lines_of(*class) {
                *share = share.max(nearer.get(class).copied().unwrap_or(0.0));
            }
        }
        Ok(shares)
    }

    /// F, s F and (1 - s) cost of one iteration: three lists with one number per class, concatenated.
    fn iteration(&self, inner: &ConcreteLoop, point: &IterationPoint) -> Result<Vec<f64>, LocalityError> {
        let footprint = self.footprints.footprint(&inner.body, point)?;
        let shares = self.survival_between_executions(&inner.body, &footprint, point)?;
        let lines: Vec<f64> =
            (0..self.classes()).map(|class| footprint.raw_lines_of(ClassId(class))).collect();
        let share = |class: usize| shares.get(&ClassId(class)).copied().unwrap_or(1.0);
        let cost = match shares.values().all(|share| *share == 1.0) {
            true => self.lines(&footprint),
            false => self.cost_of_sequence(&inner.body, point)?,
        };
        let surviving: Vec<f64> = (0..lines.len()).map(|class| share(class) * lines[class]).collect();
        let missed: Vec<f64> = (0..lines.len()).map(|class| (1.0 - share(class)) * cost[class]).collect();
        Ok([lines, surviving, missed].concat())
    }
}

impl FootprintAnalysis<'_> {
    /// The first and the last value of the loop's variable; `None` if there is no iteration.
    pub(super) fn range(
        &self,
        inner: &ConcreteLoop,
        point: &IterationPoint,
    ) -> Result<Option<(i128, i128)>, LocalityError> {
        let system = System::with_fixed(&inner.domain, point, |symbol| self.value_of(symbol))?;
        Ok(system.range(inner.variable))
    }

    /// Whether iterations differ: a constraint in the loop's body depends on the loop variable and is not a bound of this loop.
    fn body_depends_on(&self, inner: &ConcreteLoop, point: &IterationPoint) -> bool {
        let mut depends = false;
        super::footprint::collect(&inner.body, &mut |touch| {
            let constraints = touch.domain.constraints.iter();
            let mut below = constraints.filter(|form| form.factor(inner.variable) != 0);
            depends |= below.any(|form| {
                let open = form.terms().filter(|(symbol, _)| !point.contains_key(symbol)).count();
                open > 1 || !inner.domain.constraints.contains(form)
            });
        });
        depends
    }
}

/// The point with the index of one more loop.
pub(super) fn with_index(point: &IterationPoint, inner: &ConcreteLoop, value: i128) -> IterationPoint {
    let mut point = point.clone();
    point.insert(inner.variable, value);
    point
}

/// An index in the middle part of a range. Loops at different depths get different indices, because `A[i]` and `A[j]` are
/// nearly always different elements.
pub(super) fn typical_index((low, high): (i128, i128), depth: usize) -> i128 {
    const PARTS: [i128; 6] = [382, 618, 451, 549, 308, 692];
    low + (high - low) * PARTS[depth % PARTS.len()] / 1000
}
