//! What a program's data structures tell: from streams of accesses to phases, findings and pictures.
//!
//! The analysis does no input or output and knows no recorder. A producer (a recorder's decoder) feeds it and asks for
//! the result:
//!
//! ```
//! use std::sync::Arc;
//! use lotse_spy::{Access, AccessRun, CodeTable, Container, Instance, InstanceAnalysis, Kind, Program, RunTime, Settings};
//!
//! let settings = Arc::new(Settings::default());
//! let mut codes = CodeTable::default();
//! let site = codes.add(CodeTable::place("src/main.rs", 12, 17, "main", Some("new")));
//! let push = codes.add(CodeTable::place("src/main.rs", 14, 9, "main", Some("push")));
//!
//! // One analysis for each instance; several instances can be analysed at the same time (`Send`).
//! let instance = Instance::new(7, Container::Vec, 8, site);
//! let mut analysis = InstanceAnalysis::new(instance, &settings);
//! // The accesses of all threads in the order of time. Equal strides are joined by the analysis itself.
//! for i in 0..2000 {
//!     analysis.access(Access::at(Kind::Insert, i, i, 10 * i).by(push));
//! }
//! // A producer that knows runs may pass them whole; a run costs as much as one access.
//! let read = Access::at(Kind::Read, 0, 2000, 30_000).by(push);
//! analysis.run(AccessRun { count: 2000, index_stride: 1, last_time: 50_000, ..AccessRun::single(read) });
//! analysis.grown(1024, 2048, push);
//! let protocol = analysis.finish();
//!
//! // Protocols of all instances, in any order, are merged by their site of creation.
//! let mut program = Program::new(&settings);
//! program.add(protocol, &codes);
//! let outcome = program.findings(&codes, RunTime { unrecorded: Some(0.1), recorded: Some(0.4) });
//! assert!(outcome.findings.iter().any(|found| found.finding.rule.id == "spy-long-insert"));
//! ```
//!
//! **Contract of the input.** Accesses of one instance arrive in the order of time, from all threads.
//! [`Access::length`] is the number of elements *before* the access: `push` has `index == length`, `pop` has
//! `index + 1 == length`, `insert(0, x)` and `remove(0)` have index 0. Each element that `extend`, `drain` or `retain` adds
//! or takes out is an access of its own. `clear`, `sort`, `reverse`, `clone` and `for_each` are one access without index.
//! Accesses to hash maps and trees have no index, unless the recorder knows a slot that is the same for the same key.
//! Times are nanoseconds of the recording on any common base. Iterations ([`Iteration`]) are given where the recorder
//! knows loop borders.
//!
//! **Contract of the output.** The analysis streams: its memory grows with instances and with kept phases, not with
//! events. A run of equal steps costs the same as one access in every detector and rule, and gives the same result as
//! its accesses one by one. What is bounded says so: [`PhaseList::dropped`], `Tally::others`.
//!
//! | module | content |
//! |---|---|
//! | [`access`] | accesses and runs |
//! | [`digest`] | what one reading of a history gives, to be kept |
//! | [`instance`] | instances, code places |
//! | [`nesting`] | loops within loops |
//! | [`phases`] | the 16 characteristics |
//! | [`protocol`] | a history with its phases and counts |
//! | [`rules`] | findings |
//! | [`severity`] | modelled cost of accesses, share of the run time |
//! | [`answer`] | what JSON has |
//! | [`picture`] | index over time, for any number of events |

pub mod access;
mod analyses;
mod analysis;
pub mod answer;
mod code;
pub mod container;
pub mod decode;
pub mod digest;
mod frame_table;
pub mod instance;
pub mod nesting;
mod observe;
pub mod phases;
pub mod picture;
mod places;
mod program;
pub mod protocol;
pub mod record;
pub mod report;
pub mod rules;
mod samples;
pub mod settings;
pub mod severity;
mod tally;

pub use access::{Access, AccessRun, Iteration};
pub use analyses::{Analysed, Analyses, Gallery};
pub use analysis::InstanceAnalysis;
pub use container::{Container, Kind};
pub use digest::Digest;
pub use frame_table::{FrameTable, StoredFrame};
pub use instance::{Code, CodeId, CodeTable, Instance, InstanceId, LoopId, ThreadId};
pub use phases::{Characteristic, Phase, PhaseList};
pub use program::{Outcome, Program, Silence, SiteSummary, SpyFinding};
pub use protocol::Protocol;
pub use settings::{Settings, Thresholds};
pub use severity::RunTime;
pub use tally::Tally;
