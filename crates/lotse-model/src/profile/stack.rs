//! Stacks as a tree: a stack is its innermost frame and the id of the stack of its callers, so that stacks share callers.
//!
//! ```text
//! stack 0: main              below None
//! stack 1: main > f          below 0
//! stack 2: main > f > g      below 1
//! stack 3: main > f > h      below 1
//! ```

use crate::id::{FileId, FrameId, FunctionId, StackId};

/// A frame of a stack: a function and a position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    pub function: FunctionId,
    /// The source file of the position, which may differ from that of the function's definition.
    pub file: FileId,
    /// Line, 0 where unknown.
    pub line: u32,
    /// Address, 0 where unknown.
    pub address: u64,
    /// Whether the function was inlined into the frame below.
    pub inlined: bool,
}

/// Frames, as columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    pub function: Vec<FunctionId>,
    pub file: Vec<FileId>,
    /// Lines, 0 where unknown.
    pub line: Vec<u32>,
    /// Addresses, 0 where unknown.
    pub address: Vec<u64>,
    /// Whether inlined into the frame below.
    pub inlined: Vec<bool>,
}

impl Frames {
    /// The number of frames.
    pub fn len(&self) -> usize {
        self.function.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.function.is_empty()
    }

    /// The frame with this id.
    pub fn get(&self, id: FrameId) -> Frame {
        let row = id.index();
        Frame {
            function: self.function[row],
            file: self.file[row],
            line: self.line[row],
            address: self.address[row],
            inlined: self.inlined[row],
        }
    }

    /// Appends a frame, even if an equal one exists.
    pub fn push(&mut self, frame: Frame) -> FrameId {
        self.function.push(frame.function);
        self.file.push(frame.file);
        self.line.push(frame.line);
        self.address.push(frame.address);
        self.inlined.push(frame.inlined);
        FrameId::from(self.len() - 1)
    }
}

/// Stacks, as columns. A stack has a larger id than the stack of its callers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stacks {
    /// The stack of the callers; `None` for the outermost frame.
    pub below: Vec<Option<StackId>>,
    /// The innermost frame.
    pub frame: Vec<FrameId>,
}

impl Stacks {
    /// The number of stacks.
    pub fn len(&self) -> usize {
        self.frame.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frame.is_empty()
    }

    /// The frames of a stack, innermost first.
    pub fn frames(&self, stack: Option<StackId>) -> impl Iterator<Item = FrameId> + '_ {
        let up = move |stack: &StackId| self.below[stack.index()];
        std::iter::successors(stack, up).map(|stack| self.frame[stack.index()])
    }
}
