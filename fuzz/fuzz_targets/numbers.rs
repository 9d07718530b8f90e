#![no_main]
//! Numbers in a program's output.

use libfuzzer_sys::fuzz_target;
use lotse_formats::numbers;

fuzz_target!(|data: &[u8]| {
    drop(numbers::parse("fuzz", data));
});
