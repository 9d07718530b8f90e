//! Finds the loops of a function in its machine code, and what they carry in registers.

use lotse_formats::history::StoredFlow;
use lotse_symbols::graph::{NaturalLoop, natural_loops};
use lotse_symbols::{Effect, Operation};

use super::{OperationGraph, shared};

/// Functions with more operations are not analysed.
const MOST_OPERATIONS: usize = 20_000;

/// The machine code of a function.
pub(in crate::code) struct MachineCode<'a> {
    pub(in crate::code) operations: &'a [Operation],
    /// Whether a call target is a function of the recorder, which does not use the program's variables.
    pub(in crate::code) is_recorder: &'a dyn Fn(u64) -> bool,
}

impl MachineCode<'_> {
    /// Separates loops that share a header, and adds what each loop carries (by header) and where its iterations begin.
    pub(in crate::code) fn with_carried(&self, flow: StoredFlow) -> StoredFlow {
        if self.operations.len() > MOST_OPERATIONS || !has_frame_pointer(self.operations) {
            return flow;
        }
        let flow = shared::split_shared_headers(self, flow);
        let Some((graph, loops)) = self.graph(&flow) else { return flow };
        let (mut carried, mut borders) = (Vec::new(), Vec::new());
        for natural in &loops {
            let Some((found, border)) = graph.best_cut(natural) else { continue };
            carried.push((natural.header, found));
            borders.extend((border != natural.header).then_some((natural.header, border)));
        }
        StoredFlow { carried, borders, ..flow }
    }

    /// The control-flow graph and its natural loops; `None` if the function's entry is not the start of a block.
    pub(super) fn graph(&self, flow: &StoredFlow) -> Option<(OperationGraph<'_>, Vec<NaturalLoop>)> {
        let position = |address: u64| self.operations.partition_point(|it| it.address < address);
        let ends = flow.blocks.iter().skip(1).map(|(next, _)| position(*next));
        let ends = ends.chain([self.operations.len()]);
        let starts = flow.blocks.iter().map(|(start, _)| position(*start));
        let graph = OperationGraph {
            blocks: starts.zip(ends).map(|(start, end)| &self.operations[start..end]).collect(),
            successors: flow.blocks.iter().map(|(_, next)| next.clone()).collect(),
            is_recorder: self.is_recorder,
        };
        let entry = flow.blocks.binary_search_by_key(&flow.function, |(start, _)| *start).ok()?;
        let loops = natural_loops(&graph.successors, u32::try_from(entry).ok()?);
        Some((graph, loops))
    }
}

/// Whether the frame-pointer register always points to the frame: each write to it either sets it from the stack pointer or
/// restores it. Programs are recorded with frame pointers.
fn has_frame_pointer(operations: &[Operation]) -> bool {
    let is_set = |operation: &Operation| match &operation.effect {
        Effect::Sum { to, terms, .. } => {
            to.is_frame() && matches!(terms.as_slice(), [(from, 1)] if from.is_stack())
        }
        _ => false,
    };
    let writes = |operation: &Operation| operation.writes.iter().any(|register| register.is_frame());
    let changes = operations.iter().filter(|operation| writes(operation)).count();
    let restored = operations.iter().filter(|operation| writes(operation) && restores(operation)).count();
    let set = operations.iter().filter(|operation| is_set(operation)).count();
    changes == set + restored
}

/// Whether an operation restores registers from the stack: `pop`, `leave`.
fn restores(operation: &Operation) -> bool {
    operation.writes.iter().any(|register| register.is_stack()) && operation.load.is_some()
}
