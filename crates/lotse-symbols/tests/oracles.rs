//! Results for programs that are built here, compared with binutils; and damaged programs.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests build programs and ask other tools; the crate itself does neither"
)]
#![expect(clippy::unwrap_used, reason = "functions that tests share are tests too")]

#[path = "oracles/code.rs"]
mod code;
#[path = "oracles/damage.rs"]
mod damage;
#[path = "oracles/identity.rs"]
mod identity;
#[path = "oracles/lines.rs"]
mod lines;
#[path = "oracles/names.rs"]
mod names;
#[path = "oracles/programs.rs"]
mod programs;
