//! hyperfine's JSON, written again in both versions.

use lotse_formats::bench::hyperfine::{Version, write};
use lotse_model::metric::{Metric, WALL};

pub(super) fn fuzz(data: &[u8]) {
    let wall = Metric::named(WALL);
    for version in [Version::V1, Version::V2] {
        crate::results(data, "hyperfine", |set, out| write(set, version, &wall, None, out));
    }
}
