//! Programs: symbols, lines, disassembly, unwinding; and names.

use lotse_symbols::{Binary, Registers, UnwindTable, class, demangle, short, without_hash};

pub(super) fn fuzz(data: &[u8]) {
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
    unwind(&binary);
    drop((binary.build_id(), binary.debug_link(), binary.address_of_offset(0x1000)));
}

/// Unwinds from every function to its caller, on a stack whose words point to later words.
fn unwind(binary: &Binary<'_>) {
    let Some(mut table) = UnwindTable::of_binary(binary) else { return };
    for function in binary.symbols().take(16) {
        let Some(mut registers) = Registers::new(table.architecture()) else { return };
        (0..33).for_each(|number| registers.set(number, 0x7000 + 8 * u64::from(number)));
        for is_call in [false, true] {
            let before = registers.clone();
            let step =
                table.step(function.address, is_call, &mut registers, &|address| address.checked_add(16));
            assert!(step.is_ok() || registers == before, "a step that fails changes nothing");
        }
    }
}
