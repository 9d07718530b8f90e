//! The thesis's example: a difference of means that is not significant.

use serde_json::{Value, json};

use crate::session::{Session, list};

/// Thirty values with exactly this mean and this sample deviation.
fn values(mean: f64, deviation: f64) -> Vec<f64> {
    let raw: Vec<f64> = (0..30).map(|i| f64::from((i * 17) % 30)).collect();
    let centre = raw.iter().sum::<f64>() / 30.0;
    let spread = (raw.iter().map(|it| (it - centre).powi(2)).sum::<f64>() / 29.0).sqrt();
    raw.iter().map(|it| mean + (it - centre) / spread * deviation).collect()
}

fn result(command: &str, times: &[f64]) -> Value {
    let minimum = times.iter().copied().fold(f64::INFINITY, f64::min);
    let maximum = times.iter().copied().fold(0.0, f64::max);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    json!({
        "command": command, "mean": mean, "stddev": 1.0, "median": mean, "user": 0.0, "system": 0.0,
        "min": minimum, "max": maximum, "times": times,
    })
}

fn session() -> Session {
    let session = Session::new();
    let results = [result("A", &values(122.0, 37.0)), result("B", &values(110.0, 39.0))];
    session.write("thesis.json", &json!({ "results": results }).to_string());
    session
}

#[test]
fn no_difference_is_claimed() {
    let answer = session().lotse(&["bench", "report", "--json", "thesis.json"]).exits(5).json();
    let wall = list(&answer["comparisons"]).iter().find(|it| it["metric"] == "wall").unwrap();
    assert_eq!((&wall["verdict"], &wall["primary"]), (&"undecided".into(), &true.into()));
    assert!((wall["ratio"].as_f64().unwrap() - 110.0 / 122.0).abs() < 0.05, "{wall}");
}

#[test]
fn the_test_s_p_is_printed() {
    let session = session();
    // Welch from the summary figures: t = 12 / sqrt(37²/30 + 39²/30) = 1.2226 with 57.84 degrees of freedom.
    let answer = session.lotse(&["bench", "report", "thesis.json"]).exits(5);
    assert!(answer.stdout.contains("Welch"), "{}", answer.stdout);
    assert!(answer.stdout.contains("0.23") || answer.stdout.contains("23 %"), "{}", answer.stdout);
    for word in ["faster than", "slower than"] {
        assert!(!answer.stdout.contains(word), "{}", answer.stdout);
    }
}

#[test]
fn the_latex_table_has_the_thesis_s_columns() {
    let answer = session().lotse(&["bench", "report", "--to", "latex", "thesis.json"]).exits(5);
    assert!(answer.stdout.contains("\\begin{tabular}"), "{}", answer.stdout);
}
