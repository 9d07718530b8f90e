//! Shortening of function names in steps, the least informative parts first.
//!
//! ```text
//! <alloc::vec::Vec<T, A> as core::ops::drop::Drop>::drop::h0123456789abcdef
//! <alloc::vec::Vec<T, A> as core::ops::drop::Drop>::drop      no hash
//! <alloc::vec::Vec<…> as core::ops::drop::Drop>::drop         no template arguments
//! <…Vec<…> as …Drop>::drop                                    no leading path segments
//! ```

use unicode_width::UnicodeWidthStr;

use super::{LEFT_OUT, middle};

/// The number of variants of a name.
pub(super) const VARIANTS: usize = 3;

/// The name after as many steps as needed to fit, or else without its middle.
pub(super) fn shortened(name: &str, room: usize) -> String {
    let short = stepwise(name, room, &without_hashes, &|name| without_inside(name, '<', 0));
    middle(&short, room)
}

/// Variants of a name that would be shortened like another: with the first argument of its first template argument list,
/// with that of every list, or with the beginning of its hash. `None` for a variant that does not fit.
pub(super) fn variants(name: &str, room: usize) -> [Option<String>; VARIANTS] {
    let variants = [
        stepwise(name, room, &without_hashes, &|name| with_first_argument(name, 1)),
        stepwise(name, room, &without_hashes, &|name| with_first_argument(name, usize::MAX)),
        stepwise(name, room, &with_short_hash, &|name| without_inside(name, '<', 0)),
    ];
    variants.map(|short| Some(short).filter(|short| short.width() <= room))
}

/// Applies one step after the other until the name fits; the result of all steps if they are not enough. The caller
/// provides the steps that remove hashes and template arguments.
fn stepwise(
    name: &str,
    room: usize,
    cut_hashes: &dyn Fn(&str) -> String,
    cut_arguments: &dyn Fn(&str) -> String,
) -> String {
    let mut short = name.to_owned();
    let steps: [&dyn Fn(&str) -> String; 9] = [
        cut_hashes,
        &|name| without_inside(name, '(', 0),
        &|name| without_inside(name, '<', 1),
        cut_arguments,
        &without_result,
        &|name| with_last_segments(name, 3),
        &|name| with_last_segments(name, 2),
        &|name| with_last_segments(name, 1),
        &after_slash,
    ];
    for step in steps {
        short = step(&short);
        if short.width() <= room {
            return short;
        }
    }
    short
}

/// Without the result type (`void ` and the like) before the name of a template instance.
fn without_result(name: &str) -> String {
    const RESULTS: [&str; 7] = ["void ", "bool ", "int ", "long ", "unsigned long ", "char ", "double "];
    let begin = RESULTS.iter().find_map(|result| name.strip_prefix(result));
    begin.unwrap_or(name).to_owned()
}

/// With only the first argument of the first `lists` outer template argument lists, and none of the others.
fn with_first_argument(name: &str, lists: usize) -> String {
    let Some(pairs) = pairs(name) else { return name.to_owned() };
    let mut short = String::with_capacity(name.len());
    let (mut from, mut seen) = (0, 0);
    for (at, end) in pairs.into_iter().filter(|(at, _)| name[*at..].starts_with('<')) {
        if at < from || !is_removable(name, at, end) {
            continue;
        }
        seen += 1;
        let comma = name[at..end].find(", ");
        let kept = match comma {
            Some(comma) if seen <= lists => at + comma + 2,
            None if seen <= lists => continue,
            _ => at + 1,
        };
        short.push_str(&name[from..kept]);
        short.push(LEFT_OUT);
        from = end;
    }
    short + &name[from..]
}

/// ` h0123…` for `::h0123456789abcdef` at the end.
fn with_short_hash(name: &str) -> String {
    const KEPT: std::ops::Range<usize> = "::".len().."::h0123".len();
    let without = without_hashes(name);
    match name.strip_prefix(&without).filter(|hash| hash.starts_with("::h")) {
        Some(hash) => format!("{without} {}{LEFT_OUT}", &hash[KEPT]),
        None => name.to_owned(),
    }
}

/// Without `::h0123456789abcdef` and without the `[0123456789abcdef]` after a crate's name.
fn without_hashes(name: &str) -> String {
    const DIGITS: usize = 16;
    let mut short = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find(['[', ':']) {
        let (begin, end) = if rest[at..].starts_with('[') { ("[", "]") } else { ("::h", "") };
        let digits = rest.get(at + begin.len()..at + begin.len() + DIGITS).unwrap_or("");
        let is_hash = rest[at..].starts_with(begin)
            && digits.len() == DIGITS
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && rest[at + begin.len() + DIGITS..].starts_with(end);
        short.push_str(&rest[..at]);
        let skipped = if is_hash { begin.len() + DIGITS + end.len() } else { 1 };
        short.push_str(if is_hash { "" } else { &rest[at..at + 1] });
        rest = &rest[at + skipped..];
    }
    short + rest
}

/// Without the content of brackets of the kind `open`, from nesting depth `depth` on (0: the outermost). A name with
/// brackets that do not match stays as it is.
fn without_inside(name: &str, open: char, depth: usize) -> String {
    let Some(pairs) = pairs(name) else { return name.to_owned() };
    let mut short = String::with_capacity(name.len());
    let mut from = 0;
    let mut outer: Vec<usize> = Vec::new();
    for (at, end) in pairs.into_iter().filter(|(at, _)| name[*at..].starts_with(open)) {
        outer.retain(|outer| at < *outer);
        let level = outer.len();
        outer.push(end);
        if at < from || level < depth || !is_removable(name, at, end) {
            continue;
        }
        short.push_str(&name[from..=at]);
        short.push(LEFT_OUT);
        from = end;
    }
    short + &name[from..]
}

/// Whether the content of brackets can be left out. Not `<A as B>` and `<impl A>`, the type of a Rust method, nor `.(*T)`,
/// that of a Go method, nor `(anonymous namespace)` and `(file:12)`, which are part of the name.
fn is_removable(name: &str, at: usize, end: usize) -> bool {
    let inside = &name[at + 1..end];
    let is_place = inside
        .rsplit_once(':')
        .is_some_and(|(_, line)| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()));
    let is_owner =
        inside.contains(" as ") || inside.starts_with("impl ") || at == 0 || name[..at].ends_with('.');
    inside.chars().count() > 2 && inside != "anonymous namespace" && !is_place && !is_owner
}

/// The pairs of matching brackets, sorted by the opening one; `None` if they do not match. Operators are not brackets.
fn pairs(name: &str) -> Option<Vec<(usize, usize)>> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut pairs = Vec::new();
    let mut skip = 0;
    for (at, c) in name.char_indices() {
        if at < skip {
            continue;
        }
        if let Some(symbol) = operator(name, at) {
            skip = at + symbol;
            continue;
        }
        match c {
            '(' | '<' | '[' | '{' => open.push((c, at)),
            ')' | '>' | ']' | '}' => {
                let (opened, from) = open.pop()?;
                if closing(opened) != c {
                    return None;
                }
                pairs.push((from, at));
            }
            _ => {}
        }
    }
    pairs.sort_unstable();
    open.is_empty().then_some(pairs)
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '<' => '>',
        '[' => ']',
        _ => '}',
    }
}

/// The length of `->`, `operator<<` and the like at this position, if there is one.
fn operator(name: &str, at: usize) -> Option<usize> {
    let rest = &name[at..];
    if rest.starts_with("->") || rest.starts_with("=>") {
        return Some(2);
    }
    let symbol = rest.strip_prefix("operator")?;
    let symbols = ["<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"];
    let found = symbols.iter().find(|it| symbol.starts_with(**it))?;
    Some("operator".len() + found.len())
}

/// With only the last segments of every path `a::b::c::d` in the name.
fn with_last_segments(name: &str, keep: usize) -> String {
    let mut short = String::with_capacity(name.len());
    let mut rest = name;
    while !rest.is_empty() {
        let length = rest.find(|c: char| !is_path(c)).unwrap_or(rest.len());
        if length == 0 {
            let next = rest.chars().next().map_or(rest.len(), char::len_utf8);
            short.push_str(&rest[..next]);
            rest = &rest[next..];
            continue;
        }
        short.push_str(&last_segments(&rest[..length], keep));
        rest = &rest[length..];
    }
    short
}

fn is_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | ':' | '~' | '$' | LEFT_OUT)
}

/// The last segments of a path. A path that continues something (`::drop`) starts with an empty segment, which is kept.
fn last_segments(path: &str, keep: usize) -> String {
    let segments: Vec<&str> = path.split("::").collect();
    let is_continued = path.starts_with("::");
    let most = keep + usize::from(is_continued);
    if segments.len() <= most {
        return path.to_owned();
    }
    let kept = segments[segments.len() - keep..].join("::");
    let kept = kept.trim_start_matches(LEFT_OUT);
    if is_continued { format!("::{LEFT_OUT}{kept}") } else { format!("{LEFT_OUT}{kept}") }
}

/// `…/pkg.(*Type).Method` for a Go function with a full import path.
fn after_slash(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((_, last)) if !name.contains(' ') && !last.is_empty() => format!("{LEFT_OUT}/{last}"),
        _ => name.to_owned(),
    }
}
