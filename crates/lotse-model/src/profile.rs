//! What a profile holds, as columns: objects, files, functions, event types, stacks, parts, calls, places, data.
//!
//! Promises: costs are exact integers; an id is an index into a column; nothing is computed here that a file did
//! not say. Self and inclusive cost over the chosen parts, cycles and shares are the engine's.
//!
//! A reader fills a [`Builder`]. A format with stacks fills [`Part::samples`]; one with summed costs fills
//! [`Part::own`] and [`Part::calls`]; one may fill both (then calls only give the counts).

mod build;
mod builder;
mod check;
mod cost;
mod data;
mod detail;
mod event;
mod function;
mod part;
mod stack;
mod strings;

pub use build::BuildId;
pub use builder::{Builder, readable};
pub use check::Inconsistent;
pub use cost::Costs;
pub use data::{Access, DataStructures};
pub use detail::{Detail, Details, Extent, Jumps, Layout, Lines, OnDemand, Place, Sites};
pub use event::{EventType, Formula, Period};
pub use function::{AddressSpace, Functions, Unresolved};
pub use part::{Calls, Entries, Inclusive, Own, Part, Samples, Stated};
pub use stack::{Frame, Frames, Stacks};
pub use strings::Strings;

use std::collections::BTreeMap;

use crate::id::{FileId, FunctionId, NameId, ObjectId};

/// A profile as read from a file or several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// All names.
    pub strings: Strings,
    /// Executables and libraries; the first is unknown.
    pub objects: Vec<NameId>,
    /// Which builds of the objects were profiled, where the file states it. Two builds of one path are two objects.
    pub builds: BTreeMap<ObjectId, BuildId>,
    /// Source files; the first is unknown.
    pub files: Vec<NameId>,
    /// Functions.
    pub functions: Functions,
    /// What was counted, in the order of all costs.
    pub events: Vec<EventType>,
    /// The event type that the file itself presents unless another is chosen; `None` where it names none.
    pub default_event: Option<usize>,
    /// How far apart samples were taken, where the file states it.
    pub period: Option<Period>,
    /// Event types that the file derives from others.
    pub formulas: Vec<Formula>,
    /// Places on stacks.
    pub frames: Frames,
    /// Stacks, each with the one below it.
    pub stacks: Stacks,
    /// Dumps, threads or snapshots, each with its costs.
    pub parts: Vec<Part>,
    /// Data structures with costs.
    pub data: DataStructures,
    /// Costs by line and instruction, call sites, jumps.
    pub details: Details,
    /// Functions known by their address only.
    pub unresolved: Vec<Unresolved>,
    /// Whether costs can be negative; then they are two's complement.
    pub signed: bool,
    /// The profiled command.
    pub command: Option<String>,
    /// The program that wrote it.
    pub creator: Option<String>,
    /// When the recording began, or else when the file was last changed; nanoseconds since 1970.
    pub recorded: Option<i64>,
}

impl Profile {
    /// The text of a name.
    pub fn text(&self, name: NameId) -> &str {
        self.strings.get(name)
    }

    /// A function's name as in the file.
    pub fn function_name(&self, function: FunctionId) -> &str {
        self.text(self.functions.name[function.index()])
    }

    /// The path of a source file; `None` where unknown.
    pub fn file_name(&self, file: FileId) -> Option<&str> {
        known(self.text(self.files[file.index()]))
    }

    /// The path of an object; `None` where unknown.
    pub fn object_name(&self, object: ObjectId) -> Option<&str> {
        known(self.text(self.objects[object.index()]))
    }

    /// The build of an object; `None` where the file does not state it.
    pub fn build(&self, object: ObjectId) -> Option<&BuildId> {
        self.builds.get(&object)
    }

    /// The file that defines a function; `None` where unknown.
    pub fn function_file(&self, function: FunctionId) -> Option<&str> {
        self.file_name(self.functions.file[function.index()])
    }

    /// The object that holds a function; `None` where unknown.
    pub fn function_object(&self, function: FunctionId) -> Option<&str> {
        self.object_name(self.functions.object[function.index()])
    }

    /// Whether any part has stacks.
    pub fn has_stacks(&self) -> bool {
        self.parts.iter().any(|part| !part.samples.is_empty())
    }

    /// A cost as a number.
    pub fn value(&self, cost: u64) -> i128 {
        cost::value(cost, self.signed)
    }
}

fn known(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
