//! Access to the operating system: the only crate that starts programs, and reads and changes the system. One file per facility.
//!
//! Runs are started by a small static process ([`Launcher`]), so that neither their peak memory nor the cost of starting them
//! depends on Lotse. Other modules describe the machine or read and write files.

mod append;
#[cfg(unix)]
pub mod build;
mod cache;
mod calibrate;
mod capabilities;
mod compile;
mod counter;
mod cpus;
mod data_caches;
mod date;
mod debuginfod;
mod disturbance;
mod fingerprint;
mod folder;
#[cfg(unix)]
mod heap;
mod index_place;
mod job;
#[cfg_attr(not(target_os = "linux"), path = "launcher_unsupported.rs")]
mod launcher;
mod offspring;
pub mod package;
mod preprocess;
mod problem;
#[cfg_attr(not(target_os = "linux"), path = "quiet_unsupported.rs")]
pub mod quiet;
mod report;
mod resolve;
mod rings;
mod scratch;
mod separation_choice;
mod signals;
mod source;
#[cfg(unix)]
pub mod spy;
mod state;
mod terminal;
mod threads;
mod tools;
mod tree;

pub use append::{AppendFile, Existing};
pub use cache::{Cache, CacheEntry};
pub use calibrate::{
    Latencies, LineTimes, MeasuredConstant, OperationCosts, latencies, line_times, operation_costs,
    page_walks,
};
pub use capabilities::{Capability, CapabilityState, CountingProblem, Live, capabilities, capabilities_of};
pub use compile::{CompileError, compile, linked};
pub use counter::{CounterSpec, CounterStatus, CounterValue};
pub use cpus::{random_seed, two_cpus};
pub use data_caches::{DataCache, data_caches, data_caches_of};
pub use date::{utc_now, utc_of};
pub use debuginfod::{Debuginfod, DebuginfodProblem};
pub use disturbance::{Disturbance, SystemProbe, SystemState, disturbance_between};
pub use fingerprint::{fingerprint, fingerprint_of};
pub use folder::{FolderFiles, FolderSource};
#[cfg(unix)]
pub use heap::{HeapShim, HeapShimError, Unmovable, unmovable};
pub use index_place::{IndexPlace, program_stamp};
pub use job::{Environment, Input, Job, Output};
pub use launcher::{Launcher, LauncherOptions};
pub use preprocess::{PreprocessError, preprocess};
pub use problem::{LaunchError, StartProblem};
pub use report::{Captured, End, RunReport, Usage};
pub use rings::{Arrival, Ring, RingDirectory, process_exists};
pub use scratch::Scratch;
pub use signals::Interrupt;
pub use source::{FileError, FileSink, FileSource, FileStamp};
pub use state::StateFile;
pub use terminal::Screen;
pub use threads::Threads;
pub use tools::{TOOLS, Tool, ToolState, find_tool, tool_state};
pub use tree::SystemTree;
