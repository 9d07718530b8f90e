//! Clocks that disagree.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::site::Site;
use lotse_report::number::{format_percent, format_seconds};

use super::{Context, Extent, FindingDraft, PRIOR};
use crate::analyze::Clocks;

pub(super) static RULE: Rule = Rule {
    id: "trace-clocks",
    version: 1,
    title: "messages arrive before they are sent",
    meaning: "The clocks of the processes differ by more than a message takes. Waits between them are then too short \
              or too long by as much.",
    computation: "Counts matched messages whose receive was recorded before their send, and collective operations \
                  that somebody left before the last came. Offsets and drifts are \
                  estimated from messages in both directions, and from all leaving an exchange of all with all at \
                  about the same time; what is still reversed is moved behind its cause.",
    picture: "sender    ──────────────┤Send├──   by its clock
receiver  ─────┤Recv├───────────   by its own: before it was sent",
    example: "A receive ends at 0.55 s, its send begins at 0.60 s: one clock is at least 0.05 s off.",
    advice: "Take the corrected numbers (the default; `--clock raw` shows the others). A recorder that synchronises \
             clocks at the begin and the end of a run gives better ones.",
    thresholds: &[],
    prior: PRIOR,
    references: &["R. Rabenseifner: The controlled logical clock, EUROMICRO PDP 1997"],
};

/// One finding if messages or collectives happen before their cause, by the recorded clocks.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let (wrong, all) = (context.facts.clock_violations, context.facts.messages);
    let collectives = context.correction.map_or(0, |correction| correction.before.collectives);
    if wrong == 0 && collectives == 0 {
        return Vec::new();
    }
    let done = match context.options.clock {
        Clocks::Corrected => format!("times are corrected, {}", error_words(context)),
        Clocks::Raw => "times are as recorded".to_owned(),
    };
    let share = wrong as f64 / all.max(1) as f64;
    let draft = FindingDraft {
        rule: &RULE,
        level: Level::Note,
        sites: vec![Site::Machine],
        extent: Extent::Recording(share, "of the messages"),
        certainty: 1.0,
        text: format!("{}; {done}", reversed((wrong, all), collectives)),
        data: vec![
            ("violations", wrong as f64),
            ("messages", all as f64),
            ("collectives", collectives as f64),
        ],
        recommendation: RULE.advice.to_owned(),
        verification: Some(context.command("analyze", &["--clock raw"])),
    };
    vec![draft.finish()]
}

/// A sentence with the numbers of messages and collectives that happen before their cause.
fn reversed((wrong, all): (u64, u64), collectives: u64) -> String {
    let share = format_percent(wrong as f64 / all.max(1) as f64, 1);
    let messages = format!("{wrong} of {all} messages ({share}) arrive before they are sent");
    let times = if collectives == 1 { "once".to_owned() } else { format!("{collectives} times") };
    let left = format!("{times} somebody leaves a collective operation before all have come");
    match (wrong, collectives) {
        (0, _) => left,
        (_, 0) => messages,
        _ => format!("{messages}, and {left}"),
    }
}

/// A phrase with the error of corrected clocks.
fn error_words(context: &Context<'_>) -> String {
    let offsets = context.correction.map_or(&[][..], |correction| &correction.offsets);
    let constrained = || offsets.iter().filter(|offset| offset.messages > 0);
    let most = constrained().filter_map(|offset| offset.uncertainty).max().unwrap_or(0);
    let known = format!("to ± {} of the reference's clock", format_seconds(context.trace.seconds(most)));
    match constrained().filter(|offset| offset.uncertainty.is_none()).count() {
        0 => known,
        some => format!("{known}, but for {some} that are bounded from one side only"),
    }
}
