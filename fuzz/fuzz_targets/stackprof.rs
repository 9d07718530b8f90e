#![no_main]
//! Profiles in the format stackprof.

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| lotse_fuzz::profile(data, "stackprof"));
