#![no_main]
//! The recognisers.

use libfuzzer_sys::fuzz_target;
use lotse_formats::claims;
use lotse_model::bytes::Memory;

fuzz_target!(|data: &[u8]| {
    drop(claims(&Memory { name: "fuzz", bytes: data }));
});
