//! Nodes, tasks, threads and communicators of all applications.
//!
//! Messages do not state their communicator. They are assigned to a communicator of all tasks, whose ranks are the tasks
//! in the order of the file.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId, MachineId, ProcessId};
use lotse_model::trace::{Communicator, Definitions, Location, LocationKind, Machine, Process, ProcessKind};

use super::header::ParaverHeader;
use super::labels::RowNames;
use super::records::{CommunicatorRecord, ThreadName};
use crate::diagnostics::Diagnostics;

/// Threads of a task beyond this number are created only when a record names them.
const THREADS_AT_ONCE: u32 = 1024;
/// The communicator of all tasks.
pub(super) const ALL: CommunicatorId = CommunicatorId(1);

/// Nodes, tasks, threads and communicators.
#[derive(Debug, Default)]
pub(super) struct Topology {
    machines: Vec<Machine>,
    processes: Vec<Process>,
    locations: Vec<Location>,
    tasks: HashMap<(u32, u32), ProcessId>,
    threads: HashMap<ThreadName, LocationId>,
    /// The first thread of each process.
    first: Vec<LocationId>,
    communicators: Vec<Communicator>,
    /// Communicators by application and number.
    known: HashMap<(u32, u64), CommunicatorId>,
    applications: usize,
}

impl Topology {
    /// Creates the nodes, tasks and threads that the header lists.
    pub(super) fn new(header: &ParaverHeader, rows: &RowNames) -> Self {
        let mut topology = Self { applications: header.applications.len(), ..Self::default() };
        let nodes =
            header.applications.iter().flatten().map(|task| task.node).filter(|node| *node <= 1 << 20);
        for row in 0..nodes.max().unwrap_or(0) as usize {
            let name = rows.name("NODE", row).map_or_else(|| format!("node {}", row + 1), str::to_owned);
            topology.machines.push(Machine { name, class: "node".to_owned(), parent: None });
        }
        for (application, tasks) in (1..).zip(&header.applications) {
            for (task, header) in (1..).zip(tasks) {
                let machine =
                    header.node.checked_sub(1).filter(|node| (*node as usize) < topology.machines.len());
                topology.add_task(application, task, machine.map(MachineId), rows);
                for thread in 1..=header.threads.clamp(1, THREADS_AT_ONCE) {
                    topology.add_thread(ThreadName { application, task, thread }, rows);
                }
            }
        }
        topology
    }

    /// Adds a process for a task, with the name in the `.row` file or a default name.
    fn add_task(
        &mut self,
        application: u32,
        task: u32,
        machine: Option<MachineId>,
        rows: &RowNames,
    ) -> ProcessId {
        let id = ProcessId::from(self.processes.len());
        let plain = || {
            if self.applications == 1 {
                format!("rank {}", task - 1)
            } else {
                format!("task {application}.{task}")
            }
        };
        let name = rows.name("TASK", id.index()).map_or_else(plain, str::to_owned);
        self.processes.push(Process { name, machine, kind: ProcessKind::System });
        self.tasks.insert((application, task), id);
        id
    }

    /// Adds a location for a thread, and its task if that is not known.
    fn add_thread(&mut self, thread: ThreadName, rows: &RowNames) -> LocationId {
        let id = LocationId::from(self.locations.len());
        let process = match self.tasks.get(&(thread.application, thread.task)) {
            Some(process) => *process,
            None => self.add_task(thread.application, thread.task, None, rows),
        };
        if process.index() == self.first.len() {
            self.first.push(id);
        }
        let plain = || format!("THREAD {}.{}.{}", thread.application, thread.task, thread.thread);
        let name = rows.name("THREAD", id.index()).map_or_else(plain, str::to_owned);
        let accelerator = ["CUDA", "GPU", "HIP", "OpenCL"].iter().any(|start| name.starts_with(start));
        let kind = if accelerator { LocationKind::Accelerator } else { LocationKind::Cpu };
        self.locations.push(Location { number: u64::from(id.0), name, kind, process });
        self.threads.insert(thread, id);
        id
    }

    /// The location of a record; a thread that the header does not list is added.
    pub(super) fn location(
        &mut self,
        name: ThreadName,
        diagnostics: &mut Diagnostics,
        place: impl FnOnce() -> String,
    ) -> LocationId {
        if let Some(location) = self.threads.get(&name) {
            return *location;
        }
        diagnostics.note_kind("a record names a thread that the first line does not; it was added", place);
        self.add_thread(name, &RowNames::default())
    }

    /// Adds a communicator.
    pub(super) fn add_communicator(&mut self, record: &CommunicatorRecord) {
        let member = |task: &u32| Some(self.first[self.tasks.get(&(record.application, *task))?.index()]);
        let members = record.tasks.iter().map(member).collect();
        let name = match self.applications {
            1 => format!("communicator {}", record.id),
            _ => format!("communicator {}.{}", record.application, record.id),
        };
        let of_self = record.tasks.len() == 1;
        self.communicators.push(Communicator { name, members, of_self, ..Communicator::default() });
        // Id 0 is the undefined communicator, id 1 that of all tasks.
        let id = CommunicatorId::from(self.communicators.len() + 1);
        self.known.insert((record.application, record.id), id);
    }

    /// The communicator with an application's number.
    pub(super) fn communicator_of(&self, application: u32, id: i64) -> CommunicatorId {
        let known = u64::try_from(id).ok().and_then(|id| self.known.get(&(application, id)));
        // If the trace defines no communicators, there is only the one of all tasks.
        known.copied().unwrap_or(if self.known.is_empty() { ALL } else { CommunicatorId(0) })
    }

    /// The rank of a thread's task in a communicator.
    pub(super) fn rank(&self, communicator: CommunicatorId, location: LocationId) -> Option<u32> {
        let process = self.locations[location.index()].process;
        if communicator == ALL {
            return Some(process.0);
        }
        let row = communicator.index().checked_sub(2)?;
        let first = self.first.get(process.index()).copied();
        let rank = self.communicators.get(row)?.members.iter().position(|member| *member == first)?;
        u32::try_from(rank).ok()
    }

    /// Fills the tables of definitions.
    pub(super) fn define(&self, definitions: &mut Definitions) {
        definitions.machines.clone_from(&self.machines);
        definitions.processes.clone_from(&self.processes);
        definitions.locations.clone_from(&self.locations);
        let name = if self.applications == 1 { "MPI_COMM_WORLD" } else { "all tasks" };
        let members = self.first.iter().copied().map(Some).collect();
        definitions.communicators.push(Communicator {
            name: name.to_owned(),
            members,
            ..Communicator::default()
        });
        definitions.communicators.extend(self.communicators.iter().cloned());
    }
}
