//! Small projects that are built by their own build commands and linked again.

mod real;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{BuildError, BuildOptions, Builds, Layouts, Method, Origin, build, checkout, resolve};

/// Whether all these programs are installed; prints a note if not.
fn has(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|name| crate::tools::find_tool(name).is_none());
    if let Some(missing) = missing {
        test_support::skip_missing(format!("there is no {missing}"));
    }
    missing.is_none()
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn layouts(count: u32, seed: u32) -> Layouts {
    Layouts { count, seed, method: None }
}

/// Two sources with some functions, and a Makefile that compiles them one by one.
fn c_project(folder: &Path) {
    let functions = |unit: char| {
        (0..20)
            .map(|number| format!("int {unit}{number}(int x) {{ return x * {number} + {number}; }}\n"))
            .collect::<String>()
    };
    let calls: String = (0..20).map(|number| format!("+ a{number}(argc) + b{number}(argc)")).collect();
    let declared: String = (0..20).map(|number| format!("int a{number}(int), b{number}(int);\n")).collect();
    fs::write(folder.join("a.c"), functions('a')).unwrap();
    fs::write(folder.join("b.c"), functions('b')).unwrap();
    let main = format!(
        "#include <stdio.h>\n{declared}int main(int argc, char **argv) {{ (void)argv; printf(\"%d\\n\", 0 {calls}); return 0; }}\n"
    );
    fs::write(folder.join("main.c"), main).unwrap();
    fs::write(
        folder.join("Makefile"),
        "prog: main.o a.o b.o\n\t$(CC) -o $@ main.o a.o b.o\n.c.o:\n\t$(CC) -O1 -c $<\n",
    )
    .unwrap();
}

fn printed(program: &Path) -> String {
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{}", program.display());
    String::from_utf8(output.stdout).unwrap()
}

/// The functions of a program with their addresses, one per line, as `nm` prints them.
fn addresses(program: &Path) -> String {
    let output = Command::new("nm").arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let functions = text.lines().filter(|line| line.contains(" T ") || line.contains(" t "));
    functions.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_project_in_c_is_linked_again_in_other_orders() {
    if !has(&["make", "gcc", "nm"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    c_project(folder.path());
    let built = build(folder.path(), &words("make CC=gcc"), &BuildOptions::default()).unwrap();
    assert_eq!(built.links.len(), 1, "{:?}", built.links);
    assert!(built.links[0].made(&folder.path().join("prog")));
    let to = folder.path().join("builds/prog");
    let origin = Origin { command: "make CC=gcc".to_owned(), ..Origin::default() };
    let builds = Builds::link(&built.links[0], &to, layouts(10, 7), &origin).unwrap();
    assert_eq!(builds.files.len(), 10);
    let expected = printed(&folder.path().join("prog"));
    let layouts: BTreeSet<String> = builds.paths(&to).iter().map(|path| addresses(path)).collect();
    assert_eq!(layouts.len(), 10, "all have other addresses");
    assert!(builds.paths(&to).iter().all(|path| printed(path) == expected));
    assert_eq!(Builds::read(&to), Some(builds));
    assert_eq!(Builds::read(folder.path()), None);
}

/// Sources that are compiled and linked by one command also get other orders of functions, and the alignment asked for.
#[test]
fn compiling_and_linking_in_one_command() {
    if !has(&["gcc", "nm"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    c_project(folder.path());
    let command = words("gcc -O1 main.c a.c b.c -o prog");
    let built =
        build(folder.path(), &command, &BuildOptions { align: Some(64), ..BuildOptions::default() }).unwrap();
    let to = folder.path().join("builds");
    let builds = Builds::link(&built.links[0], &to, layouts(6, 1), &Origin::default()).unwrap();
    let orders: BTreeSet<Vec<String>> = builds.paths(&to).iter().map(|path| order_of_a(path)).collect();
    assert!(orders.len() > 3, "functions of one source are in other orders: {orders:?}");
    for path in builds.paths(&to) {
        let places = addresses(&path);
        let first = places.lines().find(|line| line.ends_with(" a0")).unwrap();
        assert_eq!(u64::from_str_radix(&first[..16], 16).unwrap() % 64, 0, "{first}");
    }
}

/// The functions a0, a1, … of a program in the order of their addresses.
fn order_of_a(program: &Path) -> Vec<String> {
    let mut functions: Vec<(String, String)> = addresses(program)
        .lines()
        .filter_map(|line| {
            let (place, name) = (line.get(..16)?, line.rsplit(' ').next()?);
            let is_one = name.strip_prefix('a').is_some_and(|rest| rest.parse::<u32>().is_ok());
            is_one.then(|| (place.to_owned(), name.to_owned()))
        })
        .collect();
    functions.sort();
    functions.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn a_project_in_rust_is_linked_again() {
    if !has(&["cargo", "cc", "nm"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    write("build.rs", "fn main() {}\n");
    write(
        "src/main.rs",
        "fn main() {\n    let all: Vec<String> = std::env::args().collect();\n    println!(\"{}\", all.len());\n}\n",
    );
    let built =
        build(folder.path(), &words("cargo build --release --quiet --offline"), &BuildOptions::default());
    let built = built.unwrap();
    let names: Vec<String> = built.links.iter().map(super::Link::name).collect();
    assert_eq!(names, ["small"], "the build script is none of the user's programs");
    assert!(built.links[0].made(&folder.path().join("target/release/small")));
    let to = folder.path().join("builds/small");
    let builds = Builds::link(&built.links[0], &to, layouts(3, 1), &Origin::default()).unwrap();
    assert_eq!((builds.files.len(), builds.method.as_str()), (3, "sections"));
    let layouts: BTreeSet<String> = builds.paths(&to).iter().map(|path| addresses(path)).collect();
    assert_eq!(layouts.len(), 3);
    assert!(builds.paths(&to).iter().all(|path| printed(path) == "1\n"));
}

#[test]
fn builds_that_fail_or_link_nothing_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = build(folder.path(), &words("true"), &BuildOptions::default()).unwrap_err();
    assert!(matches!(nothing, BuildError::NothingLinked { .. }), "{nothing}");
    let failed = build(folder.path(), &words("false"), &BuildOptions::default()).unwrap_err();
    assert!(failed.to_string().starts_with("the build command `false` failed: exit status: 1"), "{failed}");
    let missing = build(folder.path(), &words("no-such-builder"), &BuildOptions::default()).unwrap_err();
    assert!(matches!(missing, BuildError::Start { .. }), "{missing}");
}

#[test]
fn revisions_are_checked_out_beside_the_repository() {
    if !has(&["git"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let git = |line: &str| {
        let user = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let status = Command::new("git").arg("-C").arg(folder.path()).args(user).args(words(line)).status();
        assert!(status.unwrap().success(), "{line}");
    };
    git("init --quiet --initial-branch=main");
    fs::write(folder.path().join("f"), "one").unwrap();
    git("add f");
    git("commit --quiet -m one");
    git("tag first");
    fs::write(folder.path().join("f"), "two").unwrap();
    git("commit --quiet -a -m two");
    fs::write(folder.path().join("f"), "not committed").unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    for (name, text) in [("first", "one"), ("main", "two")] {
        let revision = resolve(folder.path(), name).unwrap();
        assert_eq!(revision.commit.len(), 40);
        let tree = elsewhere.path().join(name);
        checkout(folder.path(), &revision, &tree).unwrap();
        assert_eq!(fs::read_to_string(tree.join("f")).unwrap(), text);
    }
    let missing = resolve(folder.path(), "no-such").unwrap_err();
    assert_eq!(missing.to_string(), "git revision no-such: there is none of that name");
    assert_eq!(fs::read_to_string(folder.path().join("f")).unwrap(), "not committed");
}
