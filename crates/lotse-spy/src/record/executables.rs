//! The executables of recorded processes. They are opened when a process appears, because some are deleted when it ends; their
//! names are collected when recording ends.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use lotse_formats::history::{self, Executable, Splitter, StoredNames};
use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_symbols::Binary;
use lotse_wire::ring::IMAGE_SHIFT;

use crate::code::stored::names_to_store;
use crate::decode::executable_of_map;

/// All executables of a recording.
#[derive(Debug, Default)]
pub(super) struct Executables {
    list: Vec<RecordedExecutable>,
    loaded: HashMap<(u32, u32), LoadedExecutable>,
}

/// An executable, and the code places in it that occurred in records.
#[derive(Debug)]
struct RecordedExecutable {
    names: StoredNames,
    file: FileSource,
    places: BTreeSet<u64>,
}

/// The addresses at which a process has loaded an executable.
#[derive(Debug, Clone, Copy)]
struct LoadedExecutable {
    program: usize,
    base: u64,
    end: u64,
}

impl Executables {
    /// Opens the executable of a process that appeared; `None` if the file was already deleted.
    pub(super) fn open(&mut self, process: u32, image: u32, map: &str) -> Option<Executable> {
        let found = executable_of_map(map)?;
        let own = format!("/proc/{process}/exe");
        let file =
            FileSource::open(Path::new(found.path)).or_else(|_| FileSource::open(Path::new(&own))).ok()?;
        let stamp = file.stamp()?;
        let names = StoredNames {
            path: found.path.to_owned(),
            size: stamp.size,
            modified: stamp.modified,
            ..StoredNames::default()
        };
        let known = self.list.iter().position(|program| program.names == names);
        let program = known.unwrap_or_else(|| {
            self.list.push(RecordedExecutable { names, file, places: BTreeSet::new() });
            self.list.len() - 1
        });
        self.loaded.insert((process, image), LoadedExecutable { program, base: found.base, end: found.end });
        let path = found.path.to_owned();
        Some(Executable { process, image, path, size: stamp.size, modified: stamp.modified })
    }

    /// Notes the code places that occurred in a closed ring.
    pub(super) fn note(&mut self, process: u32, ring: u32, splitter: &Splitter) {
        let Some(&LoadedExecutable { program, base, end }) = self.loaded.get(&(process, ring >> IMAGE_SHIFT))
        else {
            return;
        };
        let within = |address: u64| (base..end).contains(&address).then(|| address - base);
        let places = &mut self.list[program].places;
        places.extend(splitter.counters().map(u64::from));
        places.extend(splitter.addresses().filter_map(within));
    }

    /// The chunks of names for the history. A file that cannot be parsed is skipped; the analysis reports that when it tries, too.
    pub(super) fn names(self) -> impl Iterator<Item = Vec<u8>> {
        self.list.into_iter().filter(|program| !program.places.is_empty()).filter_map(|program| {
            let binary = Binary::parse(program.file.bytes()).ok()?;
            Some(history::names_chunk(&names_to_store(&binary, &program.places, program.names)))
        })
    }
}
