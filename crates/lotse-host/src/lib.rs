//! The only crate with effects on the operating system: a file per facility.
//!
//! Runs are started by a small static process ([`Launcher`]), so that neither their peak memory nor the cost
//! of starting them depends on Lotse. The rest reads what the system says about itself, or moves bytes.

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
pub use calibrate::{Costs, Latencies, Lines, Measured, costs, latencies, lines, page_walks};
pub use capabilities::{
    Capability, CountingProblem, Live, State as CapabilityState, capabilities, capabilities_of,
};
pub use compile::{CompileError, compile, linked};
pub use counter::{CounterSpec, CounterStatus, CounterValue};
pub use cpus::{random_seed, two_cpus};
pub use data_caches::{DataCache, data_caches, data_caches_of};
pub use date::{utc_now, utc_of};
pub use debuginfod::{Debuginfod, DebuginfodProblem};
pub use disturbance::{Disturbance, SystemProbe, SystemState, between};
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
pub use tools::{TOOLS, Tool, ToolState, ask as ask_tool, find as find_tool};
pub use tree::SystemTree;
