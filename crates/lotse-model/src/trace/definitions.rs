//! The definitions of a trace: the tables that the ids of events index.

use crate::id::{CommunicatorId, LocationId, MachineId, ProcessId};

/// The definitions of a trace: the tables that the ids of events index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definitions {
    pub clock: Clock,
    /// Functions, loops, directives. The first is the unknown region.
    pub regions: Vec<Region>,
    /// The machine and its parts: nodes, sockets.
    pub machines: Vec<Machine>,
    /// Groups of locations that share memory: processes, accelerators.
    pub processes: Vec<Process>,
    /// Threads and accelerator streams, in the order of their definition.
    pub locations: Vec<Location>,
    /// Communicators, and teams of threads. The first is unknown.
    pub communicators: Vec<Communicator>,
    /// Windows for one-sided communication. The first is unknown.
    pub windows: Vec<Window>,
    /// Groups of ranks that one-sided synchronisation names. The first is unknown.
    pub groups: Vec<Group>,
    /// What the recorder wrote about itself and the program, by name.
    pub properties: Vec<(String, String)>,
}

impl Definitions {
    /// Tables that contain only the placeholders for unknown ids.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            regions: vec![Region::named("(unknown)")],
            communicators: vec![Communicator { name: "(unknown)".to_owned(), ..Communicator::default() }],
            windows: vec![Window::default()],
            groups: vec![Group::default()],
            ..Self::default()
        }
    }

    /// The process of a location.
    pub fn process_of(&self, location: LocationId) -> Option<ProcessId> {
        self.locations.get(location.index()).map(|it| it.process)
    }

    /// A duration in seconds.
    pub fn seconds(&self, ticks: u64) -> f64 {
        self.clock.seconds(ticks)
    }
}

/// The clock of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Ticks per second.
    pub resolution: u64,
    /// The tick at which the recording began; 0 where the file does not state it.
    pub offset: u64,
    /// The length of the recording in ticks; 0 where the file does not state it.
    pub length: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { resolution: 1_000_000_000, offset: 0, length: 0 }
    }
}

impl Clock {
    /// A duration in seconds.
    pub fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 / self.resolution.max(1) as f64
    }
}

/// A region of code whose entry and exit are recorded: a function, a loop, a directive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Region {
    /// The name for reports.
    pub name: String,
    pub role: RegionRole,
    pub paradigm: Paradigm,
    /// Its source file, empty where unknown.
    pub file: String,
    /// Its first line, 0 where unknown.
    pub begin_line: u32,
    /// Its last line, 0 where unknown.
    pub end_line: u32,
}

impl Region {
    /// A function of the program of which only the name is known.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            role: RegionRole::Function,
            paradigm: Paradigm::User,
            file: String::new(),
            begin_line: 0,
            end_line: 0,
        }
    }
}

/// What a region is for, with the names of OTF2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegionRole {
    Unknown,
    Function,
    Wrapper,
    Loop,
    Code,
    Parallel,
    Sections,
    Section,
    Workshare,
    Single,
    SingleSblock,
    Master,
    Critical,
    CriticalSblock,
    Atomic,
    Barrier,
    ImplicitBarrier,
    Flush,
    Ordered,
    OrderedSblock,
    Task,
    TaskCreate,
    TaskWait,
    CollOneToAll,
    CollAllToOne,
    CollAllToAll,
    CollOther,
    FileIo,
    PointToPoint,
    Rma,
    DataTransfer,
    Artificial,
    ThreadCreate,
    ThreadWait,
    TaskUntied,
    Allocate,
    Deallocate,
    Reallocate,
    FileIoMetadata,
}

/// The origin of a region: the program itself, or the programming model that the region belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paradigm {
    Unknown,
    /// The program.
    User,
    /// The compiler's instrumentation of the program.
    Compiler,
    /// Sampled, not instrumented.
    Sampling,
    OpenMp,
    Mpi,
    /// SHMEM, GASPI, UPC and their like.
    OneSided,
    /// POSIX threads, Qt threads, ACE and their like.
    Threads,
    /// CUDA, OpenCL, OpenACC, HIP and their like.
    Accelerator,
    /// The recorder itself.
    Measurement,
    /// Reading and writing of files.
    Io,
    Other,
}

/// A node of the system tree: the machine, a cluster node, a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    pub name: String,
    /// The recorder's word for the kind: machine, node, socket.
    pub class: String,
    /// The node that contains it.
    pub parent: Option<MachineId>,
}

/// A group of locations that share memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub name: String,
    pub machine: Option<MachineId>,
    pub kind: ProcessKind,
}

/// Whether a group of locations is a process of the operating system or an accelerator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessKind {
    /// A process of the operating system.
    System,
    /// An accelerator, or a context on one.
    Accelerator {
        /// The process that uses it, where the trace states it.
        creator: Option<ProcessId>,
    },
}

impl ProcessKind {
    /// Whether it is an accelerator.
    pub fn is_accelerator(self) -> bool {
        matches!(self, Self::Accelerator { .. })
    }
}

/// Where events happen: a thread, or a stream of an accelerator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The number the recorder gave it.
    pub number: u64,
    pub name: String,
    pub kind: LocationKind,
    pub process: ProcessId,
}

/// What a location executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationKind {
    /// A thread on a processor.
    Cpu,
    /// A stream of an accelerator.
    Accelerator,
    /// A source of metric values.
    Metric,
    /// Remarks of the recorder about the recording.
    Annotation,
    Unknown,
}

/// An MPI communicator or a team of threads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Communicator {
    pub name: String,
    /// The location of each rank; `None` for a rank that is not traced.
    pub members: Vec<Option<LocationId>>,
    /// The remote group of an inter-communicator, to which the ranks in records refer; empty for other communicators.
    pub remote: Vec<Option<LocationId>>,
    /// The communicator it was created from.
    pub parent: Option<CommunicatorId>,
    /// Whether it is a communicator such as `MPI_COMM_SELF`, of which every process has its own with itself as the only member.
    pub of_self: bool,
}

/// A window of memory for one-sided communication (RMA).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    pub name: String,
    pub communicator: CommunicatorId,
}

/// A group of ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    pub name: String,
    /// The locations of the ranks; `None` for a rank that is not traced.
    pub members: Vec<Option<LocationId>>,
}
