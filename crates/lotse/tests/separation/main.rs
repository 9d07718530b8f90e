//! `lotse bench --separate` on processes that the tests start themselves: what it does, and that everything is put back
//! however a measurement ends. No other process is ever touched: every call has `--separate-only`.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod kills;
mod scene;
