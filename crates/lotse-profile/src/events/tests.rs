//! Event types of small profiles: tables of expressions, units, definitions and error messages.

use lotse_model::profile::{EventType, Formula};
use lotse_model::{Profile, Unit};

use super::{Cost, CostRow, EventError, EventTypes};

mod hostile;
mod random;

/// A profile with these event types.
pub(super) fn profile(names: &[&str]) -> Profile {
    Profile { events: names.iter().map(|name| event(name)).collect(), ..Profile::default() }
}

fn event(name: &str) -> EventType {
    match name.rsplit_once('_') {
        Some((_, "ns")) => EventType::new(name, Unit::Seconds, -9),
        Some((_, "ms")) => EventType::new(name, Unit::Seconds, -3),
        Some((_, "bytes")) => EventType::new(name, Unit::Bytes, 0),
        Some((_, "millionths")) => EventType::new(name, Unit::Number, -6),
        _ => EventType::count(name),
    }
}

fn formula(name: &str, text: &str) -> Formula {
    Formula { name: name.to_owned(), title: None, text: text.to_owned() }
}

pub(super) fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

const NAMES: &[&str] =
    &["Ir", "L1m", "LLm", "t_ns", "t_ms", "m_bytes", "w_millionths", "cpu(ms)", "a-b", "zero"];
const COSTS: &[u64] = &[1000, 20, 3, 2_500_000, 4, 8192, 1_500_000, 7, 50, 0];
const TOTALS: &[i128] = &[4000, 200, 30, 10_000_000, 40, 81920, 3_000_000, 70, 100, 0];
const ROW: CostRow<'_> = CostRow { costs: COSTS, signed: false, totals: TOTALS, calls: Some(8) };

fn worked_out(text: &str) -> Result<(Cost, String), EventError> {
    let types = EventTypes::new(&profile(NAMES), &[]).unwrap();
    let columns = types.choose(&strings(&[text]))?;
    Ok((columns[0].value(&ROW), columns[0].unit.clone()))
}

/// Of lower bounds, sums and costs per call are lower bounds; ratios and differences may be anything.
#[test]
fn values_of_bounds_are_bounds_or_not_known() {
    let types = EventTypes::new(&profile(NAMES), &[]).unwrap();
    let is_known = |text: &str| {
        let columns = types.choose(&strings(&[text])).unwrap();
        !columns[0].bound_value(&ROW).is_absent()
    };
    for text in ["Ir", "Ir + 10 L1m", "2 (Ir + L1m) / 4", "max(Ir, L1m)", "Ir / calls", "Ir / total(Ir)"] {
        assert!(is_known(text), "{text}");
    }
    for text in [
        "L1m / Ir",
        "Ir - 10 L1m",
        "-Ir",
        "5 - Ir",
        "Ir - L1m + LLm",
        "min(-Ir, L1m)",
        "(2 - 5) Ir",
        "Ir - 3",
    ] {
        assert!(!is_known(text), "{text}");
    }
}

#[test]
fn expressions_that_stay_exact() {
    let table = [
        ("Ir + 10*L1m + 100*LLm", 1500, "count"),
        ("Ir + 10 L1m + 100LLm", 1500, "count"),
        ("2 (Ir - L1m) (2)", 3920, "count"),
        ("-Ir + --L1m", -980, "count"),
        ("Ir - L1m - LLm", 977, "count"),
        ("0.5 Ir + 0.25*L1m", 505, "count"),
        ("min(Ir, L1m, LLm) + max(LLm, 5)", 8, "count"),
        ("min(Ir)", 1000, "count"),
        ("calls * 2", 16, "count"),
        ("total(Ir + L1m)", 4200, "count"),
        ("t_ns + t_ms", 6_500_000, "ns"),
        ("t_ms - t_ns", 1_500_000, "ns"),
        ("max(t_ns, t_ms)", 4_000_000, "ns"),
        ("max(0, t_ns - 0)", 2_500_000, "ns"),
        ("w_millionths + 1", 2_500_000, "1e-6"),
        ("cpu(ms) * 2", 14, "count"),
        ("a-b", 50, "count"),
        ("a-b - `L1m`", 30, "count"),
        ("Ir * Ir", 1_000_000, "number"),
        ("t_ns * 3", 7_500_000, "ns"),
    ];
    for (text, expected, unit) in table {
        let (cost, label) = worked_out(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(matches!(cost, Cost::Exact(exact) if exact == expected), "{text} is {cost:?}");
        assert_eq!(label, unit, "{text}");
    }
}

#[test]
fn expressions_that_are_ratios() {
    let table = [
        ("Ir / L1m", 50.0, "number"),
        ("Ir / 1000", 1.0, "count"),
        ("Ir / 2 L1m", 25.0, "number"),
        ("Ir / calls", 125.0, "count/call"),
        ("per_call(t_ms)", 0.5, "ms/call"),
        ("per_call(t_ms) + per_call(t_ns)", 812_500.0, "ns/call"),
        ("percent(Ir)", 25.0, "%"),
        ("percent(Ir + L1m) - percent(L1m)", 102_000.0 / 4200.0 - 10.0, "%"),
        ("total(t_ns) / t_ns", 4.0, "number"),
        ("t_ns / t_ms", 0.625, "number"),
        ("w_millionths / Ir", 0.0015, "number"),
        ("per_call(w_millionths)", 187_500.0, "1e-6/call"),
        ("m_bytes / t_ms", 2048.0, "1e3 bytes/s"),
        ("Ir / t_ms", 250.0, "1e3 1/s"),
        ("t_ns / Ir", 2500.0, "ns"),
        ("1.5 * LLm", 4.5, "count"),
    ];
    for (text, expected, unit) in table {
        let (cost, label) = worked_out(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(matches!(cost, Cost::Real(real) if (real - expected).abs() < 1e-9), "{text} is {cost:?}");
        assert_eq!(label, unit, "{text}");
    }
}

/// Only sums of event types, each times a number, have the value of the whole as the sum of the values of its parts.
#[test]
fn only_sums_of_event_types_add_up() {
    let types = EventTypes::new(&profile(NAMES), &[]).unwrap();
    let adds_up = |text: &str| types.choose(&strings(&[text])).unwrap()[0].adds_up();
    for text in ["Ir", "3 Ir + 2 L1m", "-(Ir - L1m) / 4 * (1 + 2)", "0.5 * Ir", "t_ms - t_ns"] {
        assert!(adds_up(text), "{text}");
    }
    for text in
        ["Ir - 1000", "Ir * L1m", "max(Ir, L1m)", "min(Ir, 5)", "Ir / L1m", "per_call(Ir)", "7 + Ir - Ir"]
    {
        assert!(!adds_up(text), "{text}");
    }
}

#[test]
fn a_ratio_of_nothing_is_absent() {
    for text in
        ["Ir / zero", "zero / zero", "percent(zero)", "1 + Ir / zero", "max(Ir, 1 / zero)", "Ir / (1 - 1)"]
    {
        assert!(worked_out(text).unwrap().0.is_absent(), "{text}");
    }
    let types = EventTypes::new(&profile(NAMES), &[]).unwrap();
    let per_call = types.choose(&strings(&["Ir / calls"])).unwrap().remove(0);
    for calls in [None, Some(0)] {
        assert!(per_call.value(&CostRow { calls, ..ROW }).is_absent());
    }
    assert!(per_call.total(TOTALS).is_absent());
}

#[test]
fn totals_follow_the_formula_and_negative_costs_stay_negative() {
    let types = EventTypes::new(&profile(NAMES), &strings(&["R = Ir / L1m", "S = Ir - 5"])).unwrap();
    let columns = types.choose(&strings(&["R", "S", "percent(Ir)", "Ir"])).unwrap();
    let totals: Vec<f64> = columns.iter().map(|column| column.total(TOTALS).as_f64()).collect();
    assert_eq!(totals, [20.0, 3995.0, 100.0, 4000.0]);
    let row = CostRow { costs: &[-7_i64 as u64], signed: true, ..ROW };
    assert_eq!((columns[1].value(&row), columns[3].value(&row)), (Cost::Exact(-12), Cost::Exact(-7)));
    assert_eq!((columns[1].event(), columns[3].event()), (None, Some(0)));
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let table = [
        ("Ir + 10**L1m", r#"in "Ir + 10**L1m", column 9: expected a number, a name or '('"#),
        ("Ir +", r#"in "Ir +", column 5: expected a number, a name or '('"#),
        ("", r#"in "", column 1: expected a number, a name or '('"#),
        ("(Ir", r#"in "(Ir", column 4: expected an operator or ')'"#),
        ("Ir)", r#"in "Ir)", column 3: expected an operator or the end"#),
        ("Ir LLm", r#"in "Ir LLm", column 4: expected an operator or the end"#),
        (
            "min(Ir; 2)",
            r#"in "min(Ir; 2)", column 7: ';' means nothing here; an odd name is written in backticks"#,
        ),
        ("min(Ir 2)", r#"in "min(Ir 2)", column 8: expected an operator, ',' or ')'"#),
        ("max()", r#"in "max()", column 5: expected a number, a name or '('"#),
        ("percent(Ir, 2)", r#"in "percent(Ir, 2)", column 11: expected an operator or ')'"#),
        ("1.2.3", r#"in "1.2.3", column 1: this is not a number"#),
        ("2 * .", r#"in "2 * .", column 5: this is not a number"#),
        ("Ir + `x", r#"in "Ir + `x", column 6: the closing backtick is missing"#),
        (
            "sqrt(Ir)",
            r#"in "sqrt(Ir)", column 1: "sqrt" is not a function; min, max, total, percent and per_call are"#,
        ),
        ("Ir + t_ns", r#"in "Ir + t_ns", column 1: cannot add Ir (count) and t_ns (ns)"#),
        (
            "2 min(t_ns, m_bytes)",
            r#"in "2 min(t_ns, m_bytes)", column 3: cannot compare t_ns (ns) and m_bytes (bytes)"#,
        ),
        ("1 - t_ns", r#"in "1 - t_ns", column 1: cannot subtract 1 (number) and t_ns (ns)"#),
        ("total(calls)", r#"in "total(calls)", column 1: the number of calls has no total"#),
        ("größe + 1", r#"in "größe + 1", column 1: there is no event type "größe"; there are Ir, L1m"#),
        (
            "1 + l1m",
            r#"in "1 + l1m", column 5: there is no event type "l1m", did you mean L1m?; there are Ir, L1m, LLm"#,
        ),
    ];
    for (text, expected) in table {
        let error = worked_out(text).map(|(cost, _)| cost).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let error = EventTypes::new(&profile(NAMES), &strings(&["CEst = Ir + 10**L1m"])).unwrap_err();
    let place = error.place().unwrap();
    assert_eq!((place.column(), place.span.clone()), (16, 15..16), "{error}");
}

#[test]
fn definitions_may_build_upon_each_other_but_not_in_circles() {
    let profile = profile(NAMES);
    let types =
        EventTypes::new(&profile, &strings(&["C = 2 B", "B=A + 1", "`x y` = A", "A = Ir + L1m"])).unwrap();
    let columns = types.choose(&strings(&["C", "`x y` - B"])).unwrap();
    assert_eq!((columns[0].value(&ROW), columns[1].value(&ROW)), (Cost::Exact(2042), Cost::Exact(-1)));
    assert_eq!(columns[0].formula.as_deref(), Some("2 B"));
    let table: [(&[&str], &str); 7] = [
        (&["A = B", "B = 2 A"], "event types are defined by each other: A -> B -> A"),
        (&["X = Y", "Y = Z + 1", "Z = Y"], "event types are defined by each other: Y -> Z -> Y"),
        (&["A = A"], "event types are defined by each other: A -> A"),
        (&["Ir = 1"], r#"in "Ir = 1": the event type Ir exists already"#),
        (&["A = 1", "A = 2"], r#"in "A = 2": the event type A exists already"#),
        (&["calls = 1"], r#"in "calls = 1": the event type calls exists already"#),
        (&["Ir + 1"], r#"in "Ir + 1", column 1: expected NAME = EXPRESSION"#),
    ];
    for (definitions, expected) in table {
        assert_eq!(EventTypes::new(&profile, &strings(definitions)).unwrap_err().to_string(), expected);
    }
}

#[test]
fn formulas_of_the_file_count_unless_they_make_no_sense() {
    let mut profile = profile(NAMES);
    let texts =
        [("Good", "Ir + Later"), ("Later", "10 L1m"), ("Bad", "Ir +"), ("A", "B"), ("B", "A"), ("Ir", "1")];
    profile.formulas = texts.map(|(name, text)| formula(name, text)).into();
    let types = EventTypes::new(&profile, &strings(&["Later = 20 L1m"])).unwrap();
    let derived: Vec<&str> =
        types.all().iter().filter(|column| column.event().is_none()).map(|column| &*column.name).collect();
    assert_eq!(derived, ["Good", "CEst", "L1MPKI", "LLMPKI", "Later"]);
    assert_eq!(types.all()[NAMES.len()].value(&ROW), Cost::Exact(1400));
    assert_eq!(types.own().len(), NAMES.len());
    let problems = types.problems().join("\n");
    let expected = [
        r#"the formula of "Ir" is left out: the name is not free"#,
        r#"the formula of "Bad" is left out: in "Bad = Ir +", column 11: expected a number"#,
        r#"the formula of "A" is left out: event types are defined by each other: A -> B -> A"#,
    ];
    for line in expected {
        assert!(problems.contains(line), "{problems}");
    }
}

#[test]
fn well_known_event_types_where_their_ingredients_are() {
    let derived = |names: &[&str]| -> Vec<String> {
        let types = EventTypes::new(&profile(names), &[]).unwrap();
        assert!(types.problems().is_empty());
        let derived = types.all().iter().filter(|column| column.event().is_none());
        derived.map(|column| format!("{} = {}", column.name, column.formula.clone().unwrap())).collect()
    };
    let caches = ["Ir", "I1mr", "ILmr", "Dr", "D1mr", "DLmr", "Dw", "D1mw", "DLmw"];
    let with_caches = derived(&caches);
    assert!(with_caches.contains(&"CEst = Ir + 10 L1m + 100 LLm".to_owned()), "{with_caches:?}");
    let with_branches = derived(&[&caches[..], &["Bc", "Bcm", "Bi", "Bim"]].concat());
    assert!(with_branches.contains(&"CEst = Ir + 10 Bm + 10 L1m + 100 LLm".to_owned()), "{with_branches:?}");
    let old = derived(&["Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "I2mr", "D2mr", "D2mw"]);
    assert!(old.contains(&"CEst = Ir + 10 L1m + 100 L2m".to_owned()), "{old:?}");
    assert_eq!(derived(&["cycles:u", "instructions:u"]), ["IPC = `instructions:u` / `cycles:u`"]);
    assert_eq!(derived(&["cycles", "instructions:u"]), [""; 0]);
    assert_eq!(derived(&["samples"]), [""; 0]);
}

#[test]
fn an_event_type_called_calls_is_what_calls_means() {
    let types = EventTypes::new(&profile(&["calls", "min", "t_ns"]), &[]).unwrap();
    let columns =
        types.choose(&strings(&["calls", "2 calls", "per_call(t_ns)", "min + min(min, 2)"])).unwrap();
    let row = CostRow { costs: &[5, 7, 80], signed: false, totals: &[5, 7, 80], calls: Some(2) };
    let costs: Vec<f64> = columns.iter().map(|column| column.value(&row).as_f64()).collect();
    assert_eq!(costs, [5.0, 10.0, 40.0, 9.0]);
}
