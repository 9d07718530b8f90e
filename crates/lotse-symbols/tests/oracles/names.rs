//! Symbols compared with `nm`, demangled names with `c++filt`.

use std::collections::BTreeMap;

use lotse_symbols::{Binary, class, demangle, short};

use crate::programs::{self, Program};

/// Addresses with the names and sizes that `nm` knows for them.
fn nm(program: &Program, arguments: &[&str]) -> Option<BTreeMap<u64, Vec<(u64, String)>>> {
    let mut symbols: BTreeMap<u64, Vec<(u64, String)>> = BTreeMap::new();
    for line in program.tool_output("nm", arguments)?.lines() {
        let fields: Vec<_> = line.split_whitespace().collect();
        if let [address, size, "T" | "t" | "W" | "w" | "i", name] = fields[..] {
            let name = name.split('@').next().unwrap_or(name).to_owned();
            let size = u64::from_str_radix(size, 16).unwrap();
            symbols.entry(u64::from_str_radix(address, 16).unwrap()).or_default().push((size, name));
        }
    }
    Some(symbols)
}

fn check(program: &Program, arguments: &[&str]) -> Option<()> {
    let expected = nm(program, arguments)?;
    let binary = Binary::parse(&program.bytes).unwrap();
    assert!(!expected.is_empty());
    for (&address, names) in &expected {
        let function =
            binary.function_at(address).unwrap_or_else(|| panic!("nothing at {address:#x} {names:?}"));
        assert_eq!(function.address, address);
        let known = names.iter().find(|(_, name)| name == function.name);
        assert!(known.is_some_and(|&(size, _)| size == function.size), "{function:?} {names:?}");
        let last = binary.function_at(address + function.size - 1).unwrap();
        assert_eq!(last.address, address);
        assert_eq!(binary.function_named(function.name).map(|found| found.name), Some(function.name));
        let display = function.display();
        let readable = binary.function_named(&display).unwrap();
        assert_eq!(readable.display(), display);
    }
    let addresses: Vec<u64> = binary.symbols().map(|function| function.address).collect();
    assert!(addresses.is_sorted_by(|a, b| a < b));
    Some(())
}

#[test]
fn symbols_of_three_languages() {
    let programs = [programs::c(&["-O2"]), programs::cpp(&["-O1", "-g"]), programs::rust(&["-O"])];
    for program in programs.iter().flatten() {
        check(program, &["-S", "--defined-only"]);
    }
}

#[test]
fn dynamic_symbols_where_no_others_are_left() {
    if let Some(program) = programs::cpp(&["-O1", "-shared", "-fPIC", "-s"]) {
        check(&program, &["-D", "-S", "--defined-only"]);
    }
}

#[test]
fn stubs_have_names() {
    for flags in [&["-O1"][..], &["-O1", "-fcf-protection"], &["-O1", "-fno-plt"], &["-O1", "-no-pie", "-s"]]
    {
        let Some(program) = programs::c(flags) else { continue };
        let Some(listing) = program.tool_output("objdump", &["-d"]) else { continue };
        let binary = Binary::parse(&program.bytes).unwrap();
        let mut count = 0;
        for line in listing.lines().filter(|line| line.ends_with("@plt>:")) {
            let (address, name) = line.split_once(" <").unwrap();
            let address = u64::from_str_radix(address, 16).unwrap();
            let found = binary.function_at(address).unwrap();
            assert_eq!((found.address, found.name), (address, name.trim_end_matches(">:")), "{flags:?}");
            count += 1;
        }
        assert!(count > 0 || flags.contains(&"-fno-plt"), "{flags:?}");
    }
}

/// Names are the same as those of c++filt, except for what the grammar leaves open.
#[test]
fn readable_names_as_cppfilt_writes_them() {
    let Some(program) = programs::cpp(&["-O1"]) else { return };
    let binary = Binary::parse(&program.bytes).unwrap();
    let mangled: Vec<&str> = binary.symbols().map(|function| function.name).collect();
    let plain: Vec<&str> = mangled.iter().map(|name| name.trim_end_matches("@plt")).collect();
    let Some(expected) = programs::run("c++filt", &plain, None) else { return };
    // Abbreviations of the standard library's types may be written out.
    let tight = |name: &str| {
        let name = name.replace("> >", ">>").replace(", ", ",");
        name.replace("std::basic_ostream<char,std::char_traits<char>>", "std::ostream")
    };
    let pairs = plain.iter().zip(expected.lines());
    let different = pairs.filter(|(name, expected)| tight(&demangle(name)) != tight(expected));
    let show =
        |(name, expected): (&&str, &str)| format!("{name}\n  ours {}\n  filt {expected}\n", demangle(name));
    let listed: String = different.map(show).collect();
    assert!(listed.is_empty(), "{listed}");
}

#[test]
fn classes_of_real_names() {
    let Some(program) = programs::cpp(&["-O1"]) else { return };
    let binary = Binary::parse(&program.bytes).unwrap();
    let cut: Vec<(String, String)> = binary
        .symbols()
        .map(|function| function.display())
        .map(|display| (class(&display).unwrap_or("").to_owned(), short(&display).to_owned()))
        .collect();
    for expected in
        [("", "main"), ("shapes::Box<int>", "add"), ("shapes::Box<int>", "operator()"), ("", "operator<<")]
    {
        assert!(
            cut.iter().any(|(class, short)| (class.as_str(), short.as_str()) == expected),
            "{expected:?}"
        );
    }
    let is_balanced = |text: &str| text.matches('(').count() == text.matches(')').count();
    for (class, short) in &cut {
        assert!(is_balanced(class) && is_balanced(short), "{class} | {short}");
    }
}
