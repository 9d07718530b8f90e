//! The names of an executable that are stored in a history: collected when recording ends, and used afterwards instead of the
//! executable.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use lotse_formats::history::{StoredFlow, StoredNames, TailPath};
use lotse_symbols::{BasicBlock, Binary, InlineFrame, Operation, blocks};

use super::carried::MachineCode;
use super::flow::LoopFlow;
use super::tails::TailCalls;
use crate::frame_table::FrameTable;

/// Prefix of the recorder functions that the compiler inserts calls to.
const RECORDER: &str = "__sanitizer_cov_";

/// Collects the names that decoding needs: frames of the given places, and blocks and lines of the functions around them.
/// `names` says which file it is.
pub(crate) fn names_to_store(
    binary: &Binary<'_>,
    places: &BTreeSet<u64>,
    mut names: StoredNames,
) -> StoredNames {
    let function = |place: u64| binary.function_at(place.saturating_sub(1)).map(|found| found.range().start);
    let used: BTreeSet<u64> = places.iter().filter_map(|&place| function(place)).collect();
    let flows = flows(binary).into_values().filter(|flow| used.contains(&flow.function));
    names.flow = flows.map(|flow| with_carried(binary, flow)).collect();
    let borders = names.flow.iter().filter_map(LoopFlow::new).flat_map(|flow| flow.all_border_places());
    names.tails = tails(binary, places, &used);
    let jumps = names.tails.iter().flat_map(|(_, paths)| paths).flat_map(|(_, jumps)| jumps).copied();
    let places: BTreeSet<u64> = places.iter().copied().chain(borders).chain(jumps).collect();
    let mut table = FrameTable::default();
    for &place in &places {
        // Places are return addresses: the call is the instruction before.
        let address = place.saturating_sub(1);
        let frames = binary.resolve(address).frames.into_iter().map(|frame| table.number(frame)).collect();
        names.places.push((place, function(place).unwrap_or(0), frames));
    }
    for flow in &mut names.flow {
        for (block, frames) in code_lines(binary, flow) {
            flow.lines.push((block, frames.into_iter().map(|frame| table.number(frame)).collect()));
        }
    }
    (names.texts, names.frames) = table.into_parts();
    names.sizes = sorted_sizes(binary);
    names
}

/// The functions that are missing in call stacks, by return address; of those that can run there only the `used` ones.
fn tails(binary: &Binary<'_>, places: &BTreeSet<u64>, used: &BTreeSet<u64>) -> Vec<(u64, Vec<TailPath>)> {
    let calls = TailCalls::new(binary);
    let paths = |&place: &u64| {
        let mut paths = calls.paths(place);
        paths.retain(|(function, _)| used.contains(function));
        (!paths.is_empty()).then_some((place, paths))
    };
    places.iter().filter_map(paths).collect()
}

/// The stored functions that may run without a frame of the one that is called before a return address.
pub(super) fn tails_at(names: &StoredNames, place: u64) -> &[TailPath] {
    match names.tails.binary_search_by_key(&place, |known| known.0) {
        Ok(at) => &names.tails[at].1,
        Err(_) => &[],
    }
}

/// The sizes of types in bytes, sorted by name.
pub(super) fn sorted_sizes(binary: &Binary<'_>) -> Vec<(String, u64)> {
    let mut sizes: Vec<_> = binary.type_sizes().into_iter().collect();
    sizes.sort_unstable();
    sizes
}

/// A function with the blocks of its machine code, and what its loops carry in registers.
///
/// The compiler's own list of blocks is incomplete: blocks that later passes create, for selections and loop entries, are
/// missing. It is needed for the targets of jump tables, and is used alone where the machine code cannot be decoded.
pub(super) fn with_carried(binary: &Binary<'_>, listed: StoredFlow) -> StoredFlow {
    let Some(function) = binary.function_at(listed.function) else { return listed };
    // Only x86-64 code can be decoded into operations.
    let Ok(operations) = binary.operations(function.range()) else { return listed };
    let is_recorder =
        |target: u64| binary.function_at(target).is_some_and(|called| called.name.starts_with(RECORDER));
    let blocks = blocks(&operations, &|jump| targets(&listed, jump));
    let code = MachineCode { operations: &operations, is_recorder: &is_recorder };
    code.with_carried(StoredFlow { blocks, ..listed })
}

/// The source lines of the code of a function with loops: for each line its block and its inlined frames, innermost first.
/// Lines that occur several times within the same loops are listed once. Where the code calls a function, the callee is the
/// first frame and has no line.
pub(super) fn code_lines(binary: &Binary<'_>, flow: &StoredFlow) -> Vec<(u32, Vec<InlineFrame>)> {
    let (Some(function), Some(loops)) = (binary.function_at(flow.function), LoopFlow::new(flow)) else {
        return Vec::new();
    };
    // Only x86-64 code can be decoded into operations.
    let Ok(operations) = binary.operations(function.range()) else { return Vec::new() };
    let mut known: HashSet<(&[u32], Vec<InlineFrame>)> = HashSet::new();
    let mut lines = Vec::new();
    for operation in &operations {
        let Some((block, around)) = loops.loops_at(operation.address) else { continue };
        let mut frames = binary.resolve(operation.address).frames;
        // Instructions that the compiler merged or generated have no line.
        if frames.first().is_none_or(|innermost| innermost.line.is_none()) {
            continue;
        }
        if let Some(called) = called(binary, operation) {
            frames.insert(0, called);
        }
        if known.insert((around, frames.clone())) {
            lines.push((block, frames));
        }
    }
    lines
}

/// The function that an instruction calls, unless it is one of the recorder.
fn called(binary: &Binary<'_>, operation: &Operation) -> Option<InlineFrame> {
    let lotse_symbols::Flow::Call { target: Some(target) } = operation.flow else { return None };
    let name = binary.resolve(target).frames.pop()?.function.filter(|name| !is_recorder_function(name))?;
    Some(InlineFrame { function: Some(name), ..InlineFrame::default() })
}

/// Whether a function belongs to the recorder, or replaces another one in a recorded program.
fn is_recorder_function(name: &str) -> bool {
    [RECORDER, "__memprof_", "__wrap_"].iter().any(|begin| name.starts_with(begin))
}

/// The targets of a jump according to the compiler's list of blocks.
fn targets(listed: &StoredFlow, jump: u64) -> Vec<u64> {
    let at = listed.blocks.partition_point(|(start, _)| *start <= jump).checked_sub(1);
    let next = at.and_then(|at| listed.blocks.get(at)).map_or(&[][..], |(_, next)| next);
    next.iter().filter_map(|number| Some(listed.blocks.get(*number as usize)?.0)).collect()
}

/// The basic blocks that the compiler lists, by function.
pub(super) fn flows(binary: &Binary<'_>) -> BTreeMap<u64, StoredFlow> {
    let mut functions: BTreeMap<u64, Vec<BasicBlock>> = BTreeMap::new();
    for block in joined(binary.basic_blocks()) {
        if let Some(function) = binary.function_at(block.address) {
            functions.entry(function.range().start).or_default().push(block);
        }
    }
    functions.into_iter().map(|(function, blocks)| (function, flow(function, &blocks))).collect()
}

/// Blocks sorted by address. A block without instructions has the address of the block that follows it: the two are merged,
/// without the edge from the first to the second, which would look like a loop.
fn joined(blocks: Vec<BasicBlock>) -> Vec<BasicBlock> {
    let mut joined: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for BasicBlock { address, successors } in blocks {
        let all = joined.entry(address).or_default();
        let is_empty = successors == [address];
        all.extend(successors.into_iter().filter(|_| !is_empty));
    }
    joined.into_iter().map(|(address, successors)| BasicBlock { address, successors }).collect()
}

fn flow(function: u64, blocks: &[BasicBlock]) -> StoredFlow {
    let number = |address: &u64| blocks.binary_search_by_key(address, |block| block.address);
    // A successor that is not listed is in another function, and so in no loop of this one.
    let successors = |block: &BasicBlock| {
        block.successors.iter().flat_map(number).map(|number| number as u32).collect::<Vec<u32>>()
    };
    let blocks = blocks.iter().map(|block| (block.address, successors(block))).collect();
    StoredFlow { function, blocks, ..StoredFlow::default() }
}

/// The frames at a place, innermost first; empty if the place is not stored.
pub(super) fn frames(names: &StoredNames, place: u64) -> Vec<InlineFrame> {
    let Some((_, _, frames)) = find(names, place) else { return Vec::new() };
    frames.iter().filter_map(|&number| frame(names, number)).collect()
}

/// The blocks of a function.
pub(super) fn stored_flow(names: &StoredNames, function: u64) -> Option<&StoredFlow> {
    let at = names.flow.partition_point(|flow| flow.function < function);
    names.flow.get(at).filter(|flow| flow.function == function)
}

/// The stored source lines of the code of a function.
pub(super) fn stored_lines(names: &StoredNames, function: u64) -> Vec<(u32, Vec<InlineFrame>)> {
    let lines = stored_flow(names, function).map_or(&[][..], |flow| &flow.lines);
    let frames = |numbers: &[u32]| numbers.iter().filter_map(|&number| frame(names, number)).collect();
    lines.iter().map(|(block, numbers)| (*block, frames(numbers))).collect()
}

/// The start of the compiled function that contains a place.
pub(super) fn function(names: &StoredNames, place: u64) -> u64 {
    find(names, place).map_or(0, |(_, function, _)| *function)
}

fn find(names: &StoredNames, place: u64) -> Option<&(u64, u64, Vec<u32>)> {
    names.places.get(names.places.binary_search_by_key(&place, |known| known.0).ok()?)
}

fn frame(names: &StoredNames, number: u32) -> Option<InlineFrame> {
    let &(function, file, line, column) = names.frames.get(number as usize)?;
    let text = |number: u32| names.texts.get(number as usize).filter(|text| !text.is_empty()).cloned();
    let known = |number: u32| (number > 0).then_some(number);
    Some(InlineFrame { function: text(function), file: text(file), line: known(line), column: known(column) })
}

#[cfg(test)]
mod tests {
    use lotse_symbols::BasicBlock;

    use super::{flow, joined};

    #[test]
    fn blocks_without_instructions_are_joined_with_the_next() {
        let block = |address, successors: &[u64]| BasicBlock { address, successors: successors.to_vec() };
        let blocks = joined(vec![block(16, &[32]), block(32, &[32]), block(32, &[32, 48]), block(48, &[])]);
        assert_eq!(blocks, [block(16, &[32]), block(32, &[32, 48]), block(48, &[])]);
        let blocks = joined(vec![block(16, &[32]), block(32, &[32]), block(32, &[48]), block(48, &[])]);
        assert_eq!(flow(16, &blocks).blocks, [(16, vec![1]), (32, vec![2]), (48, vec![])]);
    }
}
