#![no_main]
//! Benchmark results in Lotse's log format.

use libfuzzer_sys::fuzz_target;
use lotse_formats::bench::lotse_log::{LogHeader, to_text};

fuzz_target!(|data: &[u8]| {
    lotse_fuzz::results(data, "lotse-log", |set, out| {
        out.extend(
            to_text(&LogHeader::from_results(set), set, None)
                .expect("JSON holds finite numbers only")
                .into_bytes(),
        );
        Ok(())
    });
});
