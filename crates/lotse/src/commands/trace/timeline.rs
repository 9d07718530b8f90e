//! `lotse trace timeline`.

use std::path::Path;
use std::time::Duration;

use lotse_model::trace::Ticks;
use lotse_trace::analyze::Subject;
use lotse_trace::chart::{ChartAnswer, View, chart};
use lotse_trace::critical::critical_path;
use lotse_trace::report;
use lotse_trace::store::Trace;

use super::{ending, subject_of, threads};
use crate::args::trace_timeline::TimelineArgs;
use crate::exit::{Exit, Failure};
use crate::export::{refuse_raster_formats, save};
use crate::progress::ProgressLine;
use crate::screen;

pub(crate) fn run(args: &TimelineArgs) -> Result<Exit, Failure> {
    let out = args.out.as_deref().unwrap_or(Path::new("-"));
    refuse_raster_formats(out)?;
    let (subject, damaged) = subject_of(&args.input, &args.cut, !args.json)?;
    let answer = chart_answer(args, &subject)?;
    if args.json {
        screen::json(&answer)?;
    } else {
        save(out, report::timeline(&answer, &title(&args.input.trace)).as_str().as_bytes())?;
    }
    Ok(ending(damaged))
}

fn chart_answer(args: &TimelineArgs, subject: &Subject) -> Result<ChartAnswer, Failure> {
    let trace = &subject.trace;
    let view = view(args, trace)?;
    let path = critical_path(trace, &subject.waits);
    let mut line = ProgressLine::new(true);
    let workers = threads(&args.input.read, "drawing", &mut line);
    Ok(chart(trace, &subject.waits, &path, (view, &args.filter.filter()), &workers))
}

/// The part of the run to draw; an empty one is refused.
fn view(args: &TimelineArgs, trace: &Trace) -> Result<View, Failure> {
    let ticks = |time: Duration| {
        (time.as_secs_f64() * trace.definitions.clock.resolution as f64).round().min(Ticks::MAX as f64)
            as Ticks
    };
    let usual = View::default();
    let view = View {
        from: args.from.map_or(usual.from, ticks),
        to: args.to.map_or(usual.to, ticks),
        lanes: args.lanes.get(),
        ..usual
    };
    let seconds = trace.seconds(trace.runtime());
    if view.from >= view.to || view.from >= trace.runtime().max(1) {
        return Err(Failure::usage(format!(
            "--from and --to leave nothing to draw: the run lasts {seconds} s, and --from must be less than --to"
        )));
    }
    Ok(view)
}

/// The title of the picture: the name of the trace.
fn title(trace: &Path) -> String {
    trace.file_name().map_or_else(|| trace.display().to_string(), |name| name.to_string_lossy().into_owned())
}
