//! Draws a chart.

use lotse_model::Unit;
use lotse_report::number::{format_count, format_seconds};
use lotse_report::svg::{Labels, Svg, TimeArrow, TimeChart, TimeLane, TimeSpan, time_chart};

use crate::chart::{ChartAnswer, ChartLane, ChartMessage};

/// Draws a chart; `title` names the run.
pub fn timeline(answer: &ChartAnswer, title: &str) -> Svg {
    let labels = Labels {
        title: title.to_owned(),
        description: format!(
            "{} lanes over time: regions as colours, waits hatched, messages as lines, the critical path as a band",
            answer.lanes.len()
        ),
        quantity: "time".to_owned(),
        unit: Unit::Seconds,
    };
    let chart = TimeChart {
        begin: answer.begin,
        end: answer.end,
        columns: answer.columns,
        keys: answer.regions.iter().map(|region| region.name.as_str()).collect(),
        lanes: answer.lanes.iter().map(lane).collect(),
        arrows: answer.messages.iter().map(arrow).collect(),
        path: answer.critical_path.iter().map(|piece| (piece.lane, piece.from, piece.to)).collect(),
        note: note(answer),
    };
    time_chart(&labels, &chart)
}

fn lane(lane: &ChartLane) -> TimeLane<'_> {
    let spans = lane.spans.iter();
    TimeLane {
        name: &lane.name,
        spans: spans.map(|span| TimeSpan { from: span.from, to: span.to, key: span.region }).collect(),
        hatched: lane.waits.iter().map(|wait| (wait.from, wait.to)).collect(),
    }
}

fn arrow(message: &ChartMessage) -> TimeArrow {
    let (from, to) = ((message.sent, message.from_lane), (message.received, message.to_lane));
    TimeArrow { from, to }
}

/// The note below the chart: how columns and lines are drawn, and what is left out.
fn note(answer: &ChartAnswer) -> String {
    let drawn = answer.messages.iter().map(|message| message.count).sum::<u64>();
    let lines = answer.messages.len() as u64;
    let count = |count: u64| format_count(count as f64);
    let hidden = answer.hidden.as_ref().map_or_else(String::new, |hidden| {
        format!("; {} hides {}", hidden.by, format_seconds(hidden.seconds))
    });
    let messages = match answer.message_count {
        0 => return format!("each column shows what took most of its time{hidden}"),
        all if drawn < all => format!("{} of {} messages, those that took longest", count(drawn), count(all)),
        all if lines < all => format!("{} messages, drawn as {} lines", count(all), count(lines)),
        all => format!("{} messages", count(all)),
    };
    format!("each column shows what took most of its time; {messages}{hidden}")
}
