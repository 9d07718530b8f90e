//! The tables that events point into.

use crate::id::{CommunicatorId, LocationId, MachineId, ProcessId};

/// Everything that is said once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definitions {
    /// How ticks count.
    pub clock: Clock,
    /// Functions, loops, directives. The first is unknown.
    pub regions: Vec<Region>,
    /// The machine and its parts: nodes, sockets.
    pub machines: Vec<Machine>,
    /// Groups of locations that share memory: processes, accelerators.
    pub processes: Vec<Process>,
    /// Where events happen, in the order of their definition.
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
    /// Tables with nothing but the unknown entries, for a clock.
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

    /// Seconds of a span.
    pub fn seconds(&self, ticks: u64) -> f64 {
        self.clock.seconds(ticks)
    }
}

/// How ticks count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Ticks in a second.
    pub resolution: u64,
    /// The tick at which the recorder says the run began; 0 where it does not say.
    pub offset: u64,
    /// How long it says the run took, in ticks; 0 where it does not say.
    pub length: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { resolution: 1_000_000_000, offset: 0, length: 0 }
    }
}

impl Clock {
    /// Seconds of a span.
    pub fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 / self.resolution.max(1) as f64
    }
}

/// A piece of code that is entered and left.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Region {
    /// As shown to people.
    pub name: String,
    /// What it is for.
    pub role: RegionRole,
    /// Whose it is.
    pub paradigm: Paradigm,
    /// Its source file, empty where unknown.
    pub file: String,
    /// Its first line, 0 where unknown.
    pub begin_line: u32,
    /// Its last line, 0 where unknown.
    pub end_line: u32,
}

impl Region {
    /// A function of the program of which nothing but the name is known.
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

/// What a region is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the roles are OTF2's and named so")]
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

/// Whose a region is: the program's own, or a programming model's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paradigm {
    /// Not said.
    Unknown,
    /// The program.
    User,
    /// The compiler's instrumentation of the program.
    Compiler,
    /// Sampled, not instrumented.
    Sampling,
    /// OpenMP.
    OpenMp,
    /// MPI.
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
    /// Something else.
    Other,
}

/// A part of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// What kind of part: machine, node, socket.
    pub class: String,
    /// What it is part of.
    pub parent: Option<MachineId>,
}

/// A group of locations that share memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Where it runs.
    pub machine: Option<MachineId>,
    /// What it is.
    pub kind: ProcessKind,
}

/// What a group of locations that share memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessKind {
    /// A process of the operating system.
    System,
    /// An accelerator, or a context on one.
    Accelerator {
        /// The process that uses it, where the trace says so.
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
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: LocationKind,
    /// Whose it is.
    pub process: ProcessId,
}

/// What a location is.
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
    /// Not said.
    Unknown,
}

/// A set of processes or threads that talk to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Communicator {
    /// Its name.
    pub name: String,
    /// Who has which rank; a member that is not traced is `None`.
    pub members: Vec<Option<LocationId>>,
    /// The other group, where this is an inter-communicator: ranks in records are of that group.
    pub remote: Vec<Option<LocationId>>,
    /// What it was made from.
    pub parent: Option<CommunicatorId>,
    /// A communicator of one: each process has its own.
    pub of_self: bool,
}

/// Memory that others may write to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// Its name.
    pub name: String,
    /// Who takes part.
    pub communicator: CommunicatorId,
}

/// A group of ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Who; a member that is not traced is `None`.
    pub members: Vec<Option<LocationId>>,
}
