//! Names of functions, piece by piece from what says the least.
//!
//! ```text
//! <alloc::vec::Vec<T, A> as core::ops::drop::Drop>::drop::h0123456789abcdef
//! <alloc::vec::Vec<T, A> as core::ops::drop::Drop>::drop      no hash
//! <alloc::vec::Vec<…> as core::ops::drop::Drop>::drop         no template arguments
//! <…Vec<…> as …Drop>::drop                                    no leading path segments
//! ```

use unicode_width::UnicodeWidthStr;

use super::{LEFT_OUT, middle};

/// How many variants of a name there are.
pub(super) const WAYS: usize = 3;

/// The first of the ways that fits, or the name without its middle.
pub(super) fn shortened(name: &str, room: usize) -> String {
    let short = stepwise(name, room, &without_hashes, &|name| without_inside(name, '<', 0));
    middle(&short, room)
}

/// Ways to show a name that looks like another: with the first of its template arguments, with the first of every list of
/// them, with the beginning of its hash.
pub(super) fn variants(name: &str, room: usize) -> [Option<String>; WAYS] {
    let ways = [
        stepwise(name, room, &without_hashes, &|name| with_first_argument(name, 1)),
        stepwise(name, room, &without_hashes, &|name| with_first_argument(name, usize::MAX)),
        stepwise(name, room, &with_short_hash, &|name| without_inside(name, '<', 0)),
    ];
    ways.map(|short| Some(short).filter(|short| short.width() <= room))
}

/// One step after the other until the name fits; what is left where none is enough. How hashes and template arguments
/// are cut is for the caller to say.
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

/// Without `void ` and the like before the name of an instance of a template.
fn without_result(name: &str) -> String {
    const RESULTS: [&str; 7] = ["void ", "bool ", "int ", "long ", "unsigned long ", "char ", "double "];
    let begin = RESULTS.iter().find_map(|result| name.strip_prefix(result));
    begin.unwrap_or(name).to_owned()
}

/// Of the first `lists` of outer template arguments the first argument, of others none.
fn with_first_argument(name: &str, lists: usize) -> String {
    let Some(pairs) = pairs(name) else { return name.to_owned() };
    let mut short = String::with_capacity(name.len());
    let (mut from, mut seen) = (0, 0);
    for (at, end) in pairs.into_iter().filter(|(at, _)| name[*at..].starts_with('<')) {
        if at < from || !is_idle(name, at, end) {
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

/// Without `::h0123456789abcdef` and the `[0123456789abcdef]` behind a crate's name.
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

/// Without what stands in brackets of a kind, from so many brackets of that kind inside each other on. Brackets that do
/// not match leave the name as it is.
fn without_inside(name: &str, open: char, depth: usize) -> String {
    let Some(pairs) = pairs(name) else { return name.to_owned() };
    let mut short = String::with_capacity(name.len());
    let mut from = 0;
    let mut outer: Vec<usize> = Vec::new();
    for (at, end) in pairs.into_iter().filter(|(at, _)| name[*at..].starts_with(open)) {
        outer.retain(|outer| at < *outer);
        let level = outer.len();
        outer.push(end);
        if at < from || level < depth || !is_idle(name, at, end) {
            continue;
        }
        short.push_str(&name[from..=at]);
        short.push(LEFT_OUT);
        from = end;
    }
    short + &name[from..]
}

/// Whether what stands in brackets can go: `<A as B>` and `<impl A>` are what a Rust function belongs to, `.(*T)` what a
/// Go function belongs to, `(anonymous namespace)` and `(file:12)` are names themselves.
fn is_idle(name: &str, at: usize, end: usize) -> bool {
    let inside = &name[at + 1..end];
    let is_place = inside
        .rsplit_once(':')
        .is_some_and(|(_, line)| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()));
    let is_owner =
        inside.contains(" as ") || inside.starts_with("impl ") || at == 0 || name[..at].ends_with('.');
    inside.chars().count() > 2 && inside != "anonymous namespace" && !is_place && !is_owner
}

/// Matching brackets, by where they open; nothing where they do not match. Operators are no brackets.
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

/// The length of `->` or of `operator<<` and its like, if one stands here.
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

/// Of `a::b::c::d` the last segments, everywhere in the name.
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

/// A path that goes on from something (`::drop`) begins with an empty segment, which stays.
fn last_segments(path: &str, keep: usize) -> String {
    let segments: Vec<&str> = path.split("::").collect();
    let goes_on = path.starts_with("::");
    let most = keep + usize::from(goes_on);
    if segments.len() <= most {
        return path.to_owned();
    }
    let kept = segments[segments.len() - keep..].join("::");
    let kept = kept.trim_start_matches(LEFT_OUT);
    if goes_on { format!("::{LEFT_OUT}{kept}") } else { format!("{LEFT_OUT}{kept}") }
}

/// `…/pkg.(*Type).Method` of a Go function with a whole import path.
fn after_slash(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((_, last)) if !name.contains(' ') && !last.is_empty() => format!("{LEFT_OUT}/{last}"),
        _ => name.to_owned(),
    }
}
