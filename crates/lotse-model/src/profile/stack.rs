//! Stacks as a tree: each is a frame on top of another stack.

use crate::id::{FileId, FrameId, FunctionId, StackId};

/// A place on a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The source file of the place, which may differ from that of the function's definition.
    pub file: FileId,
    /// Line, 0 where unknown.
    pub line: u32,
    /// Address, 0 where unknown.
    pub address: u64,
    /// Whether the function was inlined into the frame below.
    pub inlined: bool,
}

/// Places on stacks, as columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frames {
    /// Functions.
    pub function: Vec<FunctionId>,
    /// Source files.
    pub file: Vec<FileId>,
    /// Lines, 0 where unknown.
    pub line: Vec<u32>,
    /// Addresses, 0 where unknown.
    pub address: Vec<u64>,
    /// Whether inlined into the frame below.
    pub inlined: Vec<bool>,
}

impl Frames {
    /// How many.
    pub fn len(&self) -> usize {
        self.function.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.function.is_empty()
    }

    /// One of them.
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

    /// Appends one, without looking for an equal one.
    pub fn push(&mut self, frame: Frame) -> FrameId {
        self.function.push(frame.function);
        self.file.push(frame.file);
        self.line.push(frame.line);
        self.address.push(frame.address);
        self.inlined.push(frame.inlined);
        FrameId::from(self.len() - 1)
    }
}

/// Stacks, as columns. A stack comes after the one below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stacks {
    /// The stack below; `None` for the outermost frame.
    pub below: Vec<Option<StackId>>,
    /// The frame on top.
    pub frame: Vec<FrameId>,
}

impl Stacks {
    /// How many.
    pub fn len(&self) -> usize {
        self.frame.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frame.is_empty()
    }

    /// The frames from the innermost outwards.
    pub fn frames(&self, stack: Option<StackId>) -> impl Iterator<Item = FrameId> + '_ {
        let up = move |stack: &StackId| self.below[stack.index()];
        std::iter::successors(stack, up).map(|stack| self.frame[stack.index()])
    }
}
