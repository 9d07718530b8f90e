//! The sizes of types, by their names in Rust's debug information.

use std::collections::HashMap;

use gimli::{AttributeValue, DebuggingInformationEntry, EndianSlice, RunTimeEndian};

use super::lines::LineTables;

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// Sizes in bytes by full name: `alloc::string::String`, `(u32, f64)`, `&str`. The standard allocator is left out of names.
pub(super) fn sizes(lines: &LineTables<'_>) -> HashMap<String, u64> {
    lines.with_sections(|dwarf| {
        let mut sizes = HashMap::new();
        let mut units = dwarf.units();
        // Damaged units are treated as missing.
        while let Ok(Some(header)) = units.next() {
            let read = dwarf.unit(header).and_then(|unit| add_types_of_unit(&dwarf, &unit, &mut sizes));
            if read.is_err() {
                continue;
            }
        }
        sizes
    })
}

/// Adds the sizes of all named types of a compilation unit. Full names are built from the enclosing entries.
fn add_types_of_unit<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    sizes: &mut HashMap<String, u64>,
) -> gimli::Result<()> {
    // The names of the enclosing entries, with their depths.
    let mut path: Vec<(isize, String)> = Vec::new();
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs()? {
        let depth = entry.depth();
        while path.last().is_some_and(|(above, _)| *above >= depth) {
            path.pop();
        }
        let Some(name) = name(dwarf, unit, entry) else { continue };
        if let Some(size) = size(unit, entry) {
            sizes.entry(full(&path, &name)).or_insert(size);
        }
        if opens_path(entry.tag()) {
            path.push((depth, name));
        }
    }
    Ok(())
}

/// Whether the name of an entry is part of the full names of the entries in it.
fn opens_path(tag: gimli::DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_namespace
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_enumeration_type
            | gimli::DW_TAG_union_type
    )
}

fn size(unit: &gimli::Unit<Slice<'_>>, entry: &DebuggingInformationEntry<Slice<'_>>) -> Option<u64> {
    match entry.tag() {
        gimli::DW_TAG_pointer_type => Some(u64::from(unit.encoding().address_size)),
        gimli::DW_TAG_base_type
        | gimli::DW_TAG_structure_type
        | gimli::DW_TAG_union_type
        | gimli::DW_TAG_enumeration_type => entry.attr_value(gimli::DW_AT_byte_size)?.udata_value(),
        _ => None,
    }
}

fn name(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    unit: &gimli::Unit<Slice<'_>>,
    entry: &DebuggingInformationEntry<Slice<'_>>,
) -> Option<String> {
    let wanted = opens_path(entry.tag())
        || matches!(entry.tag(), gimli::DW_TAG_base_type | gimli::DW_TAG_pointer_type);
    let value: AttributeValue<Slice<'_>> = entry.attr_value(gimli::DW_AT_name).filter(|_| wanted)?;
    let text = dwarf.attr_string(unit, value).ok()?;
    Some(String::from_utf8_lossy(text.slice()).replace(", alloc::alloc::Global", ""))
}

fn full(path: &[(isize, String)], name: &str) -> String {
    let mut full = String::new();
    for (_, part) in path {
        full.push_str(part);
        full.push_str("::");
    }
    full.push_str(name);
    full
}
