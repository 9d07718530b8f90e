//! Names of Go functions: `path/of/package.(*Type).Method.func1`.

use super::{NamePart, SplitName};

/// Splits a name; `None` if it does not have the form of a Go name.
pub(super) fn split(name: &str) -> Option<SplitName<'_>> {
    let package = name.rfind('/').map_or(0, |slash| slash + 1);
    let has_path = package > 1 && !name.starts_with(['/', '.']) && name[package..].contains('.');
    let is_plain = !name.contains("::") && !name.contains(' ') && !name.contains(':');
    if !(name.contains(".(*") || has_path) || !is_plain {
        return None;
    }
    let parts = parts(name, package);
    let mut last = parts.len().checked_sub(1)?;
    while last > 0 && is_closure(&name[parts[last].start..]) {
        last -= 1;
    }
    let part = parts[last];
    Some(SplitName { class: Some(&name[..part.separator]), short: &name[part.start..] })
}

/// The parts after each dot that follows the package path, outside brackets.
fn parts(name: &str, package: usize) -> Vec<NamePart> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    for (at, byte) in name.bytes().enumerate().skip(package) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'.' if depth == 0 => parts.push(NamePart { separator: at, start: at + 1 }),
            _ => {}
        }
    }
    parts
}

/// Whether a part is a closure: `func1`, `1`, `gowrap2`, with or without further parts.
fn is_closure(part: &str) -> bool {
    let own = part.split_once('.').map_or(part, |(own, _)| own);
    let number = own.strip_prefix("func").or_else(|| own.strip_prefix("gowrap")).unwrap_or(own);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
