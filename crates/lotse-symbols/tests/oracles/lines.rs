//! Files, lines and inline stacks, compared with `addr2line`.

use lotse_symbols::{Binary, InlineFrame};

use crate::programs::{self, Program};

/// A frame as addr2line prints it: function, file without directory, line.
type Printed = (String, String, Option<u32>);

/// The inline stacks that addr2line prints for each address, innermost first.
fn expected(program: &Program, addresses: &[u64]) -> Option<Vec<Vec<Printed>>> {
    let path = program.path.to_str().unwrap();
    let addresses: Vec<String> = addresses.iter().map(|address| format!("{address:#x}")).collect();
    let mut arguments = vec!["-a", "-i", "-f", "-e", path];
    arguments.extend(addresses.iter().map(String::as_str));
    let output = programs::run("addr2line", &arguments, None)?;
    let mut answers: Vec<Vec<Printed>> = Vec::new();
    let mut lines = output.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("0x") {
            answers.push(Vec::new());
            continue;
        }
        let (file, number) = lines.next().unwrap().rsplit_once(':').unwrap();
        let number = number.split_whitespace().next().unwrap();
        let frame = (line.to_owned(), base(file), number.parse().ok().filter(|&number| number > 0));
        answers.last_mut().unwrap().push(frame);
    }
    Some(answers)
}

fn base(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

fn ours(frame: &InlineFrame) -> Printed {
    let unknown = || "??".to_owned();
    let file = frame.file.as_deref().map_or_else(unknown, base);
    (frame.function.clone().unwrap_or_else(unknown), file, frame.line.filter(|&line| line > 0))
}

/// Addresses of instructions in functions whose name `is_ours`, not more than `most`.
fn addresses(binary: &Binary<'_>, is_ours: impl Fn(&str) -> bool, most: usize) -> Vec<u64> {
    let functions = binary.symbols().filter(|function| is_ours(function.name));
    let instructions = functions.flat_map(|function| binary.disassemble(function.range()).unwrap());
    instructions.map(|instruction| instruction.address).take(most).collect()
}

fn check(program: &Program, binary: &Binary<'_>, is_ours: impl Fn(&str) -> bool, with_names: bool) {
    let addresses = addresses(binary, is_ours, 600);
    assert!(addresses.len() > 20);
    let Some(expected) = expected(program, &addresses) else { return };
    for (&address, expected) in addresses.iter().zip(expected) {
        let mut found: Vec<Printed> = binary.resolve(address).frames.iter().map(ours).collect();
        let mut expected = expected;
        if !with_names {
            found.iter_mut().chain(&mut expected).for_each(|frame| frame.0.clear());
        }
        assert_eq!(found, expected, "at {address:#x}");
    }
    assert_eq!(binary.debug_problem(), None);
}

const C_FUNCTIONS: [&str; 3] = ["work", "choose", "main"];

#[test]
fn inlined_c_functions() {
    for flags in [&["-O2", "-g"][..], &["-O2", "-g", "-gdwarf-4", "-no-pie"], &["-O0", "-g"]] {
        let Some(program) = programs::c(flags) else { continue };
        let binary = Binary::parse(&program.bytes).unwrap();
        check(&program, &binary, |name| C_FUNCTIONS.contains(&name), true);
        let deepest = addresses(&binary, |name| name == "work", 600);
        let depth = deepest.iter().map(|&address| binary.resolve(address).frames.len()).max();
        assert_eq!(depth, Some(3), "{flags:?}");
    }
}

#[test]
fn compressed_sections() {
    // addr2line reads the program without compression, since binutils may lack zstd.
    let Some(plain) = programs::c(&["-O2", "-g"]) else { return };
    for kind in ["zlib", "zlib-gnu", "zstd"] {
        let Some(program) = programs::c(&["-O2", "-g", &format!("-Wl,--compress-debug-sections={kind}")])
        else {
            continue;
        };
        let binary = Binary::parse(&program.bytes).unwrap();
        check(&plain, &binary, |name| C_FUNCTIONS.contains(&name), true);
    }
}

#[test]
fn cpp_and_rust() {
    if let Some(program) = programs::cpp(&["-O2", "-g"]) {
        let binary = Binary::parse(&program.bytes).unwrap();
        check(&program, &binary, |name| name.contains("shapes") || name == "main", false);
        let frames =
            addresses(&binary, |name| name == "main", 2000).into_iter().map(|at| binary.resolve(at).frames);
        let names: Vec<_> = frames.flatten().filter_map(|frame| frame.function).collect();
        let expected = "std::vector<int, std::allocator<int> >::vector()";
        assert!(names.iter().any(|name| name == expected));
        let mangled = names.iter().find(|name| name.starts_with("_Z"));
        assert_eq!(mangled, None);
    }
    if let Some(program) = programs::cpp(&["-O0", "-g"]) {
        let binary = Binary::parse(&program.bytes).unwrap();
        let hidden = binary.function_named("(anonymous namespace)::hidden(int)").unwrap();
        let frame = binary.resolve(hidden.address).frames.pop().unwrap();
        assert_eq!(frame.function.as_deref(), Some("(anonymous namespace)::hidden(int)"));
        assert!(frame.line.is_some());
    }
    if let Some(program) = programs::rust(&["-O", "-g"]) {
        let binary = Binary::parse(&program.bytes).unwrap();
        check(&program, &binary, |name| name.contains("7program"), false);
    }
}

#[test]
fn without_debug_information_the_symbol_is_the_frame() {
    let Some(program) = programs::c(&["-O2"]) else { return };
    let binary = Binary::parse(&program.bytes).unwrap();
    let work = binary.function_named("work").unwrap();
    let resolved = binary.resolve(work.address + 1);
    assert_eq!(resolved.function, Some(work));
    assert_eq!(
        resolved.frames,
        [InlineFrame { function: Some("work".to_owned()), ..InlineFrame::default() }]
    );
    assert!(!binary.has_lines());
    let nowhere = binary.resolve(u64::MAX);
    assert_eq!((nowhere.function, nowhere.frames.len()), (None, 0));
}

#[test]
fn debug_information_of_its_own() {
    let Some(program) = programs::c(&["-O2", "-g", "-Wl,--build-id"]) else { return };
    let split = || {
        let debug =
            program.make("objcopy", &["--only-keep-debug", "program", "program.debug"], "program.debug")?;
        let arguments = ["--strip-all", "--add-gnu-debuglink=program.debug", "program", "stripped"];
        Some((debug, program.make("objcopy", &arguments, "stripped")?))
    };
    let Some((debug, stripped)) = split() else { return };
    let alone = Binary::parse(&stripped).unwrap();
    assert!(!alone.has_lines() && alone.function_named("choose").is_none());
    let link = alone.debug_link().unwrap();
    assert_eq!(link.name, "program.debug");
    assert!(link.matches(&debug) && !link.matches(&stripped));
    let both = Binary::with_debug(&stripped, &debug).unwrap();
    assert!(both.has_lines());
    check(&program, &both, |name| C_FUNCTIONS.contains(&name), true);
    let Some(other) = programs::c(&["-O1", "-g", "-Wl,--build-id"]) else { return };
    let error = Binary::with_debug(&stripped, &other.bytes).map(|_| ()).unwrap_err();
    assert!(error.to_string().starts_with("the debug file belongs to another build"), "{error}");
}

/// As in glibc: the definition has an internal name, callers use others. perf and addr2line print names of the internal kind.
#[test]
fn a_function_has_the_plain_name_that_its_library_exports() {
    let source = "__attribute__((noinline)) int __GI___lib_take(int x) { return x / 3; }\n\
                  extern int __lib_take(int) __attribute__((alias(\"__GI___lib_take\")));\n\
                  extern int take(int) __attribute__((alias(\"__GI___lib_take\"), weak));\n\
                  extern int ctake(int) __attribute__((alias(\"__GI___lib_take\"), weak));\n\
                  __attribute__((noinline, visibility(\"hidden\"))) int __inner(int x) { return x / 5; }\n";
    let Some(program) = programs::build("gcc", "take.c", source, &["-g", "-O1", "-shared", "-fPIC"]) else {
        return;
    };
    let binary = Binary::parse(&program.bytes).unwrap();
    for (function, name) in [("take", "take"), ("__inner", "__inner")] {
        let address = binary.function_named(function).unwrap().address;
        let outermost = binary.resolve(address).frames.pop().unwrap();
        assert_eq!(outermost.function.as_deref(), Some(name));
        assert_eq!(outermost.file.as_deref().map(base).as_deref(), Some("take.c"));
    }
}
