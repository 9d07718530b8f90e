//! The text output of `perf script`, old and new, with any choice of fields.
//!
//! A sample is a line (`comm pid/tid [cpu] time: period event:`), a line for each frame from the innermost outwards
//! (`address symbol+0xoffset (object)`), and an empty line; or all of it on one line. Every thread is a part. The event
//! types are `samples` and each event with its period, or 1 where no period is printed. Addresses are kept as printed;
//! what they are relative to depends on the version of perf. A caller whose address is outside of any mapping is none; a
//! marker stands for it. How callers were recorded is known where the header has perf's command line.

mod frame;
mod header;
mod mode;
pub(in crate::profile) mod recording;

use lotse_model::bytes::Source;
use lotse_model::id::{FileId, StackId};
use lotse_model::profile::{Builder, Frame, readable};
use lotse_model::{Profile, Workers};

use self::frame::PrintedFrame;
use self::header::SampleHeader;
use self::mode::CallerMode;
use self::recording::{PerfRecording, ThreadSample};
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::frame_pointers::{FramePointerStacks, LOST, marker};
use crate::reading::Diagnostic;
use crate::reading::Reading;

pub(crate) const FORMAT: Format = Format {
    id: "perf-script",
    title: "perf script",
    extensions: &["perf", "linux-perf.txt"],
    claim,
    reader: Reader::Profile(read),
};

/// How many bytes of a file a claim examines.
const LOOK: usize = 1 << 16;

/// Claims text with a sample line that has a time, or a sample line followed by a frame with an object.
fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    let look = readable(&bytes[..bytes.len().min(LOOK)]);
    let has_comment = look.lines().any(|line| line.starts_with("# captured on"));
    let mut lines = look.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).take(20);
    let mut last = None;
    let found = lines.any(|line| {
        let (header, frame) = (SampleHeader::parse(line), PrintedFrame::parse(line));
        let sample = header.as_ref().is_some_and(|header| header.time.is_some());
        let stack = last.take().is_some() && frame.is_some_and(|frame| frame.object.is_some());
        last = header;
        sample || stack
    });
    match (found, has_comment) {
        (true, _) => Confidence::Certain,
        (false, true) => Confidence::Likely,
        _ => Confidence::No,
    }
}

/// Reads line by line: a header begins a sample, the frames below it belong to it, and an empty line ends it.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let text = readable(source.bytes());
    let mut script = ScriptReader::default();
    let mut builder = Builder::new();
    for (number, line) in (1..).zip(text.lines()) {
        script.line(number, line, &mut builder);
    }
    if is_cut(&text) {
        let problem = "the file ends inside this line; what came after is missing";
        script.diagnostics.loss(Place::Line(text.lines().count() as u64), problem);
    }
    script.end_sample(&mut builder);
    if script.recording.is_empty() {
        let problem = "expected lines such as `comm 12 3.456: cycles:`, found none";
        return Err(Diagnostic::loss(Place::Whole, problem).into_error(source.name()));
    }
    let ScriptReader { mut recording, mut diagnostics, chains, .. } = script;
    let mode = CallerMode::of_command(builder.profile.command.as_deref());
    if let Some(note) = mode.note(&chains) {
        diagnostics.note(Place::Whole, note);
    }
    recording.guess_default();
    recording.finish(source.bytes().len(), &mut builder.profile, &mut diagnostics);
    let diagnostics = diagnostics.into_vec();
    Ok(Reading { value: builder.finish(), format_id: FORMAT.id, diagnostics })
}

/// Whether the text ends before the parenthesis that closes an object. A missing line end alone proves nothing.
fn is_cut(text: &str) -> bool {
    let last = text.rsplit('\n').next().unwrap_or("");
    last.rfind('(') > last.rfind(')')
}

#[derive(Default)]
struct ScriptReader<'a> {
    sample: Option<SampleHeader<'a>>,
    /// Frames of the sample, the innermost first.
    frames: Vec<PrintedFrame<'a>>,
    recording: PerfRecording,
    /// Samples with callers.
    chains: FramePointerStacks,
    diagnostics: Diagnostics,
}

impl<'a> ScriptReader<'a> {
    fn line(&mut self, number: u64, line: &'a str, builder: &mut Builder) {
        if line.trim().is_empty() {
            self.end_sample(builder);
        } else if line.starts_with('#') {
            comment(line, &mut builder.profile);
            if let Some(event) = header_event(line) {
                self.recording.event(event);
            }
        } else if let Some(header) = self.header(line) {
            self.end_sample(builder);
            self.frames.extend(PrintedFrame::after_header(header.rest));
            self.sample = Some(header);
        } else if !self.frame_line(line) {
            let problem = "expected a sample or one of its frames; the line is left out";
            self.diagnostics.loss(Place::Line(number), problem);
        }
    }

    /// The line as a sample. A frame can look like a sample without a time, so an indented line needs a time.
    fn header(&self, line: &'a str) -> Option<SampleHeader<'a>> {
        let header = SampleHeader::parse(line)?;
        let indented = line.starts_with(char::is_whitespace);
        (header.time.is_some() || !indented).then_some(header)
    }

    /// Reads a line inside a sample: a frame, or the source place of the last frame.
    fn frame_line(&mut self, line: &'a str) -> bool {
        if self.sample.is_none() || !line.starts_with(char::is_whitespace) {
            return false;
        }
        if let Some(frame) = PrintedFrame::parse(line) {
            self.frames.push(frame);
            return true;
        }
        self.frames.last_mut().is_some_and(|frame| frame.set_place(line))
    }

    fn end_sample(&mut self, builder: &mut Builder) {
        let Some(header) = self.sample.take() else { return };
        let callers = self.frames.len();
        let is_lost = lost_callers(&mut self.frames);
        // Callers of the kernel are not found by frame pointers.
        let has_callers = callers > 1 && self.frames.iter().any(PrintedFrame::is_user);
        self.chains.all += u64::from(has_callers);
        self.chains.nowhere += u64::from(is_lost);
        let stack = push_stack(&self.frames, is_lost, builder);
        self.frames.clear();
        self.recording.add(&ThreadSample {
            process: header.process,
            thread: header.thread,
            name: header.comm,
            event: header.event,
            weight: header.period,
            time: header.time,
            stack,
        });
    }
}

/// Removes callers from the first one on that is outside of any mapping; whether there is one.
fn lost_callers(frames: &mut Vec<PrintedFrame<'_>>) -> bool {
    let end = (1..frames.len()).find(|&row| frames[row].is_nowhere());
    end.is_some_and(|end| {
        frames.truncate(end);
        true
    })
}

/// The stack of frames, with a marker for lost callers. An inlined frame is in the object of the frame it is inlined into,
/// which follows it.
fn push_stack(frames: &[PrintedFrame<'_>], is_lost: bool, builder: &mut Builder) -> Option<StackId> {
    let (mut stack, mut holder) = (None, None);
    if is_lost {
        let lost = marker(builder, LOST);
        let frame = builder.frame(lost);
        stack = Some(builder.stack(stack, frame));
    }
    for frame in frames.iter().rev() {
        if !frame.inlined {
            holder = frame.object;
        }
        let object = builder.object(holder.unwrap_or(""));
        let function = match frame.symbol {
            "" => builder.function(&format!("{:#x}", frame.address), object, FileId(0)),
            symbol => builder.function(symbol, object, FileId(0)),
        };
        let file = builder.file(frame.file);
        let (line, address, inlined) = (frame.line, frame.address, frame.inlined);
        let frame = builder.frame(Frame { function, file, line, address, inlined });
        stack = Some(builder.stack(stack, frame));
    }
    stack
}

/// The name in a header line such as `# event : name = cpu-clock, , id = { 12 }, type = 1`. The header lists events in
/// the order in which the user requested them. perf adds an event named `dummy`.
fn header_event(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("# event :")?.split_once("name = ")?;
    let name = rest.split_once(", ,").or_else(|| rest.split_once(", id"))?.0.trim();
    (!name.is_empty() && !name.starts_with("dummy")).then_some(name)
}

fn comment(line: &str, profile: &mut Profile) {
    let Some((key, value)) = line.trim_start_matches(['#', ' ']).split_once(':') else { return };
    match key.trim() {
        "cmdline" => profile.command = Some(value.trim().to_owned()),
        "perf version" => profile.creator = Some(format!("perf {}", value.trim())),
        _ => {}
    }
}
