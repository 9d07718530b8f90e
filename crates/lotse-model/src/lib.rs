//! The data types that all crates share: units, ids, source positions, findings, rules, benchmark results, profiles, traces.
//!
//! Promises: plain data with serde and JSON Schema, no I/O, no clock, no policy. Engines exchange these values, codecs
//! produce and consume them, and the report renders them. What a value *means* for one kind of analysis (a verdict, a wait
//! state) is decided in the engine of that analysis.

pub mod bytes;
pub mod finding;
pub mod fingerprint;
pub mod id;
pub mod invocation;
pub mod metric;
pub mod profile;
pub mod progress;
pub mod results;
pub mod rule;
pub mod site;
pub mod suite;
pub mod trace;
pub mod unit;
pub mod work;

pub use finding::Finding;
pub use fingerprint::Fingerprint;
pub use invocation::Invocation;
pub use metric::Metric;
pub use profile::Profile;
pub use progress::{NoProgress, Progress};
pub use results::ResultSet;
pub use rule::Rule;
pub use site::Site;
pub use suite::Suite;
pub use unit::{Bytes, Seconds, Share, Unit};
pub use work::Workers;
