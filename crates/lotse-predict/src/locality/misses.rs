//! Misses of one cache.
//!
//! For a loop, every class has three sums over the iterations x: F(x), the lines of one iteration; cost(x), the misses of
//! one iteration that starts with nothing; and s(x), the share of lines that survive one iteration. The lines of the whole
//! loop are fewer than the sum of F(x), because iterations share them; their ratio is the share of new lines. So
//!
//! ```text
//! cost(loop) = new * sum of s(x) F(x)  +  sum of (1 - s(x)) cost(x)        new = F(loop) / sum of F(x)
//! ```
//!
//! which is F(loop) where everything survives and the sum of the costs where nothing does. A sequence of items has F of the
//! union and the sum of the items' costs in their places. Lines that several classes of an array touch count once. With a warm cache, what survives the whole function is not missed
//! at its beginning.

use std::collections::BTreeMap;

use super::LocalityError;
use super::classes::{ClassId, Classes};
use super::footprint::{Footprint, Point, View};
use super::integrate;
use super::occupancy::survival;
use super::scattered::{ScatteredMisses, scattered_misses};
use crate::concrete::{ConcreteLoop, Instance, Item, System};
use crate::machine::Cache;
use crate::nest::Place;

/// What is in the cache before the function starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Nothing.
    Cold,
    /// What a previous call with the same data left there.
    Warm,
}

/// Lines that one cache had to fetch.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheMisses {
    /// All of them.
    pub total: f64,
    /// For each class.
    pub classes: Vec<f64>,
    /// Bounds for classes whose elements are selected by data; the number in `classes` is the upper one where nothing shows
    /// which elements can be selected.
    pub ranges: BTreeMap<ClassId, ScatteredMisses>,
    /// Whether there may be fewer: a subscript or a condition depends on data, or a loop may end early. Parts that were
    /// refused are not in the total at all; `Instance::refusals` names them.
    pub upper_bound: bool,
}

/// The misses of a whole function.
pub fn cache_misses(
    instance: &Instance<'_>,
    classes: &Classes,
    cache: &Cache,
    start: Start,
) -> Result<CacheMisses, LocalityError> {
    let mut found = walked(View { instance, classes, line: cache.line, regular_only: false }, cache, start)?;
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

/// The misses if elements that data select need no place in the cache at all: a lower bound.
pub fn least_misses(
    instance: &Instance<'_>,
    classes: &Classes,
    cache: &Cache,
    start: Start,
) -> Result<CacheMisses, LocalityError> {
    walked(View { instance, classes, line: cache.line, regular_only: true }, cache, start)
}

fn walked(view: View<'_>, cache: &Cache, start: Start) -> Result<CacheMisses, LocalityError> {
    let (instance, classes) = (view.instance, view.classes);
    let walk = Walk { view, cache };
    let mut misses = walk.items(&instance.body, &Point::new())?;
    if start == Start::Warm {
        let footprint = walk.view.footprint(&instance.body, &Point::new())?;
        for (class, share) in walk.carried(&instance.body, &footprint, &Point::new())? {
            misses[class.0] *= 1.0 - share;
        }
    }
    let upper_bound = may_do_less(&instance.body) || classes.iter().any(|(_, class)| !class.regular);
    let total = misses.iter().sum();
    Ok(CacheMisses { total, classes: misses, ranges: BTreeMap::new(), upper_bound })
}

/// Whether a loop may end early or a condition depends on data.
fn may_do_less(items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::Loop(inner) => inner.at_most || may_do_less(&inner.body),
        Item::Statement(statement) => statement.at_most,
    })
}

/// The footprint of one execution of every loop, in the order of the source. Loops outside stand at a typical index.
pub fn loop_footprints(
    instance: &Instance<'_>,
    classes: &Classes,
    line: u64,
) -> Result<Vec<(Place, Footprint)>, LocalityError> {
    let view = View { instance, classes, line, regular_only: false };
    let mut found = Vec::new();
    visit(&view, &instance.body, &Point::new(), &mut found)?;
    Ok(found)
}

fn visit(
    view: &View<'_>,
    items: &[Item],
    point: &Point,
    found: &mut Vec<(Place, Footprint)>,
) -> Result<(), LocalityError> {
    for item in items {
        if let Item::Loop(inner) = item {
            found.push((inner.place, view.footprint(std::slice::from_ref(item), point)?));
            if let Some(range) = view.range(inner, point)? {
                visit(view, &inner.body, &with(point, inner, typical(range, point.len())), found)?;
            }
        }
    }
    Ok(())
}

type Shares = BTreeMap<ClassId, f64>;

struct Walk<'a> {
    view: View<'a>,
    cache: &'a Cache,
}

impl Walk<'_> {
    fn classes(&self) -> usize {
        self.view.classes.len()
    }

    /// Misses of each class for items one after the other.
    fn items(&self, items: &[Item], point: &Point) -> Result<Vec<f64>, LocalityError> {
        if let [single] = items {
            return self.item(single, point);
        }
        let footprint = self.view.footprint(items, point)?;
        let shares = survival(&footprint, self.view.classes, self.cache);
        if shares.values().all(|share| *share == 1.0) {
            return Ok(self.lines(&footprint));
        }
        let mut total = vec![0.0; self.classes()];
        for item in items {
            total.iter_mut().zip(self.item(item, point)?).for_each(|(sum, cost)| *sum += cost);
        }
        for (class, share) in shares {
            // Never more than if nothing had survived.
            let together = footprint.lines_of(class).min(total[class.0]);
            total[class.0] = share * together + (1.0 - share) * total[class.0];
        }
        Ok(total)
    }

    fn lines(&self, footprint: &Footprint) -> Vec<f64> {
        (0..self.classes()).map(|class| footprint.lines_of(ClassId(class))).collect()
    }

    fn item(&self, item: &Item, point: &Point) -> Result<Vec<f64>, LocalityError> {
        match item {
            Item::Loop(inner) => self.cost_of_loop(item, inner, point),
            Item::Statement(_) => Ok(self.lines(&self.view.footprint(std::slice::from_ref(item), point)?)),
        }
    }

    fn cost_of_loop(
        &self,
        item: &Item,
        inner: &ConcreteLoop,
        point: &Point,
    ) -> Result<Vec<f64>, LocalityError> {
        let Some((low, high)) = self.view.range(inner, point)? else {
            return Ok(vec![0.0; self.classes()]);
        };
        let mut iteration = |x: i128| self.iteration(inner, &with(point, inner, x));
        let sums = if self.view.body_depends_on(inner, point) {
            integrate::sum((low, high), &mut iteration)?
        } else {
            let trips = (high - low + 1) as f64;
            let typical = iteration(typical((low, high), point.len()))?;
            typical.into_iter().map(|value| value * trips).collect()
        };
        let whole = self.view.footprint(std::slice::from_ref(item), point)?;
        let (lines, rest) = sums.split_at(self.classes());
        let (surviving, missed) = rest.split_at(self.classes());
        let cost = |class: usize| {
            let new =
                if lines[class] > 0.0 { whole.raw_lines_of(ClassId(class)) / lines[class] } else { 1.0 };
            new.min(1.0) * surviving[class] * self.union_share(&whole, ClassId(class)) + missed[class]
        };
        Ok((0..self.classes()).map(cost).collect())
    }

    /// Lines of an array divided by the sum of the lines of its classes, some of which touch the same ones.
    fn union_share(&self, footprint: &Footprint, class: ClassId) -> f64 {
        let mates = self.view.classes.mates(class);
        let (union, sum) = mates.fold((0.0, 0.0), |(union, sum), mate| {
            (union + footprint.lines_of(mate), sum + footprint.raw_lines_of(mate))
        });
        if sum > 0.0 { union / sum } else { 1.0 }
    }

    /// The share of each class's lines that are still there when the items are executed again.
    ///
    /// A class that touches the same lines in every iteration of an inner loop was last touched in its last iteration, so
    /// only one iteration lies between that and the first one of the next execution.
    fn carried(&self, items: &[Item], footprint: &Footprint, point: &Point) -> Result<Shares, LocalityError> {
        let mut shares = survival(footprint, self.view.classes, self.cache);
        let [Item::Loop(inner)] = items else { return Ok(shares) };
        if shares.values().all(|share| *share == 1.0) {
            return Ok(shares);
        }
        let Some(range) = self.view.range(inner, point)? else { return Ok(shares) };
        let point = with(point, inner, typical(range, point.len()));
        let body = self.view.footprint(&inner.body, &point)?;
        let nearer = self.carried(&inner.body, &body, &point)?;
        for (class, share) in &mut shares {
            let moves =
                self.view.classes.get(*class).factors.iter().any(|(symbol, _)| *symbol == inner.variable);
            if !moves && body.raw_lines_of(*class) >= 0.99 * footprint.raw_lines_of(*class) {
                *share = share.max(nearer.get(class).copied().unwrap_or(0.0));
            }
        }
        Ok(shares)
    }

    /// F, s F and (1 - s) cost of one iteration for each class, one list after the other.
    fn iteration(&self, inner: &ConcreteLoop, point: &Point) -> Result<Vec<f64>, LocalityError> {
        let footprint = self.view.footprint(&inner.body, point)?;
        let shares = self.carried(&inner.body, &footprint, point)?;
        let lines: Vec<f64> =
            (0..self.classes()).map(|class| footprint.raw_lines_of(ClassId(class))).collect();
        let share = |class: usize| shares.get(&ClassId(class)).copied().unwrap_or(1.0);
        let cost = match shares.values().all(|share| *share == 1.0) {
            true => self.lines(&footprint),
            false => self.items(&inner.body, point)?,
        };
        let surviving: Vec<f64> = (0..lines.len()).map(|class| share(class) * lines[class]).collect();
        let missed: Vec<f64> = (0..lines.len()).map(|class| (1.0 - share(class)) * cost[class]).collect();
        Ok([lines, surviving, missed].concat())
    }
}

impl View<'_> {
    /// The first and the last value of the loop's variable; `None` if there is no iteration.
    pub(super) fn range(
        &self,
        inner: &ConcreteLoop,
        point: &Point,
    ) -> Result<Option<(i128, i128)>, LocalityError> {
        let system = System::at(&inner.domain, point, |symbol| self.value_of(symbol))?;
        Ok(system.range(inner.variable))
    }

    /// Whether iterations differ: a constraint below the loop has its variable and is not its own bound.
    fn body_depends_on(&self, inner: &ConcreteLoop, point: &Point) -> bool {
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

pub(super) fn with(point: &Point, inner: &ConcreteLoop, value: i128) -> Point {
    let mut point = point.clone();
    point.insert(inner.variable, value);
    point
}

/// An index in the middle part of a range. Loops at different depths get different ones, for `A[i]` and `A[j]` are
/// different elements nearly always.
pub(super) fn typical((low, high): (i128, i128), depth: usize) -> i128 {
    const PARTS: [i128; 6] = [382, 618, 451, 549, 308, 692];
    low + (high - low) * PARTS[depth % PARTS.len()] / 1000
}
