//! Vectors across an outer loop: gcc does several iterations of the loop around at once, each with its own chain.
//!
//! ```text
//! for j { for k { c[i][j] += a[i][k] * b[k][j]; } }      two columns j at once: b and c move by one element with j,
//!                                                        a stands still; every column has a sum of its own
//! ```
//!
//! Seen in what gcc 12 makes of this nest with -O2. LLVM does not do it by itself.

use super::body::{Body, Work};
use super::compiler::Compiler;
use super::tree::Row;
use super::vector::{Trips, alias_reason, operation_reason, trip_reason, vector_lanes};
use crate::concrete::{Instance, Item, Touch};
use crate::nest::{Access, Symbol};

/// Iterations of the loop around `inner` that one instruction does, if the compiler vectorises that loop.
pub(super) fn outer_lanes(
    compiler: Compiler,
    instance: &Instance<'_>,
    (outer, inner): (&Row<'_>, &Row<'_>),
    body: &Body,
) -> Option<f64> {
    let count = vector_lanes(body);
    let variable = outer.source.variable;
    let alone = outer.source.body.iter().filter(|item| matches!(item, Item::Loop(_))).count() == 1;
    let trips = outer.trips(instance);
    // The inner loop must have as many iterations for every lane.
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

fn inner_is_known(compiler: Compiler, trips: Trips) -> bool {
    compiler.checks_at_run_time() || trips.compiled
}

/// Whether every access moves by one element with the outer loop, or is a load that stands still.
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

/// Whether every sum begins anew for each iteration of the outer loop, and what is stored of it moves with that loop: then
/// each lane has its own.
fn sums_are_per_lane(outer: &Row<'_>, body: &Body, variable: Symbol) -> bool {
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
