//! How long loop nests will take, without running them.
//!
//! ```text
//!  source text                                              crates below: model, stats
//!      │ front: C (tree-sitter), Rust (syn)
//!      ▼
//!  nest::Function       symbols, arrays, tree of loops, references, operations; refusals with line and reason
//!      │ + Values (N = 1000)
//!      ▼
//!  concrete::Instance   domains (linear inequalities) and byte addresses (linear forms)
//!      │
//!      ├── count        iterations: exact numbers and formulas
//!      ├── locality     footprints, reuse, misses of each cache (Wolfe's method)
//!      │      ▲ machine   caches and constants of a processor
//!      │      ▲ compiled  instructions of the compiled loops, if the user has them
//!      ▼      │
//!  time                 chain, throughput, transfers ──> seconds, limit, sentence; best and worst case where data decide
//!      │
//!      ├── sweep, compare, rules     over a parameter, tile sizes, two functions, findings
//!      └── question, answer, report  what users ask; JSON; documents
//!
//!  fit                  measured data ──> power model of the paper, non-negative robust model, warnings as findings
//! ```
//!
//! # What is missing
//!
//! In the order in which it is needed:
//! 1. A run of the accuracy benchmark (`predict_accuracy`) on a quiet machine. The deviations of [`time::Limit`] and
//!    `serial_share` come from its training half on a shared machine; constants such as `waiting` are judgements.
//! 2. `time`: gcc -O3 exchanges loops, which is not assumed; the costs of loads, stores and instructions are typical ones, not
//!    calibrated; translation of addresses (TLB) is only in scattered costs, so that columns of matrices beyond some hundred
//!    rows are predicted too fast.
//! 3. Front ends: small functions of the same file called in a loop (accessors such as `get(m, i, j)`), iterator chains that end
//!    in `sum` or `fold`, structs as elements and loops over other containers in Rust, `do` loops that count, trip counts that
//!    depend on data as parameters.
//! 4. The formula is that of iterations times the nanoseconds at the values at hand; misses have no formula of their own.
//! 5. Locality: members of a class that are several iterations apart are taken to be reused if one iteration survives.
//!
//! # Promises
//!
//! Nothing is executed and nothing is enumerated, so that the work does not grow with N; what a front end or an
//! analysis does not understand is named with its line and reason and never counted as nothing; no file is opened here.

pub mod algebra;
pub mod answer;
pub mod compare;
pub mod compiled;
pub mod concrete;
pub mod count;
#[cfg(test)]
mod execute;
pub mod fit;
pub mod front;
pub mod locality;
pub mod machine;
pub mod nest;
pub mod question;
pub mod report;
pub mod rules;
pub mod sweep;
pub mod time;
