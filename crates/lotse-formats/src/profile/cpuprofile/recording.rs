//! A recording as V8 writes it, in a file of its own or in chunks within a trace.

use crate::json::{Fill, Number};

/// Nodes of a call tree, and samples of them. Filling it again appends, as the chunks in a trace require.
#[derive(Debug, Default)]
pub(crate) struct V8Recording {
    pub(crate) nodes: Vec<V8Node>,
    /// Ids of nodes.
    pub(super) samples: Vec<Number>,
    /// Microseconds since the previous sample; for the first sample since the start.
    pub(super) deltas: Vec<Number>,
    /// Time stamps in microseconds; only the old form has them.
    pub(super) stamps: Vec<Number>,
    /// The line of each sample.
    pub(super) lines: Vec<Number>,
    /// Microseconds.
    pub(crate) start: Number,
    pub(super) end: Number,
}

impl V8Recording {
    /// Appends a chunk.
    pub(crate) fn append(&mut self, chunk: Self) {
        self.nodes.extend(chunk.nodes);
        self.samples.extend(chunk.samples);
        self.deltas.extend(chunk.deltas);
        self.stamps.extend(chunk.stamps);
        // Lines missing at the end of a chunk must not shift those of the next one.
        self.lines.extend(chunk.lines);
        self.lines.resize(self.samples.len(), Number::Missing);
        self.start = if self.start == Number::Missing { chunk.start } else { self.start };
        self.end = if chunk.end == Number::Missing { self.end } else { chunk.end };
    }

    /// Whether samples have times.
    pub(crate) fn is_timed(&self) -> bool {
        !self.samples.is_empty() && (!self.deltas.is_empty() || !self.stamps.is_empty())
    }

    /// Start and end in nanoseconds.
    pub(crate) fn span(&self) -> Option<(i64, i64)> {
        let (start, end) = (self.start.nanos(3)?, self.end.nanos(3)?);
        (start < end).then_some((start, end))
    }
}

impl Fill for V8Recording {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "nodes" => Some(&mut self.nodes),
            "samples" => Some(&mut self.samples),
            "timeDeltas" => Some(&mut self.deltas),
            "timestamps" => Some(&mut self.stamps),
            "lines" => Some(&mut self.lines),
            "startTime" => Some(&mut self.start),
            "endTime" => Some(&mut self.end),
            // In a trace the recording is wrapped, and its fields are on both levels.
            "data" | "cpuProfile" => Some(self),
            _ => None,
        }
    }
}

/// A node of the call tree: a function as called from its parent.
#[derive(Debug, Default)]
pub(crate) struct V8Node {
    pub(super) id: Number,
    pub(super) parent: Number,
    /// The row of the parent, where nodes are nested.
    pub(super) enclosing: Option<usize>,
    pub(super) children: Vec<Number>,
    pub(super) function: String,
    pub(super) url: String,
    /// V8's id of the script, which distinguishes scripts without a URL.
    pub(super) script: String,
    /// Of the definition, from 0.
    pub(super) line: Number,
    /// Of the definition, from 0.
    pub(super) column: Number,
    pub(super) hits: Number,
    /// Bytes; only heap profiles have them.
    pub(super) size: Number,
    pub(super) ticks: Vec<LineTicks>,
}

impl Fill for V8Node {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "id" => Some(&mut self.id),
            "parent" => Some(&mut self.parent),
            "children" => Some(&mut self.children),
            "functionName" => Some(&mut self.function),
            "url" => Some(&mut self.url),
            "scriptId" => Some(&mut self.script),
            "lineNumber" => Some(&mut self.line),
            "columnNumber" => Some(&mut self.column),
            "hitCount" => Some(&mut self.hits),
            "selfSize" => Some(&mut self.size),
            "positionTicks" => Some(&mut self.ticks),
            "callFrame" => Some(self),
            _ => None,
        }
    }
}

/// The number of samples in a line of a node.
#[derive(Debug, Default)]
pub(super) struct LineTicks {
    pub(super) line: Number,
    pub(super) ticks: Number,
}

impl Fill for LineTicks {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "line" => Some(&mut self.line),
            "ticks" => Some(&mut self.ticks),
            _ => None,
        }
    }
}
