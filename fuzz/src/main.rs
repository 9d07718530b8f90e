#![no_main]
//! All targets in one program: they share most of their code, so that one program is built and linked much faster than many.

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use lotse_fuzz::CHOSEN;

fuzz_target!(
    init: {
        LazyLock::force(&CHOSEN);
    },
    |data: &[u8]| CHOSEN(data)
);
