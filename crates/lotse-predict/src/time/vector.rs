//! Whether the assumed compiler vectorises a loop, and if not, why.

use super::body::{Body, Work};
use super::chain::Chain;
use super::compiler::{Compiler, VECTOR_BYTES};
use crate::concrete::{ConcreteLoop, Instance};
use crate::nest::{Expr, Layout, NumberType, OperationKind};

/// The vectorisation of a loop.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lanes {
    /// Iterations that one instruction executes; 1 if the loop is not vectorised.
    pub(super) count: f64,
    /// Why it is not vectorised, as a phrase that could follow "because"; `None` if it is.
    pub(super) refused: Option<&'static str>,
    /// Whether the loop becomes a call of memset or memcpy.
    pub(super) library: bool,
    /// Whether the enclosing loop is vectorised, so that `count` refers to iterations of that loop.
    pub(super) outer: bool,
}

impl Lanes {
    /// A loop that is not vectorised.
    pub(super) fn scalar(reason: &'static str) -> Self {
        Self { count: 1.0, refused: Some(reason), library: false, outer: false }
    }
}

/// Number of elements of a vector: its size divided by the widest number of the body.
pub(super) fn vector_lanes(body: &Body) -> f64 {
    VECTOR_BYTES / widest(body)
}

/// The trip count of a loop, and whether the compiler knows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trips {
    /// Average number of iterations of one execution.
    pub(super) average: f64,
    pub(super) known_at_compile_time: bool,
}

/// The vectorisation of an innermost loop. The first reason against it, in the order memory accesses, operations, dependence chain
/// and trip count, prevents it.
pub(super) fn lanes(
    compiler: Compiler,
    instance: &Instance<'_>,
    (source, body): (&ConcreteLoop, &Body),
    chain: Option<&Chain>,
    trips: Trips,
) -> Lanes {
    if is_block_move(body) {
        return Lanes { count: 2.0 * vector_lanes(body), refused: None, library: true, outer: false };
    }
    let count = vector_lanes(body);
    let reason = memory_reason(compiler, instance, source, body)
        .or_else(|| operation_reason(compiler, body))
        .or_else(|| chain_reason(chain, count))
        .or_else(|| trip_reason(compiler, trips, count));
    match reason {
        Some(reason) => Lanes::scalar(reason),
        None if count < 2.0 => Lanes::scalar("its numbers fill a vector"),
        None => Lanes { count, refused: None, library: false, outer: false },
    }
}

/// Whether the loop only copies or fills contiguous elements, so that compilers replace it by memcpy or memset.
fn is_block_move(body: &Body) -> bool {
    let computes = body.nodes.iter().any(|node| matches!(node.work, Work::Compute(..)));
    let unit = body.accesses.iter().all(|access| access.address.is_some() && access.stride == access.width);
    let stores = body.accesses.iter().filter(|access| access.is_store()).count();
    let whole = body.nodes.iter().all(|node| node.weight >= 0.999 || node.work == Work::Register);
    let zero = body.nodes.iter().all(|node| !matches!(node.work, Work::Store(_)) || node.inputs.len() <= 1);
    !computes && unit && whole && zero && stores == 1 && body.accesses.len() <= 2 && body.carried.is_empty()
}

/// Bytes of the widest number in the body.
pub(super) fn widest(body: &Body) -> f64 {
    let widths = body.accesses.iter().map(|access| access.width as f64);
    let numbers = body.nodes.iter().filter_map(|node| match &node.work {
        Work::Compute(_, NumberType::F64) => Some(8.0),
        Work::Compute(_, NumberType::F32) => Some(4.0),
        Work::Compute(_, NumberType::Integer(bytes)) => Some(f64::from(*bytes)),
        _ => None,
    });
    widths.chain(numbers).fold(1.0, f64::max)
}

/// Why memory accesses prevent vectorisation: data-dependent addresses, conditional accesses, strides, bounds checks or aliasing.
fn memory_reason(
    compiler: Compiler,
    instance: &Instance<'_>,
    source: &ConcreteLoop,
    body: &Body,
) -> Option<&'static str> {
    let touched = body.nodes.iter().filter_map(|node| match node.work {
        Work::Load(index) | Work::Store(index) => Some((&body.accesses[index], node.weight)),
        _ => None,
    });
    for (access, weight) in touched {
        if access.address.is_none() {
            return Some("an address depends on data");
        }
        if weight < 0.999 {
            return Some("a condition decides about an access");
        }
        if access.stride.abs() != access.width && (access.stride != 0 || access.is_store()) {
            return Some("its accesses are not next to each other");
        }
        if compiler.checks_bounds() && !is_within(instance, source, access.array.0) {
            return Some("every access is checked against the bounds of its slice");
        }
    }
    alias_reason(compiler, instance, body)
}

/// Why possible aliasing prevents vectorisation.
pub(super) fn alias_reason(compiler: Compiler, instance: &Instance<'_>, body: &Body) -> Option<&'static str> {
    may_overlap(compiler, instance, body)
        .then_some("a store may change what another access of the loop reads")
}

/// Whether a store may overlap another access, as far as the compiler knows. A run-time check compares the ranges of two arrays
/// before the loop. Within one array such a check helps only if both accesses have the same stride or never overlap.
fn may_overlap(compiler: Compiler, instance: &Instance<'_>, body: &Body) -> bool {
    use super::access::Relation::Unknown;
    let stores = body.accesses.iter().filter(|access| access.is_store());
    let mut pairs = stores.flat_map(|store| body.accesses.iter().map(move |other| (store, other)));
    pairs.any(|(store, other)| {
        let comparable =
            store.array != other.array || store.stride == other.stride || store.is_independent_of(other);
        let checked = compiler.checks_at_run_time() && comparable;
        store.relation(other, instance) == Unknown && !checked
    })
}

/// Whether the compiler knows that the loop stays within the array: its length is constant or bounds the loop.
pub(super) fn is_within(instance: &Instance<'_>, source: &ConcreteLoop, array: usize) -> bool {
    let Some(Layout::RowMajor { extents }) = instance.function.arrays.get(array).map(|array| &array.layout)
    else {
        return false;
    };
    let constant = |extent: &Option<Expr>| extent.as_ref().is_some_and(|it| it.to_constant().is_some());
    if extents.iter().all(constant) {
        return true;
    }
    let bounds = source.domain.constraints.iter().filter(|form| form.factor(source.variable) != 0);
    let mut symbols = bounds.flat_map(|form| form.rest.symbols());
    symbols.any(|symbol| extents.iter().flatten().any(|extent| extent.mentions(symbol)))
}

/// Why an operation prevents vectorisation.
pub(super) fn operation_reason(compiler: Compiler, body: &Body) -> Option<&'static str> {
    body.nodes.iter().find_map(|node| match &node.work {
        Work::Compute(OperationKind::Call(name), _) if super::chain::computes(name) => {
            Some("it calls a function")
        }
        Work::Compute(OperationKind::Divide | OperationKind::Remainder, NumberType::Integer(_)) => {
            Some("integers are divided one by one")
        }
        // C's sqrt sets errno for negative numbers, which is checked element by element.
        Work::Compute(OperationKind::SquareRoot, _) if compiler != Compiler::RustcO => {
            Some("square roots are checked for negative numbers one by one")
        }
        Work::Compute(OperationKind::Convert, _) => Some("it converts numbers of different widths"),
        _ => None,
    })
}

/// Why the dependence chain prevents vectorisation.
fn chain_reason(chain: Option<&Chain>, count: f64) -> Option<&'static str> {
    let chain = chain.filter(|chain| !chain.may_be_reordered() && (chain.carried.distance as f64) < count)?;
    match chain.is_reduction() {
        true if chain.is_of_floats() => Some("floating-point numbers must be added in order"),
        _ => Some("every iteration needs the result of the one before"),
    }
}

/// Why the trip count prevents vectorisation.
pub(super) fn trip_reason(compiler: Compiler, trips: Trips, count: f64) -> Option<&'static str> {
    if trips.average < count {
        return Some("it has fewer iterations than a vector has elements");
    }
    if compiler.checks_at_run_time() {
        return None;
    }
    let whole = trips.known_at_compile_time && (trips.average % count).abs() < 1e-9;
    (!whole).then_some("gcc -O2 vectorises only where it knows that no iterations are left over")
}
