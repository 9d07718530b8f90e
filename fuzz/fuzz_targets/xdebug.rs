#![no_main]
//! Profiles in the format xdebug.

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| lotse_fuzz::profile(data, "xdebug"));
