//! Annotated functions, as lines for people and as tables for programs.

use expect_test::expect;
use lotse_model::bytes::Source;
use lotse_profile::annotate::{
    AnnotateAnswer, AnnotateQuery, CodeAnswer, InstructionAnswer, JumpAnswer, Show, Syntax, annotate,
};
use lotse_profile::answer::{EventAnswer, FunctionAnswer};
use lotse_profile::csv::{AnnotateTable, annotate as annotate_csv};
use lotse_profile::events::{Column, Cost};
use lotse_profile::report::{self, Layout, Relative, StyledLine};
use lotse_profile::resolve::{Binaries, Files};

use crate::input::{CALLGRIND, csv, function, with};

/// One source file under one path.
struct Text(&'static str, &'static str);

impl Source for Text {
    fn name(&self) -> &str {
        self.0
    }

    fn bytes(&self) -> &[u8] {
        self.1.as_bytes()
    }

    fn get(&self, _: &str) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn siblings(&self) -> std::io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}

impl Files for Text {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        (path == self.0).then(|| Box::new(Text(self.0, self.1)) as Box<dyn Source>)
    }
}

const LINES: &str = "one\ntwo\nint main(void) {\n\tqsort(a, n, 4, compare);\n\treturn 0;\n}\nseven\n";

/// Annotates a function of the callgrind file, and calls `check` with the answer, its columns and notes.
fn answered(
    name: &str,
    file: &Text,
    check: impl FnOnce(&AnnotateAnswer, &[Column], &[String]) -> String,
) -> String {
    with(CALLGRIND, |opened, analysis, columns| {
        let id = function(&opened.profile, name);
        let columns = &columns[..1];
        let detail = opened.detail(id).unwrap();
        let query = AnnotateQuery {
            columns,
            function: id,
            detail: &detail,
            binaries: Binaries { files: file, given: &[] },
            source_dirs: &["here".to_owned()],
            show: Show::Source,
            syntax: Syntax::Intel,
            context: 1,
        };
        let annotated = annotate(analysis, &query);
        let answer = AnnotateAnswer {
            schema: "lotse.profile.annotate/1",
            format: opened.format.to_owned(),
            events: EventAnswer::for_columns(columns, &analysis.totals),
            default_event: None,
            function: FunctionAnswer::new(&opened.profile, &analysis.summary(), columns, id),
            files: annotated.files,
            code: annotated.code,
            diagnostics: Vec::new(),
        };
        check(&answer, columns, &annotated.notes)
    })
}

fn text(lines: &[StyledLine]) -> String {
    let line = |line: &StyledLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
    lines.iter().map(|it| format!("{}\n", line(it).trim_end())).collect()
}

const LAYOUT: Layout = Layout { interleaved: false, context: 1, relative: Relative::Total };

#[test]
fn source_lines_with_costs_and_calls() {
    let found = answered("main", &Text("/src/main.c", LINES), |answer, columns, notes| {
        assert_eq!(notes, [""; 0]);
        let tables = [AnnotateTable::Lines, AnnotateTable::Calls].map(|it| csv(&annotate_csv(answer, it)));
        text(&report::annotate(answer, columns, LAYOUT)) + &tables.join("\n")
    });
    expect![[r#"
        main  prog: main.c
        Ir: self 1,000 (10.0 %), inclusive 9,000 (90.0 %), called 0 times

        /src/main.c
           Ir       % line
                         2 │ two
        1,000  10.0 %    3 │ int main(void) {
                         4 │         qsort(a, n, 4, compare);
                           │         → qsort  1 call  8,000 (80.0 %)
                         5 │         return 0;
        file,line,Ir self,text
        /src/main.c,2,0,two
        /src/main.c,3,1000,int main(void) {
        /src/main.c,4,0,"	qsort(a, n, 4, compare);"
        /src/main.c,5,0,	return 0;

        file,line,callee,calls,Ir cost
        /src/main.c,4,qsort,1,8000
    "#]]
    .assert_eq(&found);
}

#[test]
fn source_is_found_by_the_end_of_its_path_and_shares_can_be_of_the_function() {
    let found = answered("main", &Text("here/main.c", LINES), |answer, columns, _| {
        assert_eq!(answer.files[0].found.as_deref(), Some("here/main.c"));
        text(&report::annotate(answer, columns, Layout { relative: Relative::Parent, ..LAYOUT }))
    });
    expect![[r#"
        main  prog: main.c
        Ir: self 1,000 (10.0 %), inclusive 9,000 (90.0 %), called 0 times

        /src/main.c
           Ir       % line
                         2 │ two
        1,000  11.1 %    3 │ int main(void) {
                         4 │         qsort(a, n, 4, compare);
                           │         → qsort  1 call  8,000 (88.9 %)
                         5 │         return 0;
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_source_that_is_missing_or_too_short_is_reported() {
    let notes = |file: &Text| answered("main", file, |_, _, notes| notes.join("\n"));
    let gone = "source file /src/main.c is not there; name its folder with --source-dir DIR";
    assert_eq!(notes(&Text("elsewhere.c", "")), gone);
    let short = "/src/main.c is shorter than the profile says; is it another version?";
    assert_eq!(notes(&Text("/src/main.c", "one\ntwo\n")), short);
}

/// Six instructions: a loop, a jump out of it, and some without cost.
fn code(columns: &[Column]) -> CodeAnswer {
    assert_eq!(columns.len(), 1);
    let jump = |target, executed, taken, conditional| {
        vec![JumpAnswer { target, executed: Some(executed), taken: Some(taken), conditional }]
    };
    let instruction =
        |address: u64, text: &str, cost: i128, line: u32, jumps: Vec<JumpAnswer>| InstructionAnswer {
            address,
            bytes: "90".to_owned(),
            text: text.to_owned(),
            own: vec![Cost::Exact(cost)],
            file: Some("/src/main.c".to_owned()),
            line: Some(line),
            jumps,
            calls: Vec::new(),
        };
    let mut instructions = vec![
        instruction(0x1000, "mov eax, 5", 100, 3, Vec::new()),
        instruction(0x1001, "dec eax", 500, 4, Vec::new()),
        instruction(0x1002, "jne 0x1001", 300, 4, jump(0x1001, 5, 4, true)),
        instruction(0x1003, "jmp 0x1005", 50, 4, jump(0x1005, 1, 1, false)),
        instruction(0x1004, "nop", 0, 5, Vec::new()),
        instruction(0x1005, "jmp 0x1000", 50, 5, jump(0x1000, 1200, 1200, false)),
    ];
    instructions.extend((0..9).map(|at| instruction(0x1006 + at, "int3", 0, 6, Vec::new())));
    CodeAnswer { binary: "/opt/bin/prog".to_owned(), instructions }
}

#[test]
fn instructions_with_jumps_as_arrows() {
    let found = answered("main", &Text("/src/main.c", LINES), |answer, columns, _| {
        let answer = AnnotateAnswer { code: Some(code(columns)), files: Vec::new(), ..answer.clone() };
        text(&report::annotate(&answer, columns, LAYOUT))
    });
    expect![[r#"
        main  prog: main.c
        Ir: self 1,000 (10.0 %), inclusive 9,000 (90.0 %), called 0 times

        /opt/bin/prog
         Ir       % address
        100   1.0 %    1000    ┌─► mov eax, 5
        500   5.0 %    1001  ┌─┼─► dec eax
        300   3.0 %    1002  └─┼── jne 0x1001  taken 4 of 5
         50   0.5 %    1003  ┌─┼── jmp 0x1005  1 jump
                       1004  │ │   nop
         50   0.5 %    1005  └─┴─► jmp 0x1000  1,200 jumps
                       1006        int3
                          …        … 8 instructions without cost
    "#]]
    .assert_eq(&found);
}

#[test]
fn source_lines_between_instructions() {
    let found = answered("main", &Text("/src/main.c", LINES), |answer, columns, _| {
        let answer = AnnotateAnswer { code: Some(code(columns)), ..answer.clone() };
        text(&report::annotate(
            &answer,
            columns,
            Layout { interleaved: true, relative: Relative::Off, context: 0 },
        ))
    });
    expect![[r#"
        main  prog: main.c
        Ir: self 1,000 (10.0 %), inclusive 9,000 (90.0 %), called 0 times

        /opt/bin/prog
           Ir address
        1,000                3: int main(void) {
          100    1000    ┌─►   mov eax, 5
                         │   4: qsort(a, n, 4, compare);
          500    1001  ┌─┼─►   dec eax
          300    1002  └─┼──   jne 0x1001  taken 4 of 5
           50    1003  ┌─┼──   jmp 0x1005  1 jump
                       │ │   5: return 0;
                 1004  │ │     nop
           50    1005  └─┴─►   jmp 0x1000  1,200 jumps
                    …        … 9 instructions without cost
    "#]]
    .assert_eq(&found);
}

#[test]
fn instructions_for_programs_and_calls_of_unknown_cost() {
    let found = answered("main", &Text("/src/main.c", LINES), |answer, columns, _| {
        let mut answer = AnnotateAnswer { code: Some(code(columns)), ..answer.clone() };
        answer.code.as_mut().unwrap().instructions.truncate(4);
        for line in &mut answer.files[0].lines {
            line.calls.iter_mut().for_each(|site| (site.cost, site.calls) = (None, None));
        }
        answer.files[0].lines.retain(|line| !line.calls.is_empty());
        let tables = [AnnotateTable::Lines, AnnotateTable::Calls, AnnotateTable::Instructions];
        tables.map(|it| csv(&annotate_csv(&answer, it))).join("\n")
    });
    expect![[r#"
        file,line,Ir self,text
        /src/main.c,4,0,"	qsort(a, n, 4, compare);"

        file,line,callee,calls,Ir cost
        /src/main.c,4,qsort,,

        address,bytes,Ir self,text,file,line,jump,executed,taken
        0x1000,90,100,"mov eax, 5",/src/main.c,3,,,
        0x1001,90,500,dec eax,/src/main.c,4,,,
        0x1002,90,300,jne 0x1001,/src/main.c,4,0x1001,5,4
        0x1003,90,50,jmp 0x1005,/src/main.c,4,0x1005,1,1
    "#]]
    .assert_eq(&found);
}
