//! Costs inside functions: by line and instruction, call sites, jumps; read at once or when asked for.

use super::Costs;
use crate::id::{FileId, FunctionId, ObjectId, PartId};

/// Where the detail of a function comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Details {
    /// It is here.
    Whole(Box<Detail>),
    /// It is in the file, at known places.
    OnDemand(OnDemand),
}

impl Default for Details {
    fn default() -> Self {
        Self::Whole(Box::default())
    }
}

/// A place in the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Source file.
    pub file: FileId,
    /// Line, 0 where unknown.
    pub line: u32,
    /// Address of the instruction, 0 where unknown.
    pub address: u64,
}

/// Detail of one function or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detail {
    /// Self costs by place.
    pub lines: Lines,
    /// Calls by place.
    pub sites: Sites,
    /// Jumps.
    pub jumps: Jumps,
}

/// Self costs by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    /// Functions.
    pub function: Vec<FunctionId>,
    /// Parts.
    pub part: Vec<PartId>,
    /// Places.
    pub place: Vec<Place>,
    /// Self costs there.
    pub costs: Costs,
}

/// Calls by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sites {
    /// Who calls.
    pub caller: Vec<FunctionId>,
    /// Who is called.
    pub callee: Vec<FunctionId>,
    /// Parts.
    pub part: Vec<PartId>,
    /// Where the call is.
    pub place: Vec<Place>,
    /// Where it goes to.
    pub target: Vec<Place>,
    /// How often.
    pub count: Vec<u64>,
    /// Inclusive costs of these calls.
    pub costs: Costs,
}

/// Jumps inside a function or out of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Jumps {
    /// Functions that hold the jump.
    pub function: Vec<FunctionId>,
    /// Parts.
    pub part: Vec<PartId>,
    /// Where the jump is.
    pub from: Vec<Place>,
    /// Where it goes to.
    pub to: Vec<Place>,
    /// The function it goes to, the same unless it leaves.
    pub into: Vec<FunctionId>,
    /// How often it was reached.
    pub executed: Vec<u64>,
    /// How often it was taken.
    pub taken: Vec<u64>,
    /// Whether it has a condition.
    pub conditional: Vec<bool>,
}

/// Places in files from which detail can be read when asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnDemand {
    /// The format that can.
    pub format: String,
    /// How to read each part.
    pub layouts: Vec<Layout>,
    /// The extents of all functions, those of one function together.
    pub extents: Vec<Extent>,
    /// Where the extents of each function begin; one more than functions.
    pub starts: Vec<u32>,
}

impl OnDemand {
    /// The extents of a function.
    pub fn of(&self, function: FunctionId) -> &[Extent] {
        &self.extents[self.starts[function.index()] as usize..self.starts[function.index() + 1] as usize]
    }
}

/// What a reader must know to begin in the middle of a part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The name of the file beside the main one; `None` for the main one.
    pub source: Option<String>,
    /// Whether positions have an address.
    pub addresses: bool,
    /// Whether positions have a line.
    pub lines: bool,
    /// The profile's event type of each column.
    pub columns: Vec<u32>,
    /// Object ids of the part's own numbering.
    pub objects: Vec<(u32, ObjectId)>,
    /// File ids of the part's own numbering.
    pub files: Vec<(u32, FileId)>,
    /// Function ids of the part's own numbering.
    pub functions: Vec<(u32, FunctionId)>,
}

/// Bytes of a part that speak of one function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// The part, which is also the index of the layout.
    pub part: PartId,
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// The place that relative positions begin at.
    pub base: Place,
}
