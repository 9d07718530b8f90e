//! Benchmark results in Lotse's JSON format.

use lotse_formats::read_results;
use lotse_model::bytes::Memory;

pub(super) fn fuzz(data: &[u8]) {
    drop(read_results(&Memory { name: "fuzz", bytes: data }, Some("lotse-json")));
}
