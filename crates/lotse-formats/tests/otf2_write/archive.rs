//! Archives in temporary folders, and definitions of everything that the events refer to.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use lotse_formats::trace::otf2::write::Otf2Writer;
use lotse_model::bytes::FolderSink;
use lotse_model::id::{CommunicatorId, LocationId, MachineId, ProcessId};
use lotse_model::trace::{
    Clock, Communicator, Definitions, Event, EventKind, Group, Location, LocationKind, Machine, Paradigm,
    Process, ProcessKind, Region, RegionRole, Ticks, Window,
};

/// A temporary folder.
pub(super) struct Folder(PathBuf);

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Folder {
    pub(super) fn new() -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lotse-otf2-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn length(&self, name: &str) -> u64 {
        fs::metadata(self.0.join(name)).unwrap().len()
    }

    /// All files with their bytes.
    pub(super) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut all = BTreeMap::new();
        for (prefix, folder) in [("", self.0.clone()), ("t/", self.0.join("t"))] {
            let files = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|it| it.path().is_file());
            all.extend(files.map(|it| {
                (format!("{prefix}{}", it.file_name().to_str().unwrap()), fs::read(it.path()).unwrap())
            }));
        }
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder of a test can be removed");
    }
}

impl FolderSink for Folder {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap())?;
        Ok(Box::new(BufWriter::new(File::create(path)?)))
    }
}

/// The creator of the archives.
pub(super) const CREATOR: &str = "Lotse's tests";

/// Writes an archive `t.otf2`.
pub(super) fn write(
    folder: &dyn FolderSink,
    definitions: &Definitions,
    events: &[&[(Ticks, EventKind, Event)]],
) {
    let writer = Otf2Writer::new(folder, "t", definitions, CREATOR);
    let write_location = |(events, location): (&&[(Ticks, EventKind, Event)], u32)| {
        let mut out = writer.location(LocationId(location)).unwrap();
        events.iter().for_each(|&(at, kind, event)| out.push(at, kind, event).unwrap());
        out.finish().unwrap()
    };
    let counts: Vec<u64> = events.iter().zip(0..).map(write_location).collect();
    writer.finish(&counts).unwrap();
}

/// Two processes, the first with two threads, and a communicator of each kind.
pub(super) fn definitions() -> Definitions {
    let mut all = Definitions::new(Clock { resolution: 1_000_000, offset: 100, length: 5000 });
    all.regions.extend([
        Region {
            name: "main".to_owned(),
            file: "m.c".to_owned(),
            begin_line: 3,
            end_line: 99,
            ..Region::named("")
        },
        Region { role: RegionRole::CollAllToAll, paradigm: Paradigm::Mpi, ..Region::named("MPI_Allreduce") },
        Region {
            role: RegionRole::ImplicitBarrier,
            paradigm: Paradigm::OpenMp,
            ..Region::named("implicit barrier")
        },
    ]);
    let machine =
        |name: &str, class: &str, parent| Machine { name: name.into(), class: class.into(), parent };
    all.machines = vec![machine("cluster", "machine", None), machine("n1", "node", Some(MachineId(0)))];
    let process =
        |name: &str| Process { name: name.into(), machine: Some(MachineId(1)), kind: ProcessKind::System };
    let context = ProcessKind::Accelerator { creator: Some(ProcessId(1)) };
    all.processes =
        vec![process("rank 0"), process("rank 1"), Process { kind: context, ..process("a GPU's context") }];
    let location = |number, name: &str, process| Location {
        number,
        name: name.into(),
        kind: LocationKind::Cpu,
        process: ProcessId(process),
    };
    all.locations = vec![
        location(0, "thread 0", 0),
        location(1, "thread 1", 0),
        location(1 << 32, "thread 0 of rank 1", 1),
    ];
    all.communicators.extend(communicators());
    all.windows.push(Window { name: "window".to_owned(), communicator: CommunicatorId(1) });
    all.groups.push(Group { name: "targets".to_owned(), members: some(&[2, 0]) });
    all.properties =
        vec![("LOTSE::TEST".to_owned(), "yes".to_owned()), ("EMPTY::X".to_owned(), String::new())];
    all
}

/// Definitions for python3-otf2 3.0.2, which mistakes the second group of an inter-communicator for its parent.
pub(super) fn without_inter_communicators() -> Definitions {
    let mut all = definitions();
    all.communicators.retain(|it| it.remote.is_empty());
    all
}

fn communicators() -> Vec<Communicator> {
    let named = |name: &str, members| Communicator { name: name.into(), members, ..Communicator::default() };
    vec![
        named("MPI_COMM_WORLD", some(&[0, 2])),
        Communicator { of_self: true, ..named("MPI_COMM_SELF", Vec::new()) },
        named("team", some(&[0, 1])),
        Communicator {
            parent: Some(CommunicatorId(1)),
            ..named("untraced", vec![Some(LocationId(2)), None])
        },
        Communicator { remote: some(&[2]), parent: Some(CommunicatorId(1)), ..named("both", some(&[0])) },
    ]
}

fn some(members: &[u32]) -> Vec<Option<LocationId>> {
    members.iter().map(|&it| Some(LocationId(it))).collect()
}
