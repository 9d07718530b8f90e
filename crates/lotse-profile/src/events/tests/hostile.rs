//! Malicious formulas: deep, long, many, exponential, out of range. Each is refused or computed quickly.

use lotse_model::Profile;

use super::{formula, profile, strings};
use crate::events::{Cost, CostRow, EventTypes};

fn refused(text: &str, expected: &str) {
    let types = EventTypes::new(&profile(&["Ir", "t_ns"]), &[]).unwrap();
    let error = types.choose(&strings(&[text])).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
    assert!(error.len() < 600, "{} characters of error", error.len());
}

#[test]
fn deep_and_long_expressions_are_refused() {
    refused(&"(".repeat(1000), "nested more than 64 deep");
    refused(&"min(".repeat(500), "nested more than 64 deep");
    refused(&"(".repeat(1_000_000), "are too many");
    refused(&"ä".repeat(3000), "are too many");
    refused(&"x".repeat(4000), "there is no event type");
    refused(&"-".repeat(4000), "expected a number");
    refused(&"9".repeat(4000), "this is not a number");
    refused(&format!("{}1", "t_ns*".repeat(300)), "the unit is out of range");
}

#[test]
fn long_chains_are_worked_out() {
    let types = EventTypes::new(&profile(&["Ir"]), &[]).unwrap();
    let row = CostRow { costs: &[3], signed: false, totals: &[3], calls: None };
    let value = |text: String| types.choose(&[text]).unwrap()[0].value(&row);
    assert_eq!(value(format!("{}Ir", "Ir+".repeat(1000))), Cost::Exact(3003));
    assert_eq!(value(format!("{}Ir", "-".repeat(4000))), Cost::Exact(3));
    assert!(matches!(value(format!("{}Ir", "Ir*".repeat(100))), Cost::Real(real) if real > 1e48));
    assert!(value(format!("{}Ir", "Ir*".repeat(1000))).is_absent());
    assert_eq!(value(format!("0.{}1 * 0 + Ir", "0".repeat(300))), Cost::Exact(3));
}

/// Expanded, the last of these would have 2^200 terms.
#[test]
fn definitions_that_double_cost_what_they_are() {
    let mut definitions = vec!["D0 = Ir".to_owned()];
    definitions.extend((1..200).map(|level| format!("D{level} = D{0} + D{0}", level - 1)));
    let types = EventTypes::new(&profile(&["Ir"]), &definitions).unwrap();
    let row = CostRow { costs: &[1], signed: false, totals: &[1], calls: None };
    let value = |name: &str| types.choose(&strings(&[name])).unwrap()[0].value(&row);
    assert!(matches!(value("D100"), Cost::Exact(exact) if exact == 1 << 100));
    assert!(matches!(value("D199"), Cost::Real(real) if real == 199_f64.exp2()));
}

#[test]
fn a_file_full_of_nonsense_is_read_quickly() {
    let many = Profile {
        formulas: (0..20_000)
            .map(|n| formula(&format!("F{n}"), &format!("F{} + {}", n + 1, "Ir+".repeat(5))))
            .collect(),
        ..profile(&["Ir"])
    };
    let chained = Profile {
        formulas: (0..256)
            .map(|n| formula(&format!("F{n}"), &format!("F{} {}", n + 1, "+Ir*2".repeat(700))))
            .collect(),
        ..profile(&["Ir", "F256"])
    };
    let circle = Profile {
        formulas: (0..256).map(|n| formula(&format!("F{n}"), &format!("F{}", (n + 1) % 256))).collect(),
        ..profile(&["Ir"])
    };
    let long = Profile { formulas: vec![formula("X", &"(Ir+".repeat(250_000))], ..profile(&["Ir"]) };
    let wide: Vec<String> = (0..20_000).map(|n| format!("{}-{n}", "a".repeat(100))).collect();
    let names: Vec<&str> = wide.iter().map(String::as_str).collect();
    let text = format!("{}1", format!("{}-7+", "a".repeat(100)).repeat(30));
    let wide =
        Profile { formulas: (0..300).map(|n| formula(&format!("F{n}"), &text)).collect(), ..profile(&names) };
    let spent = test_support::cpu_time(|| {
        for (profile, problems) in [(many, 257), (chained, 251), (circle, 256), (long, 1), (wide, 1)] {
            let types = EventTypes::new(&profile, &[]).unwrap();
            assert_eq!(types.problems().len(), problems);
            assert!(types.problems().iter().all(|problem| problem.len() < 3000));
        }
    });
    assert!(spent.is_none_or(|spent| spent.as_secs() < 20), "CPU time in an unoptimised build: {spent:?}");
}
