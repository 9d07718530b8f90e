//! A profile in columns: objects, files, functions, event types, stacks, parts, calls, code positions, data structures.
//!
//! Promises: costs are exact integers; an id is an index into a column; the content is that of the file and nothing is
//! computed here. Self and inclusive costs over the selected parts, cycles and shares are computed in `lotse-profile`.
//!
//! A reader fills a [`Builder`]. The reader of a format with stacks fills [`Part::samples`]; that of a format with summed
//! costs fills [`Part::own`] and [`Part::calls`]. If both are filled, the calls are only used for their counts.

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
mod tree;

pub use build::BuildId;
pub use builder::{Builder, readable};
pub use check::Inconsistent;
pub use cost::Costs;
pub use data::{Access, DataStructures};
pub use detail::{CallSites, CodePosition, Detail, Details, Extent, Jumps, LineCosts, OnDemand, PartLayout};
pub use event::{EventType, Formula, Period};
pub use function::{AddressSpace, Functions, Unresolved};
pub use part::{Calls, EntryCalls, InclusiveCosts, Part, Samples, SelfCosts, StatedSum};
pub use stack::{Frame, Frames, Stacks};
pub use strings::Strings;

use std::collections::BTreeMap;

use crate::id::{FileId, FunctionId, NameId, ObjectId};

/// A profile as read from a file or several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// All names.
    pub strings: Strings,
    /// Paths of executables and libraries; the first stands for an unknown object.
    pub objects: Vec<NameId>,
    /// The build ids of the objects, where the file states them. Two builds of one path are two objects.
    pub builds: BTreeMap<ObjectId, BuildId>,
    /// Paths of source files; the first stands for an unknown file.
    pub files: Vec<NameId>,
    pub functions: Functions,
    /// The event types that were counted, in the order of the columns of all costs.
    pub events: Vec<EventType>,
    /// The index of the event type that the file declares as its default; `None` where it declares none.
    pub default_event: Option<usize>,
    /// The sampling period, where the file states it.
    pub period: Option<Period>,
    /// Event types that the file derives from others.
    pub formulas: Vec<Formula>,
    pub frames: Frames,
    pub stacks: Stacks,
    /// Dumps, threads or snapshots, each with its costs.
    pub parts: Vec<Part>,
    /// Data structures with costs.
    pub data: DataStructures,
    /// Costs by line and instruction, call sites, jumps.
    pub details: Details,
    /// Functions known by their address only.
    pub unresolved: Vec<Unresolved>,
    /// Whether costs can be negative; they are then stored in two's complement.
    pub signed: bool,
    /// The profiled command.
    pub command: Option<String>,
    /// The program that wrote the file.
    pub creator: Option<String>,
    /// The start of the recording, or else the file's modification time; nanoseconds since 1970.
    pub recorded: Option<i64>,
}

impl Profile {
    /// The same names, functions and event types, without any costs, stacks and details.
    pub fn without_costs(&self) -> Self {
        Self {
            strings: self.strings.clone(),
            objects: self.objects.clone(),
            builds: self.builds.clone(),
            files: self.files.clone(),
            functions: self.functions.clone(),
            events: self.events.clone(),
            default_event: self.default_event,
            period: self.period.clone(),
            formulas: self.formulas.clone(),
            frames: Frames::default(),
            stacks: Stacks::default(),
            parts: Vec::new(),
            data: DataStructures::default(),
            details: Details::default(),
            unresolved: self.unresolved.clone(),
            signed: self.signed,
            command: self.command.clone(),
            creator: self.creator.clone(),
            recorded: self.recorded,
        }
    }

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

    /// The object that contains a function; `None` where unknown.
    pub fn function_object(&self, function: FunctionId) -> Option<&str> {
        self.object_name(self.functions.object[function.index()])
    }

    /// Whether any part has stacks.
    pub fn has_stacks(&self) -> bool {
        self.parts.iter().any(|part| !part.samples.is_empty())
    }

    /// A stored cost as a number, with its sign if the costs of this profile are signed.
    pub fn value(&self, cost: u64) -> i128 {
        cost::value(cost, self.signed)
    }
}

/// `None` for the empty text, which stands for an unknown name.
fn known(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
