//! The longest loop-carried dependence chain: cycles that one iteration must wait for the previous one.
//!
//! ```text
//! s = s * x + a[i]        s of the previous iteration ──> multiply (4) ──> add (4) ──> s        8 cycles per iteration
//! a[i] = a[i-2] + b[i]    store forwarding (5) ──> add (4), over two iterations               4.5 cycles per iteration
//! ```

use super::body::{Body, BodyNode, CarriedValue, Work};
use crate::machine::Core;
use crate::nest::{NumberType, OperationKind};

/// The chain that limits a loop.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chain {
    /// Cycles per iteration.
    pub(super) cycles: f64,
    /// Operations on the chain.
    pub(super) operations: Vec<(OperationKind, NumberType)>,
    /// The loop-carried dependence that closes the chain.
    pub(super) carried: CarriedValue,
    /// Whether only the final value is used: no iteration stores the intermediate value or uses it in another computation.
    pub(super) only_last: bool,
    /// Loads on the chain, by position of the access in the body.
    pub(super) loads: Vec<usize>,
}

impl Chain {
    /// Whether a compiler may reorder the operations: a sum, product, minimum or the like of integers.
    pub(super) fn may_be_reordered(&self) -> bool {
        use OperationKind::{Add, Bits, Multiply, Select};
        let integer = |number: &NumberType| matches!(number, NumberType::Integer(_));
        self.only_last
            && self.carried.distance == 1
            && self.operations.len() == 1
            && self
                .operations
                .iter()
                .all(|(kind, number)| matches!(kind, Add | Multiply | Bits | Select) && integer(number))
    }

    /// Whether the chain has floating-point operations.
    pub(super) fn is_of_floats(&self) -> bool {
        self.operations.iter().any(|(_, number)| matches!(number, NumberType::F32 | NumberType::F64))
    }

    /// Whether the chain is a reduction: one or two additions, multiplications or selections per iteration.
    pub(super) fn is_reduction(&self) -> bool {
        use OperationKind::{Add, Multiply, Select};
        let simple = |kind: &OperationKind| matches!(kind, Add | Multiply | Select);
        self.only_last
            && self.carried.distance == 1
            && (1..=2).contains(&self.operations.len())
            && self.operations.iter().all(|(kind, _)| simple(kind))
    }
}

/// The longest chain of a body, if there is one.
pub(super) fn longest(body: &Body, core: &Core) -> Option<Chain> {
    let chains = body.carried.iter().filter_map(|carried| chain_through(body, carried, core));
    chains.max_by(|a, b| a.cycles.total_cmp(&b.cycles))
}

/// The chain of one loop-carried dependence: the longest path, by latency, from the node that receives the value to the node that
/// computes the value for a later iteration. Nodes are in topological order, so one pass over them finds the path.
fn chain_through(body: &Body, carried: &CarriedValue, core: &Core) -> Option<Chain> {
    let mut longest: Vec<Option<(f64, usize)>> = vec![None; body.nodes.len()];
    let start =
        if carried.through_memory { core.store_forward } else { latency(&body.nodes[carried.to].work, core) };
    longest[carried.to] = Some((start, carried.to));
    for index in carried.to + 1..=carried.from.max(carried.to) {
        let node = &body.nodes[index];
        let before = node.inputs.iter().filter_map(|input| Some((longest[*input]?.0, *input)));
        if let Some((cycles, input)) = before.max_by(|a, b| a.0.total_cmp(&b.0)) {
            let own = latency_after(&body.nodes[input].work, &node.work, core);
            longest[index] = Some((cycles + own, input));
        }
    }
    let (cycles, _) = longest[carried.from]?;
    let (mut operations, mut loads) = (Vec::new(), Vec::new());
    let mut at = carried.from;
    while let Some((_, before)) = longest[at] {
        match &body.nodes[at].work {
            Work::Compute(kind, number) => operations.push((kind.clone(), *number)),
            Work::Load(index) => loads.push(*index),
            Work::Register | Work::Store(_) => {}
        }
        if before == at {
            break;
        }
        at = before;
    }
    let cycles = cycles / carried.distance as f64;
    let needed = |node: &BodyNode| node.work != Work::Register && node.inputs.contains(&carried.from);
    let only_last = !body.nodes.iter().any(needed);
    (cycles > 0.0).then_some(Chain { cycles, operations, carried: carried.clone(), only_last, loads })
}

/// The latency of `work`, one of whose operands is the result of `before`.
fn latency_after(before: &Work, work: &Work, core: &Core) -> f64 {
    let adds =
        |work: &Work| matches!(work, Work::Compute(OperationKind::Add, NumberType::F32 | NumberType::F64));
    // A value in a register is the sum of the previous iteration, or was available long before.
    match adds(work) && !adds(before) && *before != Work::Register {
        true => core.fp_add_other,
        false => latency(work, core),
    }
}

/// The latency of a node: cycles from operands to result.
pub(super) fn latency(work: &Work, core: &Core) -> f64 {
    match work {
        Work::Register | Work::Store(_) => 0.0,
        Work::Load(_) => core.load,
        Work::Compute(kind, number) => operation_latency(kind, *number, core),
    }
}

/// The latency of an operation.
fn operation_latency(kind: &OperationKind, number: NumberType, core: &Core) -> f64 {
    use OperationKind::{Add, Bits, Call, Convert, Divide, Multiply, Remainder, Select, SquareRoot};
    let integer = matches!(number, NumberType::Integer(_));
    match (kind, integer) {
        (Add, false) => core.fp_add,
        (Add | Bits | Select, true) => core.integer,
        // Minimum, maximum, absolute value, change of sign.
        (Select, false) => core.fp_select,
        (Bits, false) => core.integer,
        (Multiply, false) => core.fp_multiply,
        (Multiply, true) => core.integer_multiply,
        (Divide | Remainder, true) => core.integer_divide,
        (Divide | Remainder, false) if number == NumberType::F32 => core.fp_divide32,
        (Divide | Remainder, false) => core.fp_divide64,
        (SquareRoot, _) => core.square_root,
        (Convert, _) => core.fp_select + core.integer,
        (Call(name), _) => call_cycles(name),
    }
}

/// Whether a call computes anything; accessors and conversions such as `len` do not.
pub(super) fn computes(name: &str) -> bool {
    !matches!(name, "len" | "is_empty" | "clone" | "to_owned" | "copied" | "into")
}

/// Cycles of a function of the mathematical library, accurate to a factor of about 1.5. Unknown functions count with 0 cycles, since
/// they may be inlined; answers list them as not analysed, and the predicted time is a lower bound.
pub(super) fn call_cycles(name: &str) -> f64 {
    match name.trim_end_matches('f') {
        "floor" | "ceil" | "round" | "trunc" | "rint" | "lround" | "signum" | "is_nan" => 8.0,
        "exp" | "exp2" | "log" | "ln" | "log2" | "recip" => 40.0,
        "sin" | "cos" | "log10" | "cbrt" | "hypot" => 50.0,
        "powi" => 15.0,
        "pow" | "powf" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "fmod"
        | "erf" | "lgamma" | "tgamma" | "expm1" | "log1p" => 80.0,
        _ => 0.0,
    }
}
