//! The executables of recorded processes: opened when a process appears, since some are deleted when it ends, and asked for
//! names when recording ends.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use lotse_formats::history::{self, Executable, Splitter, StoredNames};
use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_symbols::Binary;
use lotse_wire::ring::IMAGE_SHIFT;

use crate::code::stored::stored;
use crate::decode::executable_of_map;

/// All executables of a recording.
#[derive(Debug, Default)]
pub(super) struct Programs {
    programs: Vec<Program>,
    loaded: HashMap<(u32, u32), Loaded>,
}

/// An executable, and the places in it that occurred.
#[derive(Debug)]
struct Program {
    names: StoredNames,
    file: FileSource,
    places: BTreeSet<u64>,
}

/// Where a process has an executable.
#[derive(Debug, Clone, Copy)]
struct Loaded {
    program: usize,
    base: u64,
    end: u64,
}

impl Programs {
    /// A process appeared. Gives what it runs, unless the file is gone already.
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
        let known = self.programs.iter().position(|program| program.names == names);
        let program = known.unwrap_or_else(|| {
            self.programs.push(Program { names, file, places: BTreeSet::new() });
            self.programs.len() - 1
        });
        self.loaded.insert((process, image), Loaded { program, base: found.base, end: found.end });
        let path = found.path.to_owned();
        Some(Executable { process, image, path, size: stamp.size, modified: stamp.modified })
    }

    /// A ring is finished: notes the places that occurred in it.
    pub(super) fn note(&mut self, process: u32, ring: u32, splitter: &Splitter) {
        let Some(&Loaded { program, base, end }) = self.loaded.get(&(process, ring >> IMAGE_SHIFT)) else {
            return;
        };
        let within = |address: u64| (base..end).contains(&address).then(|| address - base);
        let places = &mut self.programs[program].places;
        places.extend(splitter.counters().map(u64::from));
        places.extend(splitter.addresses().filter_map(within));
    }

    /// The chunks of names. A file that cannot be read has none: the analysis says so when it finds the same.
    pub(super) fn names(self) -> impl Iterator<Item = Vec<u8>> {
        self.programs.into_iter().filter(|program| !program.places.is_empty()).filter_map(|program| {
            let binary = Binary::parse(program.file.bytes()).ok()?;
            Some(history::names_chunk(&stored(&binary, &program.places, program.names)))
        })
    }
}
