#![no_main]
//! Traces in the format chrome-trace.

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| lotse_fuzz::trace(data, "chrome-trace", &["t.json"]));
