#![no_main]
//! Benchmark results in Lotse's JSON format.

use libfuzzer_sys::fuzz_target;
use lotse_formats::read_results;
use lotse_model::bytes::Memory;

fuzz_target!(|data: &[u8]| {
    drop(read_results(&Memory { name: "fuzz", bytes: data }, Some("lotse-json")));
});
