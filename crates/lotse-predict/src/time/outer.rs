//! Outer-loop vectorisation: gcc executes several iterations of the enclosing loop at once, each with its own dependence chain.
//!
//! ```text
//! for j { for k { c[i][j] += a[i][k] * b[k][j]; } }      two columns j at once: b and c move by one element with j,
//!                                                        a is invariant; every column has a sum of its own
//! ```
//!
//! Observed in the code of gcc 12 -O2 for this nest. LLVM does not do it by default.

use super::body::{Body, Work};
use super::compiler::Compiler;
use super::tree::LoopRow;
use super::vector::{Trips, alias_reason, operation_reason, trip_reason, vector_lanes};
use crate::concrete::{ConcreteNode, Instance, Touch};
use crate::nest::{Access, Symbol};

/// The number of iterations of `outer` that one instruction executes, if the compiler vectorises that loop instead of `inner`.
pub(super) fn outer_lanes(
    compiler: Compiler,
    instance: &Instance<'_>,
    (outer, inner): (&LoopRow<'_>, &LoopRow<'_>),
    body: &Body,
) -> Option<f64> {
    let count = vector_lanes(body);
    let variable = outer.source.variable;
    let alone = outer.source.body.iter().filter(|node| matches!(node, ConcreteNode::Loop(_))).count() == 1;
    let trips = outer.trips(instance);
    // The inner loop must have the same number of iterations for every lane.
    let rectangular = inner
        .source
        .domain
        .constraints
        .iter()
        .all(|form| form.factor(variable) == 0 || form.factor(inner.source.variable) == 0);
    let possible = compiler != Compiler::RustcO
        && count >= 2.0
        && alone
        && rectangular
        && inner_is_known(compiler, inner.trips(instance))
        && moves_together(body, variable)
        && sums_are_per_lane(outer, body, variable)
        && operation_reason(compiler, body).is_none()
        && alias_reason(compiler, instance, body).is_none()
        && trip_reason(compiler, trips, count).is_none();
    possible.then_some(count)
}

/// Whether the compiler knows the trip count of the inner loop, or adds run-time checks.
fn inner_is_known(compiler: Compiler, trips: Trips) -> bool {
    compiler.checks_at_run_time() || trips.known_at_compile_time
}

/// Whether every access has unit stride along the outer loop or is a load that is invariant in it.
fn moves_together(body: &Body, variable: Symbol) -> bool {
    let through_memory = body.carried.iter().any(|carried| carried.through_memory);
    let together = body.accesses.iter().all(|access| {
        let factor = access.address.as_ref().map(|address| address.factor(variable));
        factor == Some(access.width) || (factor == Some(0) && !access.is_store())
    });
    let whole = body.nodes.iter().all(|node| node.weight >= 0.999 || node.work == Work::Register);
    let moving = body.accesses.iter().any(|access| {
        access.address.as_ref().is_some_and(|address| address.factor(variable) == access.width)
    });
    !through_memory && together && whole && moving
}

/// Whether each lane can have its own sums: every sum starts anew in each iteration of the outer loop, and stores of sums have unit
/// stride along it.
fn sums_are_per_lane(outer: &LoopRow<'_>, body: &Body, variable: Symbol) -> bool {
    let statements = || outer.statements.iter().map(|(statement, _)| statement);
    let begins = |name: &String| {
        statements().any(|statement| statement.source.assigned.iter().any(|(assigned, _)| assigned == name))
    };
    let carried = body.carried.iter().filter_map(|carried| carried.scalar.as_ref());
    let stored =
        statements().flat_map(|statement| &statement.touches).filter(|touch| touch.access == Access::Store);
    let moves = |touch: &Touch| {
        touch
            .address
            .as_ref()
            .is_some_and(|address| address.factor(variable) == i128::from(touch.width_bytes))
    };
    carried.into_iter().all(begins) && stored.into_iter().all(moves)
}
