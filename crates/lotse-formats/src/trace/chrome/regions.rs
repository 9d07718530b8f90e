//! Names of spans become regions. Regions with the same name are distinct if their source positions differ.

use hashbrown::HashMap;
use lotse_model::id::RegionId;
use lotse_model::trace::{Paradigm, Region};

use crate::chrome_events::ChromeEvent;
use crate::json::{Fill, Number, fill_first};
use crate::trace::mpi_names;

/// All regions of a trace, the unknown region first.
#[derive(Debug)]
pub(super) struct Regions {
    /// For each name its label, which pairs begins and ends, and its region without a source position.
    names: HashMap<String, (u32, Option<RegionId>)>,
    /// Regions with a source position, by label and position.
    placed: HashMap<(u32, SourcePosition), RegionId>,
    table: Vec<Region>,
}

impl Default for Regions {
    fn default() -> Self {
        let table = vec![Region::named("(unknown)")];
        Self { names: HashMap::new(), placed: HashMap::new(), table }
    }
}

impl Regions {
    /// The label of the name of an end event.
    pub(super) fn label(&mut self, event: &ChromeEvent<'_>) -> u32 {
        let count = self.names.len() as u32;
        self.names.entry_ref(&*event.name).or_insert((count, None)).0
    }

    /// The label of the name of a begin event, and its region.
    pub(super) fn label_and_region(&mut self, event: &ChromeEvent<'_>) -> (u32, RegionId) {
        let count = self.names.len() as u32;
        let (label, plain) = self.names.entry_ref(&*event.name).or_insert((count, None));
        let label = *label;
        // Most events have arguments, but few have a source position: the text is searched before it is parsed.
        if !["\"file\"", "\"url\""].iter().any(|key| event.args.contains(key)) {
            let table = &mut self.table;
            let region = *plain.get_or_insert_with(|| add_region(table, event, &SourcePosition::default()));
            return (label, region);
        }
        let place = source_position(event);
        let table = &mut self.table;
        let region = self
            .placed
            .entry((label, place))
            .or_insert_with_key(|(_, place)| add_region(table, event, place));
        (label, *region)
    }

    /// The table for the definitions.
    pub(super) fn into_table(self) -> Vec<Region> {
        self.table
    }
}

/// The source position in an event's arguments.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
struct SourcePosition {
    file: String,
    line: LineNumber,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
struct LineNumber(u32);

impl Fill for LineNumber {
    fn number(&mut self, number: Number) {
        self.0 = number.line();
    }
}

impl Fill for SourcePosition {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "file" | "url" => Some(&mut self.file),
            "line" | "lineNumber" => Some(&mut self.line),
            _ => None,
        }
    }
}

fn source_position(event: &ChromeEvent<'_>) -> SourcePosition {
    let mut arguments = SourcePosition::default();
    // Arguments can be any JSON. If they are nested too deep, the values before that are enough.
    drop(fill_first(event.args, &mut arguments));
    arguments
}

fn add_region(table: &mut Vec<Region>, event: &ChromeEvent<'_>, place: &SourcePosition) -> RegionId {
    let name = if event.name.is_empty() { "(unnamed)" } else { &event.name };
    let region = Region {
        file: place.file.clone(),
        begin_line: place.line.0,
        paradigm: paradigm(name, &event.category),
        role: mpi_names::role(name),
        ..Region::named(name)
    };
    table.push(region);
    RegionId::from(table.len() - 1)
}

/// The paradigm of a region: by the category that our own writer writes, else by the name.
fn paradigm(name: &str, category: &str) -> Paradigm {
    match category {
        "openmp" => Paradigm::OpenMp,
        "io" => Paradigm::Io,
        "threads" => Paradigm::Threads,
        "one-sided" => Paradigm::OneSided,
        "measurement" => Paradigm::Measurement,
        // The category of our own writer, and Kineto's categories of CUDA and HIP calls.
        "accelerator" | "cuda_runtime" | "cuda_driver" | "runtime" | "driver" => Paradigm::Accelerator,
        _ if mpi_names::is_mpi(name) => Paradigm::Mpi,
        _ => Paradigm::User,
    }
}
