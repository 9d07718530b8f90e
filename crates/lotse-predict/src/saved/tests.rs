//! Saved answers read again: the same sentences and tables as on the command line.

use lotse_model::finding::{Level, Reason, RuleRef, Severity};
use lotse_model::{Finding, Share, Site};
use lotse_report::{Block, Document, Inline};

use super::{SavedAnswer, SavedError, is_saved_answer, read};
use crate::answer::{
    CompareAnswer, FunctionAnswer, FunctionOutcome, FunctionQuery, ListAnswer, SweepAnswer, TileAnswer,
};
use crate::compare::compare;
use crate::concrete::Values;
use crate::locality::Start;
use crate::machine::Machine;
use crate::nest::Function;
use crate::question::{Language, analyse, missing_parameters};
use crate::report;
use crate::sweep::{sweep, tile_parameters, tiles};
use crate::time::{Assumptions, Compiler};

const SOURCE: &str = "
double a[N][N], b[N][N], c[N][N];
void product(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
}
void other(int m, double *x) {
  for (int i = 0; i < m; i++) x[i] = x[i] + 1.0;
}
void tiled(void) {
  for (int ii = 0; ii < N; ii += TILE)
    for (int i = ii; i < ii + TILE; i++)
      for (int j = 0; j < N; j++)
        c[i][j] = a[j][i];
}
";

/// A finding about the loops of `product`.
fn finding() -> Finding {
    Finding {
        rule: RuleRef { id: "predict-column-order".into(), version: 1 },
        level: Level::Warning,
        sites: vec![Site::Machine],
        severity: Some(Severity::new(0.4, "of the predicted time")),
        no_severity: None,
        certainty: Share::clamped(0.9),
        reason: Reason::new("the inner loop walks down a column".into(), vec![]),
        recommendation: "swap the loops".into(),
        evidence: Vec::new(),
        verification: None,
    }
}

fn functions() -> Vec<Function> {
    Language::C.functions(SOURCE).unwrap()
}

fn with_query<T>(name: &str, values: &[(&str, i64)], action: impl FnOnce(FunctionQuery<'_>) -> T) -> T {
    let functions = functions();
    let function = functions.iter().find(|function| function.name == name).unwrap();
    let machine = Machine::from_toml(include_str!("../../../../examples/matrices/laptop.toml")).unwrap();
    let assumptions =
        Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None };
    let values = Values::named(function, values);
    action(FunctionQuery { file: "product.c", function, values: &values, assumptions })
}

/// The blocks that a saved document shares with that of the command line: all but pictures.
fn without_pictures(document: &Document) -> Vec<Block> {
    document.blocks.iter().filter(|block| !matches!(block, Block::Figure(_))).cloned().collect()
}

fn pictures(document: &Document) -> usize {
    document.blocks.len() - without_pictures(document).len()
}

fn lead(document: &Document) -> String {
    match document.blocks.first() {
        Some(Block::Paragraph(text)) => text
            .iter()
            .map(|piece| match piece {
                Inline::Text(text) | Inline::Marked(_, text) => text.clone(),
                _ => String::new(),
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

fn tables(document: &Document) -> Vec<Block> {
    document.blocks.iter().filter(|block| matches!(block, Block::Table(_))).cloned().collect()
}

#[test]
fn a_function_has_the_sentence_and_the_table_of_the_command_line() {
    with_query("product", &[("N", 500)], |query| {
        let analysed = analyse(query.function, query.values, query.assumptions).unwrap();
        let json = serde_json::to_vec(&FunctionAnswer::new(query, &analysed, Vec::new())).unwrap();
        assert!(is_saved_answer(&json));
        let saved = read(&json).unwrap();
        let (shown, printed) = (saved.document(), report::function(query, &analysed));
        assert_eq!((lead(&shown), tables(&shown)), (lead(&printed), tables(&printed)));
        assert_eq!(pictures(&shown), 1);
        let Some(Block::Figure(figure)) = shown.blocks.iter().find(|block| matches!(block, Block::Figure(_)))
        else {
            panic!("no picture")
        };
        assert!(figure.svg.as_str().matches("<rect").count() >= 3, "a bar for each loop");
    });
}

#[test]
fn sweeps_and_tiles_are_those_of_the_command_line() {
    with_query("product", &[], |query| {
        let parameter = query.function.symbols.find_parameter("N").unwrap();
        let swept = sweep(query.function, query.values, (parameter, 20, 2000), query.assumptions);
        let (points, regimes) = swept.unwrap();
        let json = serde_json::to_vec_pretty(&SweepAnswer::new(query, "N", &points, &regimes)).unwrap();
        let shown = read(&json).unwrap().document();
        let printed = report::sweep(query, "N", &points, &regimes);
        assert_eq!(without_pictures(&shown), printed.blocks);
        assert_eq!(pictures(&shown), 1);
    });
    with_query("tiled", &[("N", 512)], |query| {
        let parameters = tile_parameters(query.function);
        let points = tiles(query.function, query.values, (&parameters, &[8, 16, 32]), query.assumptions);
        let points = points.unwrap();
        let json = serde_json::to_vec(&TileAnswer::new(query, vec!["TILE".into()], &points)).unwrap();
        let shown = read(&json).unwrap().document();
        assert_eq!(without_pictures(&shown), report::tiles(query, "TILE", &points).blocks);
    });
}

#[test]
fn comparisons_and_lists_name_the_fastest() {
    with_query("product", &[("N", 500)], |query| {
        let analysed = analyse(query.function, query.values, query.assumptions).unwrap();
        let one = || FunctionAnswer::new(query, &analysed, Vec::new());
        let comparison = compare(&analysed.prediction, &analysed.prediction);
        let answer = CompareAnswer::new(one(), one(), &comparison, true);
        let shown = read(&serde_json::to_vec(&answer).unwrap()).unwrap().document();
        assert_eq!(lead(&shown), lead(&report::compare(query, query, &comparison, &[])));
        let incomplete = CompareAnswer::new(one(), one(), &comparison, false);
        let shown = read(&serde_json::to_vec(&incomplete).unwrap()).unwrap().document();
        assert!(lead(&shown).contains("not known"), "{}", lead(&shown));
        let rows = [(query, FunctionOutcome::Analysed(analysed.clone()))];
        let found = finding();
        let answer = ListAnswer::new("product.c", &rows, 2, vec![found.clone()]);
        let shown = read(&serde_json::to_vec(&answer).unwrap()).unwrap().document();
        assert_eq!(read(&serde_json::to_vec(&answer).unwrap()).unwrap().findings(), [found]);
        let printed = report::list("product.c", &rows, 2);
        assert_eq!(lead(&shown), lead(&printed));
        assert_eq!(shown.blocks.last(), printed.blocks.last(), "compiler, cache and machine");
        let mut earlier = serde_json::to_value(&answer).unwrap();
        earlier.as_object_mut().unwrap().remove("assumes");
        earlier.as_object_mut().unwrap().remove("findings");
        let shown = read(&serde_json::to_vec(&earlier).unwrap()).unwrap().document();
        assert_ne!(shown.blocks.last(), printed.blocks.last());
    });
    with_query("other", &[], |query| {
        let missing = missing_parameters(query.function, query.values);
        let rows = [(query, FunctionOutcome::Missing(missing))];
        let answer = ListAnswer::new("product.c", &rows, 0, Vec::new());
        let shown = read(&serde_json::to_vec(&answer).unwrap()).unwrap().document();
        let Some(Block::Table(table)) = tables(&shown).into_iter().next() else { panic!("{shown:?}") };
        assert_eq!(table.rows[0][3].text, "needs -D m");
        assert_eq!(pictures(&shown), 0);
    });
}

#[test]
fn what_is_no_complete_prediction_is_refused() {
    assert!(!is_saved_answer(b"{\"results\": []}"));
    assert!(!is_saved_answer(b"fn=main\n\"lotse.predict/1\""));
    assert!(is_saved_answer(b"  {\"schema\": \"lotse.predict/9\"}"));
    assert!(matches!(read(b"{\"schema\": \"lotse.predict/9\"}"), Err(SavedError::Schema(_))));
    assert!(matches!(read(b"{\"schema\": \"lotse.predict/1\"}"), Err(SavedError::Json(_))));
    assert!(matches!(read(b"{\"schema\": \"lotse.pre"), Err(SavedError::Json(_))));
    let fit = br#"{"schema":"lotse.predict.fit/1","model":"power","rows":4,"constants":{"a":2.0},
        "predictions":[{"row":"N = 9","time":3.5}],"findings":[]}"#;
    let saved = read(fit).unwrap();
    assert!(matches!(saved, SavedAnswer::Fit(_)));
    assert_eq!(pictures(&saved.document()), 1);
}
