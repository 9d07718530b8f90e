//! From V8's call tree to stacks: each node becomes a stack, whatever the order of the nodes.

use hashbrown::HashMap;
use lotse_model::id::{FrameId, FunctionId, PartId, StackId};
use lotse_model::profile::{Builder, CodePosition, Costs, Detail, LineCosts};

use super::recording::{V8Node, V8Recording};
use crate::diagnostics::Diagnostics;
use crate::json::Number;

/// The samples of a recording, and sample counts by line.
pub(crate) struct RecordingSamples {
    pub(crate) samples: Vec<NodeSample>,
    pub(crate) by_line: SamplesByLine,
}

/// A sample of a node, or all samples of a node without times.
pub(crate) struct NodeSample {
    pub(crate) stack: Option<StackId>,
    /// Nanoseconds.
    pub(crate) at: i64,
    /// The number of samples it stands for.
    pub(crate) count: u64,
    /// The time it stands for, nanoseconds.
    pub(crate) nanos: u64,
}

/// Samples by function and line.
#[derive(Debug, Default)]
pub(crate) struct SamplesByLine {
    order: Vec<(FunctionId, CodePosition)>,
    counts: HashMap<(FunctionId, CodePosition), u64>,
}

impl SamplesByLine {
    fn add(&mut self, builder: &Builder, function: FunctionId, line: Number, samples: u64) {
        if line.line() == 0 || samples == 0 {
            return;
        }
        let file = builder.profile.functions.file[function.index()];
        let key = (function, CodePosition { file, line: line.line(), address: 0 });
        let order = &mut self.order;
        let count = self.counts.entry(key).or_insert_with(|| {
            order.push(key);
            0
        });
        *count = count.saturating_add(samples);
    }

    /// The costs by line of a part with `width` event types, of which the first counts samples.
    pub(crate) fn lines(&self, width: usize, part: usize) -> Detail {
        let mut lines = LineCosts { costs: Costs::new(width, false), ..LineCosts::default() };
        self.append(&mut lines, part);
        Detail { lines, ..Detail::default() }
    }

    /// Appends the counts as costs of the first event type in a part.
    pub(crate) fn append(&self, lines: &mut LineCosts, part: usize) {
        for key in &self.order {
            lines.function.push(key.0);
            lines.place.push(key.1);
            lines.part.push(PartId::from(part));
            lines.costs.push(&[self.counts[key]]);
        }
    }
}

impl V8Recording {
    /// The samples in the order of time. `path` names their place in the file, for messages.
    pub(crate) fn samples(
        &self,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
        path: &str,
    ) -> RecordingSamples {
        let rows = self.rows(diagnostics);
        let functions: Vec<FunctionId> = self.nodes.iter().map(|node| function(node, builder)).collect();
        let stacks = self.stacks(&rows, &functions, builder, diagnostics);
        let mut by_line = SamplesByLine::default();
        for (node, &function) in self.nodes.iter().zip(&functions) {
            let each = node.ticks.iter();
            each.for_each(|tick| by_line.add(builder, function, tick.line, tick.ticks.id().unwrap_or(0)));
        }
        if self.samples.is_empty() {
            return RecordingSamples { samples: self.hits(&stacks), by_line };
        }
        let mut samples = Vec::with_capacity(self.samples.len());
        for (row, (sample, at)) in self.samples.iter().zip(self.times(diagnostics, path)).enumerate() {
            let node = sample.id().and_then(|id| rows.get(&id).copied());
            if node.is_none() {
                diagnostics.loss_kind("a sample names no node; it counts without a stack", || {
                    format!("{path}[{row}]")
                });
            }
            if let (Some(node), Some(&line)) = (node, self.lines.get(row)) {
                by_line.add(builder, functions[node], line, 1);
            }
            samples.push(NodeSample { stack: node.and_then(|node| stacks[node]), at, count: 1, nanos: 0 });
        }
        self.set_durations(&mut samples, diagnostics, path);
        RecordingSamples { samples, by_line }
    }

    /// The stack of each node.
    pub(super) fn node_stacks(
        &self,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Option<StackId>> {
        let rows = self.rows(diagnostics);
        let functions: Vec<FunctionId> = self.nodes.iter().map(|node| function(node, builder)).collect();
        self.stacks(&rows, &functions, builder, diagnostics)
    }

    /// The row of each node, by id.
    fn rows(&self, diagnostics: &mut Diagnostics) -> HashMap<u64, usize> {
        let mut rows = HashMap::with_capacity(self.nodes.len());
        for (row, node) in self.nodes.iter().enumerate() {
            match node.id.id() {
                Some(id) if !rows.contains_key(&id) => drop(rows.insert(id, row)),
                Some(_) => {
                    diagnostics.loss_kind("an id is given to two nodes; the first has it", || place(row))
                }
                None => diagnostics.note_kind("a node has no id; no sample can name it", || place(row)),
            }
        }
        rows
    }

    /// The row of each node's parent. Either the parent lists its children, or the child names its parent.
    fn parents(&self, rows: &HashMap<u64, usize>, diagnostics: &mut Diagnostics) -> Vec<Option<usize>> {
        let mut parents: Vec<Option<usize>> = self.nodes.iter().map(|node| node.enclosing).collect();
        for (row, node) in self.nodes.iter().enumerate() {
            for child in &node.children {
                match child.id().and_then(|id| rows.get(&id)) {
                    Some(&child) => parents[child] = Some(row),
                    None => diagnostics.note_kind("a child of a node is missing", || place(row)),
                }
            }
        }
        for (row, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.parent != Number::Missing) {
            match node.parent.id().and_then(|id| rows.get(&id)) {
                Some(&parent) => parents[row] = Some(parent),
                None => diagnostics.loss_kind("the parent of a node is missing", || place(row)),
            }
        }
        parents
    }

    fn stacks(
        &self,
        rows: &HashMap<u64, usize>,
        functions: &[FunctionId],
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Option<StackId>> {
        let parents = self.parents(rows, diagnostics);
        let frames: Vec<FrameId> = functions.iter().map(|&function| builder.bare_frame(function)).collect();
        stacks_of_tree(&parents, &frames, builder, diagnostics, "nodes")
    }

    /// The hits of the nodes as samples without times.
    fn hits(&self, stacks: &[Option<StackId>]) -> Vec<NodeSample> {
        let hit = self.nodes.iter().zip(stacks).filter_map(|(node, &stack)| {
            let count = node.hits.id().filter(|&hits| hits > 0)?;
            Some(NodeSample { stack, at: 0, count, nanos: 0 })
        });
        hit.collect()
    }

    /// The time of each sample, nanoseconds.
    fn times(&self, diagnostics: &mut Diagnostics, path: &str) -> Vec<i64> {
        let stamped = !self.stamps.is_empty();
        let column = if stamped { &self.stamps } else { &self.deltas };
        let mut now = self.start.nanos(3).filter(|_| !stamped).unwrap_or(0);
        let mut times = Vec::with_capacity(self.samples.len());
        for row in 0..self.samples.len() {
            let number = column.get(row).and_then(|number| number.nanos(3));
            if number.is_none() && self.is_timed() {
                diagnostics.loss_kind("a sample has no time; that of the one before is taken", || {
                    format!("{path}[{row}]")
                });
            }
            now = match number {
                Some(stamp) if stamped => stamp,
                delta => now.saturating_add(delta.unwrap_or(0)),
            };
            times.push(now);
        }
        times
    }

    /// Sorts by time and gives each sample the time until the next one; the last one lasts until the end stated in the
    /// file, if any. The time before the first sample is not attributed.
    fn set_durations(&self, samples: &mut [NodeSample], diagnostics: &mut Diagnostics, path: &str) {
        if !samples.is_sorted_by_key(|sample| sample.at) {
            diagnostics
                .note_kind("samples stand out of the order of time; they were sorted", || path.to_owned());
            samples.sort_by_key(|sample| sample.at);
        }
        let since = |from: i64, to: i64| to.checked_sub(from).and_then(|nanos| u64::try_from(nanos).ok());
        // In the old form with time stamps, the end is in seconds of another clock.
        let end = if self.stamps.is_empty() { Some(&self.end) } else { self.stamps.get(samples.len()) };
        let mut after = end.and_then(|end| end.nanos(3)).filter(|_| self.is_timed());
        for sample in samples.iter_mut().rev() {
            sample.nanos = since(sample.at, after.unwrap_or(sample.at)).unwrap_or(0);
            after = Some(sample.at);
        }
    }
}

/// The stack of each row of a tree, whose rows may be in any order. `path` names the rows in the file, for messages.
///
/// From each row, parents are followed up to the first one that has been visited; the way back assigns the stacks.
pub(crate) fn stacks_of_tree(
    parents: &[Option<usize>],
    frames: &[FrameId],
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
    path: &str,
) -> Vec<Option<StackId>> {
    let mut stacks = vec![None; frames.len()];
    let mut visited = vec![false; frames.len()];
    for row in 0..frames.len() {
        let mut path_up = Vec::new();
        let mut next = Some(row);
        while let Some(node) = next.filter(|&node| !visited[node]) {
            visited[node] = true;
            path_up.push(node);
            next = parents[node];
        }
        if next.is_some_and(|node| stacks[node].is_none()) {
            diagnostics
                .loss_kind("a row is its own ancestor; it counts as outermost", || format!("{path}[{row}]"));
        }
        let mut below = next.and_then(|node| stacks[node]);
        for node in path_up.into_iter().rev() {
            below = Some(builder.stack(below, frames[node]));
            stacks[node] = below;
        }
    }
    stacks
}

/// The function of a node. Functions of the same name in one script are distinguished by their place.
fn function(node: &V8Node, builder: &mut Builder) -> FunctionId {
    let name = if node.function.is_empty() { "(anonymous)" } else { &node.function };
    let from_one = |number: Number| number.id().and_then(|it| u32::try_from(it.saturating_add(1)).ok());
    let line = from_one(node.line).unwrap_or(0);
    let evaluated = node.url.is_empty() && line > 0 && !matches!(node.script.as_str(), "" | "0");
    let file = if evaluated { &format!("(script {})", node.script) } else { &node.url };
    let (object, file) = (builder.object(""), builder.file(file));
    let place =
        if file.index() == 0 || line == 0 { (0, 0) } else { (line, from_one(node.column).unwrap_or(0)) };
    builder.function_at(name, object, file, place)
}

fn place(row: usize) -> String {
    format!("nodes[{row}]")
}
