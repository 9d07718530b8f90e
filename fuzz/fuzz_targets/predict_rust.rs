#![no_main]
//! Sources in Rust: front end, values, counting and time.

use libfuzzer_sys::fuzz_target;
use lotse_predict::question::Language;

fuzz_target!(|data: &[u8]| lotse_fuzz::predict(data, Language::Rust));
