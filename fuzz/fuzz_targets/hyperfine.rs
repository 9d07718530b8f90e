#![no_main]
//! hyperfine's JSON, written again in both versions.

use libfuzzer_sys::fuzz_target;
use lotse_formats::bench::hyperfine::{Version, write};
use lotse_model::metric::{Metric, WALL};

fuzz_target!(|data: &[u8]| {
    let wall = Metric::named(WALL);
    for version in [Version::V1, Version::V2] {
        lotse_fuzz::results(data, "hyperfine", |set, out| write(set, version, &wall, None, out));
    }
});
