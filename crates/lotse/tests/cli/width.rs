//! What people read fits 80 columns, and no two names of a table look alike.

use std::collections::BTreeSet;
use std::process::Command;

use expect_test::{Expect, expect};
use unicode_width::UnicodeWidthStr;

use crate::session::Session;

fn repository(path: &str) -> String {
    format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn check_width(line: &str, stdout: &str) {
    for row in stdout.lines() {
        assert!(row.width() <= 80, "`{line}` prints {} columns:\n{row}\n\n{stdout}", row.width());
    }
}

#[test]
fn every_answer_fits() {
    let session = Session::new();
    for line in [
        "profile top profile/words-list.callgrind",
        "profile top -e Ir,Dr,D1mr,LLm,CEst profile/words-list.callgrind",
        "profile top -g file profile/words-list.callgrind",
        "profile top -g object profile/words-list.callgrind",
        "profile top profile/words.dhat.json",
        "profile top profile/words.massif",
        "profile top profile/words-list.perf.txt",
        "profile callers profile/words-list.callgrind malloc",
        "profile callees --all profile/words-list.callgrind main",
        "profile tree profile/words-list.callgrind",
        "profile tree -e samples,cpu-clock profile/words-list.perf.txt",
        "profile annotate profile/words-list.callgrind find",
        "profile data profile/words.dhat.json",
        "profile parts profile/words.massif",
        "profile events profile/words-list.callgrind",
        "profile formats",
        "profile diff profile/words-list.callgrind profile/words-table.callgrind",
        "profile diff --calls profile/words-list.callgrind profile/words-table.callgrind",
        "profile diff profile/words-list.perf.txt profile/words-table.perf.txt",
        "profile diff -e Ir,Dr,Dw profile/words-list.callgrind profile/words-table.callgrind",
        "trace info trace/heat-4",
        "trace analyze trace/heat-4",
        "trace analyze --level region trace/heat-4",
        "trace analyze --metric wait_at_nxn trace/heat-4",
        "trace critical-path trace/heat-4",
        "trace what-if trace/heat-4 --scale stencil=0.625",
        "trace phases trace/heat-4",
        "trace analyze --focus stencil trace/heat-4 --exclude MPI_*",
        "trace critical-path --focus stencil --only main trace/heat-4",
        "trace efficiency --focus stencil trace/heat-4",
        "trace efficiency --focus stencil trace/heat-4 trace/heat-even",
        "trace diff --focus stencil trace/heat-4 trace/heat-even",
        "trace diff trace/heat-4 trace/heat-even",
        "trace overheads --sequential trace/heat-1 --parallel trace/heat-4",
        "trace efficiency trace/heat-1 trace/heat-4 trace/heat-even",
        "bench report bench/lotse-log-1.jsonl",
        "bench report bench/temci-0.8.5-full.yaml",
        "bench report bench/hyperfine-2.0-parameters.json",
        "explain",
        "explain glossary",
        "config",
    ] {
        let words = line.split(' ').map(|word| match word.split_once('/') {
            Some(("profile" | "trace" | "bench", _)) => repository(&format!("fixtures/{word}")),
            _ => word.to_owned(),
        });
        let words: Vec<String> = words.collect();
        let answer = session.lotse(&words.iter().map(String::as_str).collect::<Vec<_>>());
        // 3: the fixtures hold failed runs.
        assert!([0, 3, 5, 6].contains(&answer.status), "{line}: {} {}", answer.status, answer.stderr);
        assert!(!answer.stdout.is_empty(), "{line}");
        check_width(line, &answer.stdout);
    }
}

#[test]
fn a_measurement_fits() {
    let long = "sleep 0.001 0.0000000000000001 0.00000000000000001 0.0000000000000000001";
    let session = Session::new();
    let runs = ["bench", "--runs", "5", long, "sleep 0.002", "true"];
    let answer = session.lotse(&runs);
    check_width("bench", &answer.stdout);
    let wide = session.lotse(&[&runs[..], &["--wide"]].concat());
    assert!(wide.stdout.lines().any(|line| line.contains(long) && line.contains('…')), "{}", wide.stdout);
}

/// Names of C++ and of Rust, as profilers write them.
const STACKS: &str = "\
main;std::vector<int, std::allocator<int> >::push_back(int const&);void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(__gnu_cxx::__normal_iterator<int*, std::vector<int, std::allocator<int> > >, int const&) 40
main;std::vector<double, std::allocator<double> >::push_back(double const&);void std::vector<double, std::allocator<double> >::_M_realloc_insert<double const&>(__gnu_cxx::__normal_iterator<double*, std::vector<double, std::allocator<double> > >, double const&) 30
main;<alloc::vec::Vec<T,A> as alloc::vec::spec_extend::SpecExtend<T,I>>::spec_extend::h0123456789abcdef 12
main;<alloc::vec::Vec<T,A> as alloc::vec::spec_extend::SpecExtend<T,I>>::spec_extend::hfedcba9876543210 8
main;core::iter::traits::iterator::Iterator::fold 6
main;(anonymous namespace)::Parser::parse(std::basic_string_view<char, std::char_traits<char> >, unsigned long) 4
";

#[test]
fn names_of_templates_and_crates_are_shortened() {
    let session = Session::new();
    session.write("names.collapsed", STACKS);
    check(
        &session,
        "",
        &expect![[r#"
            void std::vector<…>::_M_realloc_insert<…>(…) takes 40.0 % of a weight of 100
            (self)

            self  self %  incl.  incl. %  function
            ────  ──────  ─────  ───────  ──────────────────────────────────────────────────
              40  40.0 %     40   40.0 %  void std::vector<int, …>::_M_realloc_insert<…>(…)
              30  30.0 %     30   30.0 %  std::vector<double, …>::_M_realloc_insert<…>(…)
              12  12.0 %     12   12.0 %  <…Vec<…> as …SpecExtend<…>>::spec_extend h0123…
               8   8.0 %      8    8.0 %  <…Vec<…> as …SpecExtend<…>>::spec_extend hfedc…
               6   6.0 %      6    6.0 %  core::iter::traits::iterator::Iterator::fold
               4   4.0 %      4    4.0 %  (anonymous namespace)::Parser::parse(…)
               0   0.0 %    100  100.0 %  main
               0   0.0 %     40   40.0 %  std::vector<int, std::allocator<…> >::push_back(…)
               0   0.0 %     30   30.0 %  std::vector<…>::push_back(…)
        "#]],
    );
    check(
        &session,
        "--wide",
        &expect![[r#"
            void std::vector<…>::_M_realloc_insert<…>(…) takes 40.0 % of a weight of 100 (self)

            self  self %  incl.  incl. %  function
            ────  ──────  ─────  ───────  ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
              40  40.0 %     40   40.0 %  void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(__gnu_cxx::__normal_iterator<int*, std::vector<int, std::allocator<int> > >, int const&)
              30  30.0 %     30   30.0 %  void std::vector<double, std::allocator<double> >::_M_realloc_insert<double const&>(__gnu_cxx::__normal_iterator<double*, std::vector<double, std::allocator<double> > >, double const&)
              12  12.0 %     12   12.0 %  <alloc::vec::Vec<T,A> as alloc::vec::spec_extend::SpecExtend<T,I>>::spec_extend::h0123456789abcdef
               8   8.0 %      8    8.0 %  <alloc::vec::Vec<T,A> as alloc::vec::spec_extend::SpecExtend<T,I>>::spec_extend::hfedcba9876543210
               6   6.0 %      6    6.0 %  core::iter::traits::iterator::Iterator::fold
               4   4.0 %      4    4.0 %  (anonymous namespace)::Parser::parse(std::basic_string_view<char, std::char_traits<char> >, unsigned long)
               0   0.0 %    100  100.0 %  main
               0   0.0 %     40   40.0 %  std::vector<int, std::allocator<int> >::push_back(int const&)
               0   0.0 %     30   30.0 %  std::vector<double, std::allocator<double> >::push_back(double const&)
        "#]],
    );
}

#[track_caller]
fn check(session: &Session, option: &str, expected: &Expect) {
    let words = ["profile", "top", "--no-findings", "names.collapsed", option];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    expected.assert_eq(&session.lotse(&words).exits(0).stdout);
}

/// The names of functions in a table: everything from `column` on.
fn names(stdout: &str, column: usize) -> Vec<String> {
    let rows = stdout.lines().skip_while(|line| !line.starts_with('─')).skip(1);
    let rows = rows.take_while(|line| !line.is_empty() && !line.starts_with('('));
    rows.map(|row| row.chars().skip(column).collect::<String>().trim().to_owned()).collect()
}

/// A program with many instances of templates, under callgrind.
#[test]
fn recorded_names_of_cpp_fit_and_differ() {
    const SOURCE: &str = "\
#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>
template <class T> void work() { std::vector<T> v; for (int i = 0; i < 300; i++) v.push_back(T(i * 7919 % 311));
 std::sort(v.begin(), v.end()); std::map<T, std::vector<T>> m; for (auto x : v) m[x].push_back(x); }
int main() { work<int>(); work<long>(); work<double>(); work<unsigned char>(); }
";
    let session = Session::new();
    session.write("templates.cpp", SOURCE);
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program)
            .args(arguments)
            .current_dir(session.file(""))
            .output()
            .is_ok_and(|it| it.status.success())
    };
    let recorded = run("c++", &["-O0", "-g", "templates.cpp", "-o", "templates"])
        && run("valgrind", &["-q", "--tool=callgrind", "--callgrind-out-file=templates.out", "./templates"]);
    if !recorded {
        test_support::skip_missing("c++ and valgrind are needed to record a profile");
        return;
    }
    for limit in ["40", "200", "0"] {
        let answer =
            session.lotse(&["profile", "top", "--no-findings", "-n", limit, "templates.out"]).exits(0);
        check_width("profile top", &answer.stdout);
        let header = answer.stdout.lines().find(|line| line.contains(" function")).unwrap();
        let shown = names(&answer.stdout, header[..header.find("function").unwrap()].chars().count());
        let distinct: BTreeSet<&String> = shown.iter().collect();
        assert!(shown.len() > 20 && distinct.len() == shown.len(), "{}", answer.stdout);
    }
}
