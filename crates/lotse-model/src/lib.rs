//! The words Lotse speaks: units, ids, sites, findings, rules, measurements and the machine they were made on.
//!
//! Promises: plain data with serde and JSON Schema, no I/O, no clock, no policy. Engines exchange these values,
//! codecs produce and consume them, the report renders them. What the values *mean* for one pillar (a verdict,
//! a wait state) lives in that pillar's engine.

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
