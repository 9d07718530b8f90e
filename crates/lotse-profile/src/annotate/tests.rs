//! Small functions with costs computed by hand, from stacks and from costs by line.

use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::id::{FileId, FunctionId, ObjectId, PartId};
use lotse_model::profile::{
    Builder, CallSites, CodePosition, Costs, Detail, EventType, Frame, LineCosts, Part,
};

use super::{AnnotateQuery, Annotated, LineAnswer, Show, Syntax, annotate};
use crate::analysis::{Analysis, CycleMode};
use crate::events::EventTypes;
use crate::resolve::{Binaries, Files};

/// One source file of ten lines.
struct Texts;

impl Files for Texts {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        (path == "a.c").then(|| Box::new(Text) as Box<dyn Source>)
    }
}

struct Text;

impl Source for Text {
    fn name(&self) -> &str {
        "a.c"
    }

    fn bytes(&self) -> &[u8] {
        b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
    }

    fn get(&self, _: &str) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn siblings(&self) -> std::io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}

fn ask(profile: &Profile, function: FunctionId, detail: &Detail, show: Show) -> Annotated {
    profile.check().unwrap();
    let analysis = Analysis::of_default_parts(profile, CycleMode::Folded);
    let columns = EventTypes::new(profile, &[]).unwrap().own();
    let query = AnnotateQuery {
        columns: &columns,
        function,
        detail,
        binaries: Binaries { files: &Texts, given: &[] },
        source_dirs: &[],
        show,
        syntax: Syntax::Intel,
        context: 1,
    };
    annotate(&analysis, &query)
}

type Shown = (Option<u32>, f64, f64, Vec<(String, f64, bool)>);

fn shown(line: &LineAnswer) -> Shown {
    let call = |site: &super::SiteAnswer| {
        let cost = site.cost.as_ref().map_or(f64::NAN, |cost| cost[0].as_f64());
        (site.function.display.clone(), cost, site.inlined)
    };
    let calls = line.calls.iter().map(call).collect();
    (line.line, line.own[0].as_f64(), line.inclusive[0].as_f64(), calls)
}

/// A function, a line and whether it was inlined.
type At<'a> = (&'a str, u32, bool);

/// Stacks from the outermost frame, and their costs.
fn sampled(stacks: &[(&[At<'_>], u64)]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let mut part = Part::new("1", 1, false);
    for (frames, cost) in stacks {
        let mut stack = None;
        for &(name, line, inlined) in *frames {
            let file = builder.file("a.c");
            let function = builder.function(name, ObjectId(0), file);
            let frame = builder.frame(Frame { function, file, line, address: 0, inlined });
            stack = Some(builder.stack(stack, frame));
        }
        part.samples.stack.push(stack);
        part.samples.costs.push(&[*cost]);
    }
    builder.profile.parts = vec![part];
    builder.finish()
}

#[test]
fn lines_get_samples_and_recursive_calls_count_once() {
    let profile = sampled(&[
        (&[("f", 4, false)], 3),
        (&[("f", 5, false), ("f", 5, false), ("f", 4, false)], 10),
        (&[("f", 5, false), ("g", 9, true)], 2),
    ]);
    let annotated = ask(&profile, FunctionId(0), &Detail::default(), Show::Source);
    let lines: Vec<Shown> = annotated.files[0].lines.iter().map(shown).collect();
    let calls = vec![("f".to_owned(), 10.0, false), ("g".to_owned(), 2.0, true)];
    let expected = [
        (Some(3), 0.0, 0.0, vec![]),
        (Some(4), 13.0, 13.0, vec![]),
        (Some(5), 0.0, 12.0, calls),
        (Some(6), 0.0, 0.0, vec![]),
    ];
    assert_eq!(lines, expected);
    assert_eq!(annotated.notes, [""; 0]);
}

fn detailed() -> (Profile, Detail) {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("Ir")];
    let (known, unknown) = (builder.file("a.c"), builder.file("gone.h"));
    let f = builder.function("f", ObjectId(0), known);
    let g = builder.function("g", ObjectId(0), unknown);
    let mut part = Part::new("1", 1, false);
    part.own.function.push(f);
    part.own.costs.push(&[60]);
    part.calls.caller.push(f);
    part.calls.callee.push(g);
    part.calls.count.push(5);
    part.calls.costs.push(&[50]);
    builder.profile.parts = vec![part.clone(), Part { selected: false, ..part }];
    let place = |file: FileId, line| CodePosition { file, line, address: 0 };
    let places = vec![place(unknown, 70), place(known, 2), place(known, 2), place(known, 0), place(known, 2)];
    let lines = LineCosts {
        function: vec![f; 5],
        part: [0, 0, 0, 0, 1].map(PartId).to_vec(),
        place: places,
        costs: Costs::from_cells(1, false, vec![10, 20, 25, 5, 1000]),
    };
    let sites = CallSites {
        caller: vec![f; 2],
        callee: vec![g; 2],
        part: vec![PartId(0); 2],
        place: vec![place(known, 2); 2],
        target: vec![CodePosition::default(); 2],
        count: vec![2, 3],
        costs: Costs::from_cells(1, false, vec![20, 30]),
    };
    (builder.finish(), Detail { lines, sites, ..Detail::default() })
}

#[test]
fn detail_is_summed_by_line_over_the_chosen_parts() {
    let (profile, detail) = detailed();
    let annotated = ask(&profile, FunctionId(0), &detail, Show::Source);
    let files: Vec<(&str, Vec<Shown>)> = annotated
        .files
        .iter()
        .map(|file| (file.path.as_deref().unwrap(), file.lines.iter().map(shown).collect()))
        .collect();
    let calls = vec![("g".to_owned(), 50.0, false)];
    let known = vec![
        (None, 5.0, 5.0, vec![]),
        (Some(1), 0.0, 0.0, vec![]),
        (Some(2), 45.0, 95.0, calls),
        (Some(3), 0.0, 0.0, vec![]),
    ];
    assert_eq!(files, [("a.c", known), ("gone.h", vec![(Some(70), 10.0, 10.0, vec![])])]);
    assert_eq!(annotated.files[0].lines[2].calls[0].calls, Some(5));
    assert_eq!(annotated.notes, ["source file gone.h is not there; name its folder with --source-dir DIR"]);
}

#[test]
fn a_missing_binary_is_reported_when_assembly_is_requested() {
    let (profile, detail) = detailed();
    let annotated = ask(&profile, FunctionId(0), &detail, Show::Code);
    assert!(annotated.code.is_none() && annotated.files.is_empty());
    let expected = "no assembly: the profile does not name its program; give it with --binary FILE";
    assert_eq!(annotated.notes, [expected]);
    assert_eq!(ask(&profile, FunctionId(0), &detail, Show::Found).code, None);
}

#[test]
fn a_function_without_detail_is_reported() {
    let (profile, _) = detailed();
    let annotated = ask(&profile, FunctionId(1), &Detail::default(), Show::Found);
    assert_eq!(annotated.notes, ["the profile has no costs by line or instruction of this function"]);
}
