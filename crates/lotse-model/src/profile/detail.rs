//! Costs inside functions: by line and instruction, call sites, jumps. They are loaded with the profile or read on demand.

use super::Costs;
use crate::id::{FileId, FunctionId, ObjectId, PartId};

/// The detail of all functions: loaded, or where to read it from.
#[derive(Debug, Clone, PartialEq)]
pub enum Details {
    /// Read together with the profile.
    Loaded(Box<Detail>),
    /// Read from the file when a function is annotated.
    OnDemand(OnDemand),
}

impl Default for Details {
    fn default() -> Self {
        Self::Loaded(Box::default())
    }
}

/// A position in the code of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePosition {
    pub file: FileId,
    /// Line, 0 where unknown.
    pub line: u32,
    /// Address of the instruction, 0 where unknown.
    pub address: u64,
}

/// The detail of one function or of all functions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detail {
    pub lines: LineCosts,
    pub sites: CallSites,
    pub jumps: Jumps,
}

/// Self costs by code position, as columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineCosts {
    pub function: Vec<FunctionId>,
    pub part: Vec<PartId>,
    pub place: Vec<CodePosition>,
    /// Self costs at the position.
    pub costs: Costs,
}

/// Calls by the code position of the call, as columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallSites {
    pub caller: Vec<FunctionId>,
    pub callee: Vec<FunctionId>,
    pub part: Vec<PartId>,
    /// The position of the call.
    pub place: Vec<CodePosition>,
    /// The position that is called.
    pub target: Vec<CodePosition>,
    pub count: Vec<u64>,
    /// Inclusive costs of these calls.
    pub costs: Costs,
}

/// Jumps inside a function or out of it, as columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Jumps {
    /// The function that contains the jump.
    pub function: Vec<FunctionId>,
    pub part: Vec<PartId>,
    /// The position of the jump.
    pub from: Vec<CodePosition>,
    /// The target of the jump.
    pub to: Vec<CodePosition>,
    /// The function that contains the target.
    pub into: Vec<FunctionId>,
    /// How often the jump was executed, taken or not.
    pub executed: Vec<u64>,
    pub taken: Vec<u64>,
    pub conditional: Vec<bool>,
}

/// An index into the profile's files from which the detail of a function can be read on demand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnDemand {
    /// The id of the format whose reader can do it.
    pub format: String,
    /// What the reader has to know about each part.
    pub layouts: Vec<PartLayout>,
    /// The extents of all functions, sorted by function.
    pub extents: Vec<Extent>,
    /// The index of the first extent of each function, and the number of all extents.
    pub starts: Vec<u32>,
}

impl OnDemand {
    /// The extents of a function.
    pub fn extents_of(&self, function: FunctionId) -> &[Extent] {
        &self.extents[self.starts[function.index()] as usize..self.starts[function.index() + 1] as usize]
    }
}

/// What a reader must know to start in the middle of a part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartLayout {
    /// The file that contains the part; `None` for the main file.
    pub source: Option<String>,
    /// Whether positions have an address.
    pub addresses: bool,
    /// Whether positions have a line.
    pub lines: bool,
    /// The index of the profile's event type for each column of the part.
    pub columns: Vec<u32>,
    /// Objects by the numbers that the part uses for them.
    pub objects: Vec<(u32, ObjectId)>,
    /// Files by the numbers that the part uses for them.
    pub files: Vec<(u32, FileId)>,
    /// Functions by the numbers that the part uses for them.
    pub functions: Vec<(u32, FunctionId)>,
}

/// A byte range of a part that contains costs of one function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// The part, which is also the index of the layout.
    pub part: PartId,
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// The position to which the first relative position of the range is relative.
    pub base: CodePosition,
}
