#![no_main]
//! Programs: symbols, lines, disassembly; and names.

use libfuzzer_sys::fuzz_target;
use lotse_symbols::{Binary, class, demangle, short, without_hash};

fuzz_target!(|data: &[u8]| {
    if let Ok(name) = std::str::from_utf8(data) {
        let display = demangle(name);
        let part = class(&display).unwrap_or_default();
        assert!(display.contains(part) && display.contains(short(&display)));
        assert!(without_hash(&display).len() <= display.len());
    }
    let Ok(binary) = Binary::parse(data) else { return };
    for function in binary.symbols().take(16) {
        drop(binary.resolve(function.address));
        let end = function.address.saturating_add(function.size.min(256));
        drop(binary.disassemble(function.address..end));
    }
    drop((binary.build_id(), binary.debug_link(), binary.address_of_offset(0x1000)));
});
