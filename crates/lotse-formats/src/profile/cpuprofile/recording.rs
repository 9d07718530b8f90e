//! What V8 writes of one recording, in a file of its own or in pieces within a trace.

use crate::json::{Fill, Number};

/// Nodes of a call tree, and samples of them. Filling it again appends, as the pieces in a trace need it.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) nodes: Vec<Node>,
    /// Ids of nodes.
    pub(super) samples: Vec<Number>,
    /// Microseconds since the sample before, for the first since the start.
    pub(super) deltas: Vec<Number>,
    /// Microseconds; only the old form has them.
    pub(super) stamps: Vec<Number>,
    /// The line each sample was in.
    pub(super) lines: Vec<Number>,
    /// Microseconds.
    pub(crate) start: Number,
    pub(super) end: Number,
}

impl Recording {
    /// Appends a piece.
    pub(crate) fn append(&mut self, piece: Self) {
        self.nodes.extend(piece.nodes);
        self.samples.extend(piece.samples);
        self.deltas.extend(piece.deltas);
        self.stamps.extend(piece.stamps);
        // A piece without lines must not shift those of the next one.
        self.lines.extend(piece.lines);
        self.lines.resize(self.samples.len(), Number::Missing);
        self.start = if self.start == Number::Missing { piece.start } else { self.start };
        self.end = if piece.end == Number::Missing { self.end } else { piece.end };
    }

    /// Whether samples have times.
    pub(crate) fn is_timed(&self) -> bool {
        !self.samples.is_empty() && (!self.deltas.is_empty() || !self.stamps.is_empty())
    }

    /// From when to when, nanoseconds.
    pub(crate) fn span(&self) -> Option<(i64, i64)> {
        let (start, end) = (self.start.nanos(3)?, self.end.nanos(3)?);
        (start < end).then_some((start, end))
    }
}

impl Fill for Recording {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "nodes" => Some(&mut self.nodes),
            "samples" => Some(&mut self.samples),
            "timeDeltas" => Some(&mut self.deltas),
            "timestamps" => Some(&mut self.stamps),
            "lines" => Some(&mut self.lines),
            "startTime" => Some(&mut self.start),
            "endTime" => Some(&mut self.end),
            // In a trace it is wrapped, and its pieces lie on both levels.
            "data" | "cpuProfile" => Some(self),
            _ => None,
        }
    }
}

/// A node of the call tree: a function as called from its parent.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(super) id: Number,
    pub(super) parent: Number,
    /// The row of the parent, where nodes stand inside each other.
    pub(super) around: Option<usize>,
    pub(super) children: Vec<Number>,
    pub(super) function: String,
    pub(super) url: String,
    /// What V8 calls the script; tells scripts without a URL apart.
    pub(super) script: String,
    /// Of the definition, from 0.
    pub(super) line: Number,
    /// Of the definition, from 0.
    pub(super) column: Number,
    pub(super) hits: Number,
    /// Bytes; only heap profiles have them.
    pub(super) size: Number,
    pub(super) ticks: Vec<Tick>,
}

impl Fill for Node {
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

/// Samples in a line of a node.
#[derive(Debug, Default)]
pub(super) struct Tick {
    pub(super) line: Number,
    pub(super) ticks: Number,
}

impl Fill for Tick {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "line" => Some(&mut self.line),
            "ticks" => Some(&mut self.ticks),
            _ => None,
        }
    }
}
