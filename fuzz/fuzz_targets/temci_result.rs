#![no_main]
//! temci's results.

use libfuzzer_sys::fuzz_target;
use lotse_formats::bench::temci_result::write;

fuzz_target!(|data: &[u8]| {
    lotse_fuzz::results(data, "temci", |set, out| write(set, out));
});
