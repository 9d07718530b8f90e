//! Shortens names for pictures: without arguments and packages, template arguments as `<…>`.

/// A name for a box of a picture; the tooltip has the whole name.
pub(crate) fn label(display: &str) -> String {
    if let Some(short) = java(display) {
        return short;
    }
    let mut short = String::with_capacity(display.len());
    let mut rest = display;
    while let Some(letter) = rest.chars().next() {
        if let Some(operator) = operator(&short, rest) {
            short.push_str(operator);
            rest = &rest[operator.len()..];
            continue;
        }
        let part_of_name = short.is_empty() || short.ends_with([':', ' ', '{', '&', '*', '/', '$', '.']);
        match letter {
            '<' | '(' if !part_of_name => {
                let end = closing(rest);
                let inside = letter == '<' && end < rest.len();
                short.push_str(if inside { "<…>" } else { "" });
                rest = &rest[end..];
            }
            _ => {
                short.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    let short = short.strip_suffix(" const").unwrap_or(&short).trim_end();
    if short.is_empty() { display.to_owned() } else { short.to_owned() }
}

/// A method in the notation of the JVM's symbol maps, `Lpackage/Class;.method`, without its package.
fn java(display: &str) -> Option<String> {
    let (class, method) = display.strip_prefix('L')?.split_once(';')?;
    let (_, class) = class.rsplit_once('/')?;
    Some(format!("{class}{method}"))
}

/// The name of an operator such as `operator<`, whose characters are not brackets.
fn operator<'a>(before: &str, rest: &'a str) -> Option<&'a str> {
    let symbol = rest.strip_prefix("operator")?;
    let starts = before.is_empty() || before.ends_with([':', ' ']);
    if !starts || symbol.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == ' ') {
        return None;
    }
    let bare = symbol.find(['(', ' ']).unwrap_or(symbol.len());
    let length = if symbol.starts_with("()") { 2 } else { bare };
    Some(&rest[.."operator".len() + length])
}

/// The position after the bracket that closes the one at the start of a text; the end of the text if there is none.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (place, letter) in text.char_indices() {
        match letter {
            '<' | '(' | '[' | '{' => depth += 1,
            // The arrow of a function type.
            '>' if before == '-' || before == '=' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = letter;
        if depth == 0 {
            return place + letter.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn names_are_cut_where_nothing_is_lost() {
        let cases = [
            ("main", "main"),
            ("_int_malloc", "_int_malloc"),
            ("(below main)", "(below main)"),
            ("[unknown]", "[unknown]"),
            ("std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<…>::push_back"),
            ("Xapian::Database::get_doc(unsigned int) const", "Xapian::Database::get_doc"),
            ("(anonymous namespace)::run(char**)", "(anonymous namespace)::run"),
            ("a::f(int)::{lambda(int)#1}::operator()(int) const", "a::f::{lambda#1}::operator()"),
            ("operator<<(std::ostream&, X const&)", "operator<<"),
            ("S::operator->() const", "S::operator->"),
            ("operator new(unsigned long)", "operator new"),
            (
                "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
                "<alloc::vec::Vec<…> as core::ops::Drop>::drop",
            ),
            (
                "core::ops::function::FnOnce::call_once{{vtable.shim}}",
                "core::ops::function::FnOnce::call_once{{vtable.shim}}",
            ),
            ("Lio/netty/channel/nio/NioEventLoop;.runV", "NioEventLoop.runV"),
            ("f<", "f"),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(label(name), expected, "{name}");
        }
    }
}
