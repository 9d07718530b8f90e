//! Runs that had to share their CPU.

use lotse_model::Rule;
use lotse_model::finding::{Evidence, Finding, Level, Severity};
use lotse_model::rule::{Threshold, Thresholds};
use lotse_model::site::Site;
use lotse_model::unit::Share;
use lotse_report::number::format_percent;

use super::{Context, Draft, FindingExt, PRIOR};
use crate::session::ContentionLimits;

pub(super) const RULE: Rule = Rule {
    id: "bench-contended",
    version: 1,
    title: "other work disturbed the runs",
    meaning: "While the programs ran they waited for a CPU that something else used, or a hypervisor took time away. \
              Wall time then measures the neighbours too. The runs are marked, never dropped.",
    computation: "A run is contended when its first thread was ready without a CPU (schedstat) for more than `delay` of \
                  its time, or a hypervisor stole more than `steal`; where schedstat is missing, when CPU pressure (PSI) \
                  was above `pressure`. The rule fires when wall time is the primary metric and more \
                  than `share` of the runs are contended.",
    example: "Two busy loops beside the program on two CPUs: every second run waits 4 ms for its turn.",
    picture: "",
    advice: "Stop what runs beside, keep it away (--separate; `lotse doctor` says what works), or compare CPU time \
             (--metric cpu), which does not count waiting. The verdict on wall time stays valid, only wider.",
    thresholds: &[
        Threshold { name: "delay", default: 0.02, meaning: "share of a run spent ready without a CPU" },
        Threshold { name: "steal", default: 0.02, meaning: "share of a run taken by a hypervisor" },
        Threshold {
            name: "pressure",
            default: 0.2,
            meaning: "share of a run with CPU pressure, where delay is unknown",
        },
        Threshold { name: "share", default: 0.1, meaning: "share of contended runs" },
    ],
    prior: PRIOR,
    references: &["proc(5): schedstat", "Linux PSI: Documentation/accounting/psi.rst"],
};

pub(super) fn limits(thresholds: &Thresholds) -> ContentionLimits {
    let limit = |name| thresholds.get(&RULE, name);
    ContentionLimits { delay: limit("delay"), steal: limit("steal"), pressure: limit("pressure") }
}

/// Fires if wall time is the primary metric and the share of contended runs is above the threshold.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let runs = &context.set.runs;
    let contended: Vec<_> = runs.iter().filter(|run| run.disturbance.contended).collect();
    let share = contended.len() as f64 / runs.len().max(1) as f64;
    let (Some(first), Some(last)) = (contended.first(), contended.last()) else { return Vec::new() };
    let on_wall = context.question.primary == lotse_model::metric::WALL;
    if !on_wall || share <= context.threshold(&RULE, "share") {
        return Vec::new();
    }
    let delays: Vec<f64> = contended.iter().filter_map(|run| run.disturbance.run_delay).collect();
    let waited: f64 = delays.iter().sum();
    let total: f64 = runs.iter().filter_map(|run| run.values.get("wall")).sum();
    let waiting = if delays.is_empty() {
        "how long they waited for a CPU is not known".to_owned()
    } else {
        format!("they waited {} of all run time for a CPU", format_percent(waited / total.max(1e-12), 1))
    };
    let draft = Draft {
        rule: &RULE,
        level: Level::Warning,
        site: Site::Machine,
        certainty: 1.0,
        text: format!("{} of {} runs were contended; {waiting}", contended.len(), runs.len()),
        data: vec![("share", share), ("runs", contended.len() as f64), ("waited_seconds", waited)],
        recommendation: "stop what runs beside, or compare CPU time with --metric cpu".to_owned(),
    };
    let severity = Severity { share: Share::clamped(share), of: "of the runs".to_owned() };
    let evidence = Evidence::Blocks { first: first.block.0, last: last.block.0 };
    let verification = context.verify(&["--metric cpu"], &["--runner", "--events", "--metrics"]);
    vec![Finding { severity: Some(severity), ..draft.finish().evidence(evidence).verification(verification) }]
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::{Fixture, noise};

    #[test]
    fn fires_on_many_contended_runs_only() {
        let values = noise(40, 0.01, 5);
        let mut fixture = Fixture::paired(&[("a", &values), ("b", &values)]);
        assert!(fixture.findings("bench-contended").is_empty());
        fixture.contend(20);
        let findings = fixture.findings("bench-contended");
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].reason.data["runs"], 20.0);
        // The runs of this fixture have no run delay.
        assert!(findings[0].reason.text.contains("is not known"), "{}", findings[0].reason.text);
    }
}
