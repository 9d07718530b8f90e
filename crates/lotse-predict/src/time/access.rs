//! The memory accesses of one loop body, and which of them may overlap.

use std::collections::BTreeSet;

use crate::algebra::Overflow;
use crate::concrete::{ConcreteStatement, Domain, Instance, Linear, System, Touch};
use crate::nest::{Access, ArrayId, Symbol};

/// One memory access of a loop body.
#[derive(Debug, Clone)]
pub(super) struct BodyAccess {
    /// Position of its statement in the body.
    pub(super) statement: usize,
    /// Position of its reference in the statement.
    pub(super) reference: usize,
    pub(super) array: ArrayId,
    pub(super) access: Access,
    pub(super) width: i128,
    /// `None` if the address depends on data.
    pub(super) address: Option<Linear>,
    /// If the address depends on data: accesses of one statement with the same number access the same element.
    pub(super) element: Option<usize>,
    domain: Domain,
    /// Other accesses, by statement and reference, that overlap with no iteration of this one.
    independent_of: BTreeSet<(usize, usize)>,
    /// Bytes by which the address moves with each iteration; 0 if the address depends on data.
    pub(super) stride: i128,
}

/// The relation between the addresses of two accesses in the same iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Always the same address.
    Same,
    /// The second address is this many bytes after the first, in every iteration. Never 0.
    Distance(i128),
    /// They may or may not overlap.
    Unknown,
    /// They never overlap.
    Disjoint,
}

/// Upper limit on the pairs of one body that are compared, to bound the analysis time.
const MOST_COMPARED: usize = 12;

/// All accesses of the statements, in order.
pub(super) fn accesses(
    statements: &[(&ConcreteStatement, f64)],
    variable: Option<Symbol>,
) -> Vec<BodyAccess> {
    let mut found = Vec::new();
    for (position, (statement, _)) in statements.iter().enumerate() {
        let mut done = None;
        for touch in &statement.touches {
            // The cases of one reference are consecutive; one of them is enough.
            if done != Some(touch.reference) {
                done = Some(touch.reference);
                found.push(BodyAccess::new(position, touch, variable));
            }
        }
    }
    found
}

/// Finds pairs of accesses to one array that never overlap, such as `a[i][k]` and `a[i][j]` with j > k. Pairs with equal strides
/// are left out, because compilers compare their ranges before the loop.
pub(super) fn find_independent(accesses: &mut [BodyAccess], instance: &Instance<'_>, outer: &[Symbol]) {
    let mut left = MOST_COMPARED;
    for first in 0..accesses.len() {
        for second in first + 1..accesses.len() {
            let (a, b) = (&accesses[first], &accesses[second]);
            let related = a.array == b.array && a.stride != b.stride && (a.is_store() || b.is_store());
            if left == 0 || !related || a.relation(b, instance) != Relation::Unknown {
                continue;
            }
            left -= 1;
            if a.never_overlaps(b, instance, outer) == Ok(true) {
                let (a, b) = ((a.statement, a.reference), (b.statement, b.reference));
                accesses[first].independent_of.insert(b);
                accesses[second].independent_of.insert(a);
            }
        }
    }
}

impl BodyAccess {
    /// Whether the two accesses never overlap, in any two iterations of the inner loops, for a fixed iteration of the outer loops:
    /// the system of both domains and of overlapping address ranges has no solution.
    fn never_overlaps(
        &self,
        other: &Self,
        instance: &Instance<'_>,
        outer: &[Symbol],
    ) -> Result<bool, Overflow> {
        let (Some(own), Some(others)) = (&self.address, &other.address) else { return Ok(false) };
        // The other access is in another iteration, so its inner loop variables are renamed.
        let inner = other.domain.variables.iter().filter(|symbol| !outer.contains(symbol));
        let renamed: Vec<(Symbol, Linear)> = inner
            .zip(instance.free.and_following())
            .map(|(old, new)| (*old, Linear::variable(new)))
            .collect();
        let rename = |form: &Linear| {
            renamed.iter().try_fold(form.clone(), |form, (old, new)| form.substitute(*old, new))
        };
        let value_of = |symbol: Symbol| instance.values.get(symbol).map_or(0, i128::from);
        let mut system = System::new(&self.domain, value_of)?;
        for form in &other.domain.constraints {
            system.require(&rename(form)?, value_of)?;
        }
        let distance = rename(others)?.sub(own)?;
        system.require(&distance.plus(other.width - 1)?, value_of)?;
        system.require(&distance.scale(-1)?.plus(self.width - 1)?, value_of)?;
        Ok(system.is_empty())
    }

    fn new(statement: usize, touch: &Touch, variable: Option<Symbol>) -> Self {
        let stride = match (&touch.address, variable) {
            (Some(address), Some(variable)) => address.factor(variable),
            _ => 0,
        };
        Self {
            statement,
            reference: touch.reference,
            array: touch.array,
            access: touch.access,
            width: i128::from(touch.width_bytes),
            address: touch.address.clone(),
            domain: touch.domain.clone(),
            independent_of: BTreeSet::new(),
            element: touch.scattered.as_ref().map(|scattered| scattered.element),
            stride,
        }
    }

    pub(super) fn is_store(&self) -> bool {
        self.access == Access::Store
    }

    /// Whether [`find_independent`] has found that the two accesses never overlap. Compilers use this in their dependence analysis
    /// for vectorisation, not when they keep values in registers.
    pub(super) fn is_independent_of(&self, other: &Self) -> bool {
        self.independent_of.contains(&(other.statement, other.reference))
    }

    /// Whether the address is the same in every iteration.
    pub(super) fn is_loop_invariant(&self) -> bool {
        self.address.is_some() && self.stride == 0
    }

    /// Whether the compiler knows the distance between two accesses to an array: it depends on no value that is only known at run
    /// time.
    pub(super) fn has_known_distance_to(&self, other: &Self, instance: &Instance<'_>) -> bool {
        let (Some(own), Some(others)) = (&self.address, &other.address) else { return false };
        let is_known = |symbol| instance.function.defaults.iter().any(|(known, _)| *known == symbol);
        others.sub(own).is_ok_and(|distance| distance.rest.symbols().into_iter().all(is_known))
    }

    /// How the address of another access in the same iteration relates to this one.
    pub(super) fn relation(&self, other: &Self, instance: &Instance<'_>) -> Relation {
        if self.array != other.array {
            let arrays = &instance.function.arrays;
            let alone =
                [self.array, other.array].iter().any(|id| arrays.get(id.0).is_none_or(|a| a.unaliased));
            // Objects of different types do not alias in C and Rust (strict aliasing); the width stands for the type.
            return match alone || self.width != other.width {
                true => Relation::Disjoint,
                false => Relation::Unknown,
            };
        }
        let (Some(own), Some(others)) = (&self.address, &other.address) else { return Relation::Unknown };
        let Ok(distance) = others.sub(own) else { return Relation::Unknown };
        if distance.has_variables() {
            return Relation::Unknown;
        }
        let value_of = |symbol| instance.values.get(symbol).map_or(0, i128::from);
        match distance.rest.evaluate(value_of).ok().and_then(|value| value.to_integer()) {
            Some(0) => Relation::Same,
            Some(bytes) => Relation::Distance(bytes),
            None => Relation::Unknown,
        }
    }
}
