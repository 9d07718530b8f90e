//! The accesses of one loop body and which of them may touch the same memory.

use std::collections::BTreeSet;

use crate::algebra::Overflow;
use crate::concrete::{ConcreteStatement, Domain, Instance, Linear, System, Touch};
use crate::nest::{Access, ArrayId, Symbol};

/// One access of a body.
#[derive(Debug, Clone)]
pub(super) struct BodyAccess {
    /// Position of its statement in the body.
    pub(super) statement: usize,
    /// Position of its reference in the statement.
    pub(super) reference: usize,
    pub(super) array: ArrayId,
    pub(super) access: Access,
    pub(super) width: i128,
    /// `None` where the address depends on data.
    pub(super) address: Option<Linear>,
    /// Where data select the element: accesses of one statement with the same number touch the same one.
    pub(super) element: Option<usize>,
    /// When it is made.
    domain: Domain,
    /// Other accesses, by statement and reference, that touch no byte of it in any iteration of the loop.
    apart: BTreeSet<(usize, usize)>,
    /// Bytes between iterations of the loop; 0 where the address depends on data.
    pub(super) stride: i128,
}

/// How the addresses of two accesses of one iteration relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Always the same address.
    Same,
    /// The second is so many bytes after the first; 0 is `Same`.
    Apart(i128),
    /// They may or may not overlap.
    Unknown,
    /// They never overlap.
    Disjoint,
}

/// Pairs of one body that are compared; more would take longer than they are worth.
const MOST_COMPARED: usize = 12;

/// All accesses of statements, in their order.
pub(super) fn accesses(
    statements: &[(&ConcreteStatement, f64)],
    variable: Option<Symbol>,
) -> Vec<BodyAccess> {
    let mut found = Vec::new();
    for (position, (statement, _)) in statements.iter().enumerate() {
        let mut done = None;
        for touch in &statement.touches {
            // The cases of one reference follow each other.
            if done != Some(touch.reference) {
                done = Some(touch.reference);
                found.push(BodyAccess::new(position, touch, variable));
            }
        }
    }
    found
}

/// Finds pairs of one array that never touch the same bytes: `a[i][k]` and `a[i][j]` where j > k. Those that move alike are left
/// out, because compilers compare their ranges before the loop.
pub(super) fn compare(accesses: &mut [BodyAccess], instance: &Instance<'_>, outer: &[Symbol]) {
    let mut left = MOST_COMPARED;
    for first in 0..accesses.len() {
        for second in first + 1..accesses.len() {
            let (a, b) = (&accesses[first], &accesses[second]);
            let related = a.array == b.array && a.stride != b.stride && (a.is_store() || b.is_store());
            if left == 0 || !related || a.relation(b, instance) != Relation::Unknown {
                continue;
            }
            left -= 1;
            if a.never_meets(b, instance, outer) == Ok(true) {
                let (a, b) = ((a.statement, a.reference), (b.statement, b.reference));
                accesses[first].apart.insert(b);
                accesses[second].apart.insert(a);
            }
        }
    }
}

impl BodyAccess {
    /// Whether no iteration of the loop touches a byte that another iteration touches by the other access, while the
    /// loops outside stand still.
    fn never_meets(&self, other: &Self, instance: &Instance<'_>, outer: &[Symbol]) -> Result<bool, Overflow> {
        let (Some(own), Some(others)) = (&self.address, &other.address) else { return Ok(false) };
        // The other access happens in another iteration: its inner variables get names of their own.
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
            apart: BTreeSet::new(),
            element: touch.scattered.as_ref().map(|scattered| scattered.element),
            stride,
        }
    }

    pub(super) fn is_store(&self) -> bool {
        self.access == Access::Store
    }

    /// Whether no iteration of the loop touches a byte that another one touches by the other access. Compilers see this when
    /// they look for dependences between iterations, not when they keep values in registers.
    pub(super) fn is_apart(&self, other: &Self) -> bool {
        self.apart.contains(&(other.statement, other.reference))
    }

    /// Whether every iteration touches the same address.
    pub(super) fn stands_still(&self) -> bool {
        self.address.is_some() && self.stride == 0
    }

    /// How another access of the same iteration relates to this one.
    /// Whether the compiler knows how far two elements of an array are apart: no value that is given at run time decides.
    pub(super) fn is_known_from(&self, other: &Self, instance: &Instance<'_>) -> bool {
        let (Some(own), Some(others)) = (&self.address, &other.address) else { return false };
        let is_known = |symbol| instance.function.defaults.iter().any(|(known, _)| *known == symbol);
        others.sub(own).is_ok_and(|distance| distance.rest.symbols().into_iter().all(is_known))
    }

    pub(super) fn relation(&self, other: &Self, instance: &Instance<'_>) -> Relation {
        if self.array != other.array {
            let arrays = &instance.function.arrays;
            let alone =
                [self.array, other.array].iter().any(|id| arrays.get(id.0).is_none_or(|a| a.unaliased));
            // Numbers of different types do not share memory in C or Rust; the width stands for the type.
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
            Some(bytes) => Relation::Apart(bytes),
            None => Relation::Unknown,
        }
    }
}
