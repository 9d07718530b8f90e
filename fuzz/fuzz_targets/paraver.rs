#![no_main]
//! Traces in the format paraver: records, names of values and names of rows, separated by zero bytes.

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| lotse_fuzz::trace(data, "paraver", &["t.prv", "t.pcf", "t.row"]));
