#![no_main]
//! temci's suites.

use libfuzzer_sys::fuzz_target;
use lotse_formats::bench::temci_suite::write;

fuzz_target!(|data: &[u8]| {
    lotse_fuzz::suite(data, "temci-suite", |suite, out| write(suite, out));
});
