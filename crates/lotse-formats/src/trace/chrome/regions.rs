//! Names of spans become regions, told apart by where they are in the source if the file says so.

use hashbrown::HashMap;
use lotse_model::id::RegionId;
use lotse_model::trace::{Paradigm, Region};

use crate::chrome_events::Event;
use crate::json::{Fill, Number, fill_first};
use crate::trace::mpi_names;

/// All regions, the unknown one first.
#[derive(Debug)]
pub(super) struct Regions {
    /// What an end has in common with its begin, and the region of the name without a place.
    names: HashMap<String, (u32, Option<RegionId>)>,
    placed: HashMap<(u32, Arguments), RegionId>,
    table: Vec<Region>,
}

impl Default for Regions {
    fn default() -> Self {
        let table = vec![Region::named("(unknown)")];
        Self { names: HashMap::new(), placed: HashMap::new(), table }
    }
}

impl Regions {
    /// The label that an end shares with its begin.
    pub(super) fn label(&mut self, event: &Event<'_>) -> u32 {
        let count = self.names.len() as u32;
        self.names.entry_ref(&*event.name).or_insert((count, None)).0
    }

    /// The label that a begin shares with its end, and the region.
    pub(super) fn of(&mut self, event: &Event<'_>) -> (u32, RegionId) {
        let count = self.names.len() as u32;
        let (label, plain) = self.names.entry_ref(&*event.name).or_insert((count, None));
        let label = *label;
        // Most events have arguments and few a place: the text is searched before it is parsed.
        if !["\"file\"", "\"url\""].iter().any(|key| event.args.contains(key)) {
            let table = &mut self.table;
            let region = *plain.get_or_insert_with(|| added(table, event, &Arguments::default()));
            return (label, region);
        }
        let place = arguments(event);
        let table = &mut self.table;
        let region =
            self.placed.entry((label, place)).or_insert_with_key(|(_, place)| added(table, event, place));
        (label, *region)
    }

    /// The table for the definitions.
    pub(super) fn into_table(self) -> Vec<Region> {
        self.table
    }
}

/// Where a function is, as those who write it do.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
struct Arguments {
    file: String,
    line: Line,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
struct Line(u32);

impl Fill for Line {
    fn number(&mut self, number: Number) {
        self.0 = number.line();
    }
}

impl Fill for Arguments {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "file" | "url" => Some(&mut self.file),
            "line" | "lineNumber" => Some(&mut self.line),
            _ => None,
        }
    }
}

fn arguments(event: &Event<'_>) -> Arguments {
    let mut arguments = Arguments::default();
    // Arguments are free in form; where they are nested too deep, what came before that is enough.
    drop(fill_first(event.args, &mut arguments));
    arguments
}

fn added(table: &mut Vec<Region>, event: &Event<'_>, place: &Arguments) -> RegionId {
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

/// By the name; what our own writer wrote, by the category.
fn paradigm(name: &str, category: &str) -> Paradigm {
    match category {
        "openmp" => Paradigm::OpenMp,
        "io" => Paradigm::Io,
        "threads" => Paradigm::Threads,
        "one-sided" => Paradigm::OneSided,
        "measurement" => Paradigm::Measurement,
        // What our own writer writes, and Kineto's names for calls of CUDA and HIP.
        "accelerator" | "cuda_runtime" | "cuda_driver" | "runtime" | "driver" => Paradigm::Accelerator,
        _ if mpi_names::is_mpi(name) => Paradigm::Mpi,
        _ => Paradigm::User,
    }
}
