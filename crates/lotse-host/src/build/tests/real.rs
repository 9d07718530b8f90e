//! What builds of real projects do besides calling a compiler: static libraries, folders, response files, remembered paths.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use lotse_model::suite::Varied;

use super::super::Relinker;
use super::{
    BuildOptions, Builds, Layouts, Method, Origin, addresses, build, c_project, has, printed, words,
};

fn with_method(count: u32, method: Method) -> Layouts {
    Layouts { count, seed: 3, method: Some(method) }
}

/// Builds with a given Makefile and links again: all layouts differ, and all programs print the same.
fn check(makefile: &str, output: &str, method: Method) {
    let folder = tempfile::tempdir().unwrap();
    c_project(folder.path());
    fs::create_dir(folder.path().join("sub folder")).unwrap();
    fs::write(folder.path().join("Makefile"), makefile).unwrap();
    let built = build(folder.path(), &words("make -s"), &BuildOptions::default()).unwrap();
    let names: Vec<_> = built.links.iter().map(|link| link.output.clone()).collect();
    let program = folder.path().join(output);
    assert_eq!(names, [program.as_path()], "{makefile}");
    let to = folder.path().join("builds");
    let builds = Builds::link(&built.links[0], &to, with_method(5, method), &Origin::default()).unwrap();
    assert_eq!((builds.method.as_str(), builds.files.len()), (method.word(), 5), "{makefile}");
    assert_eq!(builds.output.as_deref(), Some(program.as_path()));
    let layouts: BTreeSet<String> = builds.paths(&to).iter().map(|path| addresses(path)).collect();
    assert_eq!(layouts.len(), 5, "{method:?} {makefile}");
    let expected = printed(&program);
    assert!(builds.paths(&to).iter().all(|path| printed(path) == expected));
}

const COMPILE: &str = "\tgcc -O1 -c main.c a.c b.c\n";

#[test]
fn every_method_gives_other_layouts() {
    if !has(&["make", "gcc", "nm", "ranlib"]) {
        return;
    }
    let plain = format!("prog:\n{COMPILE}\tgcc main.o a.o b.o -o prog\n");
    check(&plain, "prog", Method::Objects);
    check(&plain, "prog", Method::Padding);
    // Padding is not removed although the program does not use it.
    let collected = format!("prog:\n{COMPILE}\tgcc -Wl,--gc-sections main.o a.o b.o -o prog\n");
    check(&collected, "prog", Method::Padding);
    // A single command without object files.
    check("prog:\n\tgcc -O1 main.c a.c b.c -o prog\n", "prog", Method::Padding);
}

/// Members of static libraries are shuffled, even if the library is deleted before its program is linked again.
#[test]
fn static_libraries_have_orders() {
    if !has(&["make", "gcc", "nm", "ar", "ranlib"]) {
        return;
    }
    let split =
        "\tfor i in 1 2 3 4; do echo \"int c$$i(int x) { return x + $$i; }\" > c$$i.c; gcc -c c$$i.c; done\n";
    let calls = "\techo 'int c1(int), c2(int), c3(int), c4(int); int main(void) { return c1(c2(c3(c4(-10)))); }' > m.c\n";
    let link = "\tar rcs libc4.a c1.o c2.o c3.o c4.o\n\tgcc m.c libc4.a -o prog\n\trm libc4.a\n";
    check(&format!("prog:\n{split}{calls}{link}"), "prog", Method::Objects);
}

#[test]
fn compilers_are_called_in_other_folders() {
    if !has(&["make", "gcc", "nm"]) {
        return;
    }
    let below = format!("prog:\n{COMPILE}\tcd 'sub folder' && gcc ../main.o ../a.o ../b.o -o prog\n");
    check(&below, "sub folder/prog", Method::Objects);
}

/// Long command lines come as `@file`; rustc deletes the file and the objects afterwards.
#[test]
fn response_files_are_read() {
    if !has(&["make", "gcc", "nm", "xargs"]) {
        return;
    }
    let copied = format!("prog:\n{COMPILE}\tcp a.o 'sub folder/a.o'\n");
    let written = "\techo \"main.o 'sub folder/a.o'\" > list\n\techo 'b.o' >> list\n";
    let linked = "\tgcc @list -o prog\n\trm list main.o b.o 'sub folder/a.o'\n";
    check(&format!("{copied}{written}{linked}"), "prog", Method::Objects);
    let escaped = "\techo 'main.o sub\\ folder/a.o b.o' > list\n";
    check(&format!("{copied}{escaped}{linked}"), "prog", Method::Padding);
}

/// Compilers with a target or a version in their names.
#[test]
fn compilers_have_long_names() {
    let Some(name) = ["x86_64-linux-gnu-gcc", "aarch64-linux-gnu-gcc", "gcc-12", "gcc-14"]
        .into_iter()
        .find(|name| crate::tools::find_tool(name).is_some())
    else {
        test_support::skip_missing("there is no gcc with a long name");
        return;
    };
    if has(&["make", "gcc", "nm"]) {
        let makefile = format!("prog:\n{COMPILE}\t{name} main.o a.o b.o -o prog\n");
        check(&makefile, "prog", Method::Objects);
    }
}

/// Another order of objects without functions leaves all code in place.
#[test]
fn orders_of_data_alone_are_no_layouts() {
    if !has(&["gcc"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("one.c"), "int one[] = {1, 2, 3};\n").unwrap();
    fs::write(folder.path().join("two.c"), "int two[] = {4, 5, 6, 7};\n").unwrap();
    fs::write(folder.path().join("main.c"), "int main(void) { return 0; }\n").unwrap();
    let line = "gcc -c main.c one.c two.c && gcc main.o one.o two.o -o prog";
    let built =
        build(folder.path(), &["sh", "-c", line].map(str::to_owned), &BuildOptions::default()).unwrap();
    let link = |method: Method| {
        let to = folder.path().join(method.word());
        Builds::link(&built.links[0], &to, with_method(4, method), &Origin::default()).unwrap().files.len()
    };
    assert_eq!((link(Method::Objects), link(Method::Padding)), (1, 4));
}

/// Builds with one line for a shell, and links again with the method that is chosen for the program.
fn chosen(line: &str, count: u32) -> (tempfile::TempDir, Builds) {
    let folder = tempfile::tempdir().unwrap();
    c_project(folder.path());
    let argv = ["sh", "-c", line].map(str::to_owned);
    let built = build(folder.path(), &argv, &BuildOptions::default()).unwrap();
    assert_eq!(built.links.len(), 1, "{:?}", built.links);
    let to = folder.path().join("builds");
    let builds = Builds::link(&built.links[0], &to, super::layouts(count, 1), &Origin::default()).unwrap();
    let expected = printed(builds.output.as_deref().unwrap());
    assert!(builds.paths(&to).iter().all(|path| printed(path) == expected));
    (folder, builds)
}

/// lld cannot read gcc's objects for link-time optimisation, and another order of objects gives other instructions: padding does not.
#[test]
fn link_time_optimisation_gets_padding() {
    if !has(&["gcc", "nm"]) {
        return;
    }
    let objects = "gcc -O1 -flto -c main.c a.c b.c && gcc -O1 -flto main.o a.o b.o -o prog";
    // The objects alone show it, too.
    let unnamed = "gcc -O1 -flto -c main.c a.c b.c && gcc -O1 main.o a.o b.o -o prog";
    for line in ["gcc -O1 -flto main.c a.c b.c -o prog", objects, unnamed] {
        let (_folder, builds) = chosen(line, 4);
        assert_eq!((builds.files.len(), builds.method.as_str()), (4, "padding"), "{line}");
        assert!(builds.optimised_at_link);
    }
}

/// Three objects have six orders, but only one of them has functions: only padding has as many layouts as builds.
#[test]
fn the_method_has_as_many_layouts_as_builds() {
    if !has(&["gcc", "nm"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let line = "echo 'int one[] = {1, 2};' > one.c && echo 'int two[] = {3};' > two.c && \
                echo 'int main(void) { return 0; }' > main.c && gcc -c main.c one.c two.c && gcc main.o one.o two.o -o prog";
    let argv = ["sh", "-c", line].map(str::to_owned);
    let built = build(folder.path(), &argv, &BuildOptions::default()).unwrap();
    let relinker = Relinker::new().varying(&[Varied::Objects]);
    let to = folder.path().join("builds");
    let layouts = super::layouts(4, 1);
    let builds = Builds::link_with(&relinker, &built.links[0], &to, layouts, &Origin::default()).unwrap();
    assert_eq!((builds.files.len(), builds.method.as_str()), (4, "padding"));
    assert!(!builds.optimised_at_link);
}

/// The output of a link has another name and place afterwards.
#[test]
fn programs_are_moved_after_the_link() {
    if !has(&["gcc", "nm"]) {
        return;
    }
    let line = "mkdir bin && gcc -O1 main.c a.c b.c -o tmp.out && mv tmp.out bin/prog";
    let (folder, builds) = chosen(line, 2);
    assert_eq!(builds.name, "prog");
    assert_eq!(builds.output.as_deref(), Some(folder.path().join("bin/prog").as_path()));
    // Two programs of one temporary name.
    let line = format!(
        "{line} && echo 'int main(void) {{ return 0; }}' > o.c && gcc o.c -o tmp.out && mv tmp.out bin/o"
    );
    let folder = tempfile::tempdir().unwrap();
    c_project(folder.path());
    let built =
        build(folder.path(), &["sh", "-c", &line].map(str::to_owned), &BuildOptions::default()).unwrap();
    let names: Vec<String> = built.links.iter().map(super::super::Link::name).collect();
    assert_eq!(names, ["prog", "o"]);
}

/// A program without symbols has builds without symbols, although it is linked with them.
#[test]
fn stripped_programs_have_stripped_builds() {
    if !has(&["gcc", "nm", "strip"]) {
        return;
    }
    let (folder, builds) = chosen("gcc -O1 main.c a.c b.c -o prog && strip prog", 3);
    assert_eq!(builds.files.len(), 3);
    for path in builds.paths(&folder.path().join("builds")) {
        assert_eq!(addresses(&path), "", "{}", path.display());
    }
}

/// CMake stores the path of the compiler that it found. The folder still builds afterwards, with and without Lotse.
#[test]
fn remembered_compilers_stay() {
    if !has(&["make", "gcc", "nm"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    c_project(folder.path());
    let compilers = folder.path().join("cache");
    let options = BuildOptions { compilers: Some(compilers), ..BuildOptions::default() };
    let configured = "command -v gcc > compiler && $(cat compiler) -O1 main.c a.c b.c -o prog";
    let argv = |line: &str| ["sh", "-c", line].map(str::to_owned).to_vec();
    drop(build(folder.path(), &argv(configured), &options).unwrap());
    let again = "$(cat compiler) -O1 main.c a.c b.c -o prog";
    let built = build(folder.path(), &argv(again), &options).unwrap();
    assert_eq!(built.links.len(), 1);
    drop(built);
    let plain = std::process::Command::new("sh").args(["-c", again]).current_dir(folder.path()).status();
    assert!(plain.unwrap().success(), "without Lotse it is the compiler");
    assert!(is_below(&folder.path().join("compiler"), folder.path()));
}

fn is_below(file: &Path, folder: &Path) -> bool {
    fs::read_to_string(file).unwrap().starts_with(&folder.display().to_string())
}
