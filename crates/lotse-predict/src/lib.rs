//! Predicts how long loop nests take, without running them.
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
//!  time                 chain, throughput, transfers ──> seconds, limit, sentence; best and worst case of data-dependent loops
//!      │
//!      ├── sweep, compare, rules     over a parameter, tile sizes, two functions, findings
//!      ├── question, answer, report  the user's request; JSON; documents
//!      └── saved                     saved JSON ──> documents with pictures
//!
//!  fit                  measured data ──> power model of the paper, non-negative robust model, warnings as findings
//! ```
//!
//! # What is missing
//!
//! Most needed first:
//! 1. A run of the accuracy benchmark (`predict_accuracy`) on a quiet machine. The deviations of [`time::Limit`] and
//!    `serial_share` come from its training half on a shared machine; constants such as `waiting` are estimates by judgement.
//! 2. `time`: gcc -O3 interchanges loops, which is not modelled; the costs of loads, stores and instructions are typical ones,
//!    not calibrated; address translation (TLB misses) is only in the cost of data-dependent accesses, so the time to traverse
//!    a column of a matrix with more than some hundred rows is underestimated.
//! 3. Front ends: small functions of the same file called in a loop (accessors such as `get(m, i, j)`), iterator chains that end
//!    in `sum` or `fold`, structs as elements and loops over other containers in Rust, `do` loops that count, trip counts that
//!    depend on data as parameters.
//! 4. The formula of the time is the formula of the iterations times a constant number of nanoseconds, valid near the given
//!    parameter values; misses have no formula of their own.
//! 5. Locality: references of a class that touch the same line several iterations apart count as reuse as soon as the lines of
//!    one iteration survive.
//!
//! # Guarantees
//!
//! Nothing is executed and nothing is enumerated, so the analysis takes no longer for larger N. Whatever a front end or an
//! analysis does not understand is reported with its line and reason; it never silently counts as zero. No file is opened here.

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
pub mod saved;
pub mod sweep;
pub mod time;
