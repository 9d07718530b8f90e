//! Analyses how a program uses its data structures: from recorded accesses to phases, findings and pictures.
//!
//! The analysis does no input or output and is independent of the recorder. A producer, such as the decoder of a recorded
//! history, passes accesses to it and takes the result:
//!
//! ```
//! use std::sync::Arc;
//! use lotse_spy::{Access, AccessKind, AccessRun, CodeTable, Container, Instance, InstanceAnalysis, Program, RunTime, Settings};
//!
//! let settings = Arc::new(Settings::default());
//! let mut codes = CodeTable::default();
//! let site = codes.add(CodeTable::code_at("src/main.rs", 12, 17, "main", Some("new")));
//! let push = codes.add(CodeTable::code_at("src/main.rs", 14, 9, "main", Some("push")));
//!
//! // One analysis per instance; several instances can be analysed in parallel (`Send`).
//! let instance = Instance::new(7, Container::Vec, 8, site);
//! let mut analysis = InstanceAnalysis::new(instance, &settings);
//! // The accesses of all threads in the order of time. The analysis joins accesses with equal strides into runs.
//! for i in 0..2000 {
//!     analysis.add_access(Access::at(AccessKind::Insert, i, i, 10 * i).by(push));
//! }
//! // A producer may also pass runs; a run costs as much as one access.
//! let read = Access::at(AccessKind::Read, 0, 2000, 30_000).by(push);
//! analysis.add_run(AccessRun { count: 2000, index_stride: 1, last_time: 50_000, ..AccessRun::single(read) });
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
//! `index + 1 == length`, `insert(0, x)` and `remove(0)` have index 0. Each element that `extend`, `drain` or `retain` inserts
//! or deletes is an access of its own. `clear`, `sort`, `reverse`, `clone` and `for_each` are one access without index.
//! Accesses to hash maps and trees have no index, unless the recorder knows a slot that is the same for the same key.
//! Times are nanoseconds of the recording since any common origin. Iterations ([`Iteration`]) are given where the recorder
//! knows where loop iterations begin.
//!
//! **Contract of the output.** The analysis is streaming: its memory grows with the number of instances and of kept phases,
//! not with the number of accesses. A run costs the same as one access in every detector and rule, and gives the same
//! result as its accesses one by one. Where a limit drops something, it is counted: [`PhaseList::dropped`],
//! `KeyCounts::others`.
//!
//! | module | content |
//! |---|---|
//! | [`access`] | accesses and runs |
//! | [`digest`] | the cached result of decoding and analysing a history |
//! | [`instance`] | instances and code places |
//! | [`nesting`] | the loops of the program and how they are nested |
//! | [`phases`] | phases and their 16 characteristics |
//! | [`protocol`] | the phases and counts of one instance's history |
//! | [`rules`] | findings |
//! | [`severity`] | modelled cost of accesses, and share of the run time |
//! | [`answer`] | the JSON output |
//! | [`picture`] | diagrams of index over time, for any number of accesses |

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
mod key_counts;
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

pub use access::{Access, AccessRun, Iteration};
pub use analyses::{Analyses, AnalysisResult, Gallery};
pub use analysis::InstanceAnalysis;
pub use container::{AccessKind, Container};
pub use digest::Digest;
pub use frame_table::{FrameTable, StoredFrame};
pub use instance::{Code, CodeId, CodeTable, Instance, InstanceId, LoopId, ThreadId};
pub use key_counts::KeyCounts;
pub use phases::{Characteristic, Phase, PhaseList};
pub use program::{Outcome, Program, SiteSummary, SkippedRule, SpyFinding};
pub use protocol::Protocol;
pub use settings::{Settings, Thresholds};
pub use severity::RunTime;
