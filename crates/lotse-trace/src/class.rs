//! Classifies regions: computation, or the kind of communication, synchronisation or management.
//!
//! Recorders differ in the roles and paradigms that they give to regions; where these do not decide, the name does.

use lotse_model::trace::{Paradigm, Region, RegionRole};

mod accelerators;
mod sleeping;

pub(crate) use accelerators::{is_asynchronous, starts_work, waits_for_all};

/// The classes of regions, which are leaves of the time tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The program's own work.
    Computation,
    /// Calls that return after a time or, at the latest, then: neither work nor waiting for another thread.
    Sleep,
    /// Outside of all regions: before the first one, or on a thread between two parallel regions.
    Outside,
    /// Point-to-point messages, and their completion.
    PointToPoint,
    Collective,
    Rma,
    /// `MPI_Init`, `MPI_Finalize`.
    InitFinalize,
    /// Other calls of MPI.
    OtherMpi,
    /// Barriers of OpenMP, explicit and implicit.
    OpenMpBarrier,
    /// Other OpenMP constructs; the code inside a parallel region is not among them.
    OpenMp,
    /// Mutexes, critical sections, conditions.
    Lock,
    /// Barriers of a threading library.
    ThreadBarrier,
    /// Creating and joining threads.
    Threading,
    /// File input and output.
    Io,
    /// Calls that return when an accelerator has completed some work.
    AcceleratorSync,
    /// Calls that copy, set or free memory of an accelerator, which may wait for it.
    AcceleratorMemory,
    /// Other calls of an accelerator's API: allocation, launch, query.
    AcceleratorCall,
    /// The recorder's own time.
    Recorder,
}

impl Class {
    /// All classes, in the order of the tree.
    pub const ALL: &'static [Self] = &[
        Self::Computation,
        Self::Sleep,
        Self::Outside,
        Self::PointToPoint,
        Self::Collective,
        Self::Rma,
        Self::InitFinalize,
        Self::OtherMpi,
        Self::OpenMpBarrier,
        Self::OpenMp,
        Self::Lock,
        Self::ThreadBarrier,
        Self::Threading,
        Self::Io,
        Self::AcceleratorSync,
        Self::AcceleratorMemory,
        Self::AcceleratorCall,
        Self::Recorder,
    ];

    /// Its name in answers.
    pub fn id(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Sleep => "sleep",
            Self::Outside => "outside",
            Self::PointToPoint => "mpi_point_to_point",
            Self::Collective => "mpi_collective",
            Self::Rma => "mpi_rma",
            Self::InitFinalize => "mpi_init_finalize",
            Self::OtherMpi => "mpi_other",
            Self::OpenMpBarrier => "omp_barrier",
            Self::OpenMp => "omp",
            Self::Lock => "lock",
            Self::ThreadBarrier => "thread_barrier",
            Self::Threading => "threading",
            Self::Io => "io",
            Self::AcceleratorSync => "accelerator_sync",
            Self::AcceleratorMemory => "accelerator_memory",
            Self::AcceleratorCall => "accelerator_call",
            Self::Recorder => "recorder",
        }
    }

    /// Whether time in it is spent in MPI.
    pub fn is_mpi(self) -> bool {
        matches!(
            self,
            Self::PointToPoint | Self::Collective | Self::Rma | Self::InitFinalize | Self::OtherMpi
        )
    }

    /// Whether its calls belong to an accelerator's API.
    pub fn is_accelerator(self) -> bool {
        matches!(self, Self::AcceleratorSync | Self::AcceleratorMemory | Self::AcceleratorCall)
    }

    /// Whether it is a barrier between threads of a process.
    pub fn is_barrier_of_threads(self) -> bool {
        matches!(self, Self::OpenMpBarrier | Self::ThreadBarrier)
    }

    /// Whether its calls are primitive activities, each of which the store keeps individually.
    pub fn is_primitive(self) -> bool {
        !self.is_program() && self != Self::Outside
    }

    /// Whether it is what the program does by itself, which nothing but the program can change.
    pub fn is_program(self) -> bool {
        matches!(self, Self::Computation | Self::Sleep)
    }
}

/// The class of a region, from its definition alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionClass {
    pub class: Class,
    /// The call's name in lower case without Fortran's underscore: `mpi_waitall`, `pthread_mutex_lock`.
    pub name: String,
}

impl RegionClass {
    /// Classifies a region.
    pub fn new(region: &Region) -> Self {
        let name = plain(&region.name);
        Self { class: class(region, &name), name }
    }

    /// Whether the call completes several requests at once.
    pub fn completes_many(&self) -> bool {
        matches!(self.name.as_str(), "mpi_waitall" | "mpi_waitsome" | "mpi_testall" | "mpi_testsome")
    }

    /// Whether the call completes one request.
    pub fn completes_one(&self) -> bool {
        matches!(self.name.as_str(), "mpi_wait" | "mpi_waitany")
    }
}

/// A call's name in lower case; for MPI without `p` prefix and Fortran suffix.
fn plain(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let lower = lower.strip_prefix("pmpi_").map_or_else(|| lower.clone(), |rest| format!("mpi_{rest}"));
    let known = lower.starts_with("mpi_");
    if known { lower.trim_end_matches('_').trim_end_matches("_f08").to_owned() } else { lower }
}

fn class(region: &Region, name: &str) -> Class {
    if let Some(rest) = name.strip_prefix("mpi_") {
        return mpi(rest, region.role);
    }
    if let Some(class) = accelerators::class(region, name) {
        return class;
    }
    match region.paradigm {
        Paradigm::Mpi => mpi(name, region.role),
        Paradigm::Measurement => Class::Recorder,
        Paradigm::Io => Class::Io,
        Paradigm::OpenMp => openmp(region.role),
        Paradigm::Threads => threads(name, region.role),
        _ => by_name(name, region.role),
    }
}

const P2P: &[&str] = &[
    "send",
    "ssend",
    "bsend",
    "rsend",
    "isend",
    "issend",
    "ibsend",
    "irsend",
    "recv",
    "irecv",
    "sendrecv",
    "sendrecv_replace",
    "wait",
    "waitall",
    "waitany",
    "waitsome",
    "test",
    "testall",
    "testany",
    "testsome",
    "probe",
    "iprobe",
    "mprobe",
    "improbe",
    "mrecv",
    "imrecv",
    "start",
    "startall",
    "send_init",
    "recv_init",
    "ssend_init",
    "bsend_init",
    "rsend_init",
    "cancel",
    "request_free",
];

const COLLECTIVE: &[&str] = &[
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "allreduce",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
];

fn mpi(rest: &str, role: RegionRole) -> Class {
    let plain = rest.strip_prefix('i').filter(|_| !COLLECTIVE.contains(&rest)).unwrap_or(rest);
    // Neighbourhood collectives are collectives as well.
    let plain = plain.strip_prefix("neighbor_").unwrap_or(plain);
    match rest {
        "init" | "init_thread" | "finalize" => Class::InitFinalize,
        _ if P2P.contains(&rest) => Class::PointToPoint,
        _ if COLLECTIVE.contains(&plain) => Class::Collective,
        _ if rest.starts_with("win_") || is_rma(rest) => Class::Rma,
        _ if rest.starts_with("file_") => Class::Io,
        _ => match role {
            RegionRole::PointToPoint => Class::PointToPoint,
            RegionRole::CollOneToAll | RegionRole::CollAllToOne | RegionRole::CollAllToAll => {
                Class::Collective
            }
            RegionRole::Barrier => Class::Collective,
            RegionRole::Rma => Class::Rma,
            _ => Class::OtherMpi,
        },
    }
}

fn is_rma(rest: &str) -> bool {
    let rest = rest.strip_prefix('r').filter(|it| it.len() > 2).unwrap_or(rest);
    matches!(
        rest,
        "put" | "get" | "accumulate" | "get_accumulate" | "fetch_and_op" | "compare_and_swap" | "put_notify"
    )
}

fn openmp(role: RegionRole) -> Class {
    match role {
        RegionRole::Barrier | RegionRole::ImplicitBarrier => Class::OpenMpBarrier,
        RegionRole::Critical | RegionRole::Atomic | RegionRole::Ordered => Class::Lock,
        // The code inside these is the program's own work.
        RegionRole::Parallel
        | RegionRole::Loop
        | RegionRole::Workshare
        | RegionRole::Sections
        | RegionRole::Section
        | RegionRole::Single
        | RegionRole::SingleSblock
        | RegionRole::Master
        | RegionRole::CriticalSblock
        | RegionRole::OrderedSblock
        | RegionRole::Task
        | RegionRole::TaskUntied => Class::Computation,
        _ => Class::OpenMp,
    }
}

fn threads(name: &str, role: RegionRole) -> Class {
    match role {
        RegionRole::ThreadCreate | RegionRole::ThreadWait => Class::Threading,
        RegionRole::Barrier => Class::ThreadBarrier,
        _ => by_name(name, role),
    }
}

/// Classifies by name where role and paradigm do not decide: pthreads, semaphores, OpenMP's runtime calls and directives.
fn by_name(name: &str, role: RegionRole) -> Class {
    if let Some(rest) = name.strip_prefix("pthread_") {
        return pthread(rest);
    }
    if name.starts_with("omp_set_lock") || name.starts_with("omp_set_nest_lock") {
        return Class::Lock;
    }
    if let Some(rest) = name.strip_prefix("openmp ") {
        return openmp_by_name(rest);
    }
    if matches!(name, "sem_wait" | "sem_timedwait" | "sem_clockwait" | "sem_trywait" | "sem_post") {
        return Class::Lock;
    }
    if is_lock_of_python(name) {
        return Class::Lock;
    }
    if sleeping::is_sleep(name) {
        return Class::Sleep;
    }
    if name.starts_with("!$omp") || name.starts_with("omp ") {
        return openmp(if name.contains("barrier") { RegionRole::ImplicitBarrier } else { role });
    }
    match role {
        RegionRole::FileIo | RegionRole::FileIoMetadata => Class::Io,
        RegionRole::Artificial => Class::Computation,
        RegionRole::Barrier | RegionRole::ImplicitBarrier => Class::OpenMpBarrier,
        RegionRole::ThreadCreate | RegionRole::ThreadWait => Class::Threading,
        _ => Class::Computation,
    }
}

/// Whether a function of CPython's interpreter does nothing but wait for a lock. `Thread.join` and `Condition.wait` end here.
pub(crate) fn is_lock_of_python(name: &str) -> bool {
    matches!(name, "_thread.lock.acquire" | "_thread.rlock.acquire" | "_thread._threadhandle.join")
}

/// Constructs that a recorder (eztrace) identifies by their names alone. It records a critical or ordered section from
/// the lock request to the release; if it learns of the section from the runtime (OMPT), only the wait for the lock.
fn openmp_by_name(rest: &str) -> Class {
    match rest {
        "barrier" | "implicit barrier" => Class::OpenMpBarrier,
        "critical" | "ordered" | "acquire mutex" => Class::Lock,
        _ if rest.ends_with(" lock") => Class::Lock,
        _ if rest.ends_with("task create") || rest.ends_with("task wait") => Class::OpenMp,
        _ => Class::Computation,
    }
}

fn pthread(rest: &str) -> Class {
    match rest {
        "create" | "join" | "exit" => Class::Threading,
        "barrier_wait" => Class::ThreadBarrier,
        _ if rest.starts_with("mutex_") || rest.starts_with("spin_") || rest.starts_with("rwlock_") => {
            Class::Lock
        }
        _ if rest.starts_with("cond_") || rest.starts_with("sem_") => Class::Lock,
        _ => Class::Computation,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Paradigm, Region, RegionRole};

    use super::{Class, RegionClass};

    fn class(name: &str) -> Class {
        RegionClass::new(&Region::named(name)).class
    }

    #[test]
    fn names_of_mpi_are_known_in_all_spellings() {
        for name in ["MPI_Recv", "mpi_recv_", "PMPI_Recv", "mpi_recv_f08_"] {
            assert_eq!(class(name), Class::PointToPoint, "{name}");
        }
        assert_eq!(class("MPI_Iallreduce"), Class::Collective);
        assert_eq!(class("MPI_Neighbor_alltoallw"), Class::Collective);
        assert_eq!(class("MPI_Ineighbor_allgather"), Class::Collective);
        assert_eq!(class("MPI_Ireduce"), Class::Collective);
        assert_eq!(class("MPI_Win_fence"), Class::Rma);
        assert_eq!(class("MPI_Rput"), Class::Rma);
        assert_eq!(class("MPI_File_write_all"), Class::Io);
        assert_eq!(class("MPI_Comm_rank"), Class::OtherMpi);
        assert_eq!(class("MPI_Init_thread"), Class::InitFinalize);
    }

    #[test]
    fn the_inside_of_a_parallel_region_is_work() {
        let region = |role| Region { role, paradigm: Paradigm::OpenMp, ..Region::named("!$omp x @a.c:1") };
        assert_eq!(RegionClass::new(&region(RegionRole::Parallel)).class, Class::Computation);
        assert_eq!(RegionClass::new(&region(RegionRole::ImplicitBarrier)).class, Class::OpenMpBarrier);
        assert_eq!(RegionClass::new(&region(RegionRole::Critical)).class, Class::Lock);
    }

    #[test]
    fn constructs_of_openmp_by_name() {
        assert_eq!(class("OpenMP critical"), Class::Lock);
        assert_eq!(class("OpenMP Set Nest Lock"), Class::Lock);
        assert_eq!(class("OpenMP acquire mutex"), Class::Lock);
        assert_eq!(class("OpenMP implicit barrier"), Class::OpenMpBarrier);
        assert_eq!(class("OpenMP Task wait"), Class::OpenMp);
        assert_eq!(class("OpenMP Parallel"), Class::Computation);
        assert_eq!(class("OpenMP Untied  Task run"), Class::Computation);
    }

    #[test]
    fn threads_and_locks_by_name() {
        assert_eq!(class("sem_wait"), Class::Lock);
        assert_eq!(class("pthread_mutex_lock"), Class::Lock);
        assert_eq!(class("pthread_cond_wait"), Class::Lock);
        assert_eq!(class("pthread_create"), Class::Threading);
        assert_eq!(class("pthread_barrier_wait"), Class::ThreadBarrier);
        assert_eq!(class("compute"), Class::Computation);
        assert_eq!(class("time.sleep"), Class::Sleep);
    }

    #[test]
    fn waiting_for_several_requests_is_distinguished() {
        assert!(RegionClass::new(&Region::named("mpi_waitall_")).completes_many());
        assert!(RegionClass::new(&Region::named("MPI_Wait")).completes_one());
    }
}
