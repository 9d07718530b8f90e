//! Which samples and frames count, by expressions with the meaning they have in pprof.
//!
//! | option | what it does |
//! |---|---|
//! | focus | keeps samples with a matching frame |
//! | ignore | drops samples with a matching frame, also where focus would keep them |
//! | hide | takes matching frames out of stacks; their self cost becomes that of the caller |
//! | show | takes all other frames out |
//!
//! An expression is looked for in the name as shown, with and without arguments, the source file and the object of a
//! function. A sample without any frame left is dropped. Where no function matches focus or show there is nothing to
//! answer, which is an error; ignore and hide then change nothing, which is a note. Totals stay those of the whole profile, so that shares can be compared.
//!
//! A file that tells calls and not stacks gets estimated stacks first (see [`convert`](crate::convert)), and the answer
//! says so.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FrameId, FunctionId, StackId};
use lotse_model::profile::{Costs, DataStructures, Details, Frame, Frames, Part, Samples, Stacks};
use lotse_report::number::format_share;
use regex_lite::Regex;

use crate::analysis::{Analysis, UnknownPart};
use crate::convert::stacked;
use crate::events::default_event;
use crate::filter::BadPattern;
use crate::names::{display, hint, literal, near, without_arguments};

/// What to keep and what to hide.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    focus: Option<Expression>,
    ignore: Option<Expression>,
    hide: Option<Expression>,
    show: Option<Expression>,
    /// The event type whose cost is told, where it is not the default one.
    event: Option<String>,
}

/// An expression that no function matches.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--{option} {text}: no function on a stack matches{}", hint(near))]
pub struct NoMatch {
    option: &'static str,
    text: String,
    near: Vec<String>,
}

/// Why nothing can be selected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// A part is not there.
    #[error(transparent)]
    Part(#[from] UnknownPart),
    /// No function matches.
    #[error(transparent)]
    Nothing(#[from] NoMatch),
}

#[derive(Debug, Clone)]
struct Expression {
    text: String,
    regex: Regex,
}

impl Selection {
    /// Reads expressions in the order focus, ignore, hide, show.
    pub fn parse(texts: [Option<&str>; 4]) -> Result<Self, BadPattern> {
        let parse = |text: Option<&str>| text.map(Expression::parse).transpose();
        let [focus, ignore, hide, show] = texts;
        let (focus, ignore, hide, show) = (parse(focus)?, parse(ignore)?, parse(hide)?, parse(show)?);
        Ok(Self { focus, ignore, hide, show, event: None })
    }

    /// Tells what is kept of this event type, if the profile has it.
    pub fn shown(self, event: Option<&str>) -> Self {
        Self { event: event.map(str::to_owned), ..self }
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        [&self.focus, &self.ignore, &self.hide, &self.show].into_iter().all(Option::is_none)
    }
}

impl Expression {
    fn parse(text: &str) -> Result<Self, BadPattern> {
        let regex = Regex::new(text).map_err(|error| BadPattern::new(text, &error))?;
        Ok(Self { text: text.to_owned(), regex })
    }

    /// For every function whether it matches.
    fn matches(&self, profile: &Profile) -> Vec<bool> {
        let matches = |function: FunctionId| {
            let places = [profile.function_file(function), profile.function_object(function)];
            let name = display(profile, function);
            self.regex.is_match(&name)
                || self.regex.is_match(&without_arguments(&name))
                || places.into_iter().flatten().any(|place| self.regex.is_match(place))
        };
        profile.functions.ids().map(matches).collect()
    }
}

/// A profile of the samples and frames that were kept.
#[derive(Debug, Clone)]
pub struct Selected {
    /// The profile; all its parts count.
    pub profile: Profile,
    /// The totals of the whole.
    pub totals: Vec<i128>,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
}

/// Keeps what is selected of the parts analysed.
pub fn select(analysis: &Analysis<'_>, selection: &Selection) -> Result<Selected, NoMatch> {
    let prepared = stacked(analysis);
    let mut notes = [analysis.notes.clone(), prepared.notes].concat();
    let old = prepared.profile;
    let flags = Flags::new(&old, selection, &mut notes)?;
    let (stacks, kept, mut profile) = visible(&old, &flags);
    profile.parts = old.parts.iter().map(|part| filtered(part, &stacks, &kept)).collect();
    notes.push(summary(&profile, analysis, selection));
    Ok(Selected { profile, totals: analysis.totals.clone(), notes })
}

/// What the expressions say about each function.
struct Flags {
    focus: Option<Vec<bool>>,
    ignore: Option<Vec<bool>>,
    hidden: Vec<bool>,
}

impl Flags {
    fn new(profile: &Profile, selection: &Selection, notes: &mut Vec<String>) -> Result<Self, NoMatch> {
        let used = used(profile);
        let flags = |option: &'static str, expression: &Option<Expression>| {
            let Some(expression) = expression else { return Ok(None) };
            let flags = expression.matches(profile);
            match flags.iter().zip(&used).any(|(matches, used)| *matches && *used) {
                true => Ok(Some(flags)),
                false => Err(no_match(profile, &used, option, expression)),
            }
        };
        let mut noted = |flags: Result<Option<Vec<bool>>, NoMatch>| {
            flags.unwrap_or_else(|nothing| {
                notes.push(nothing.to_string());
                None
            })
        };
        let (focus, show) = (flags("focus", &selection.focus)?, flags("show", &selection.show)?);
        let ignore = noted(flags("ignore", &selection.ignore));
        let hide = noted(flags("hide", &selection.hide));
        let hidden =
            |at: usize| hide.as_ref().is_some_and(|it| it[at]) || show.as_ref().is_some_and(|it| !it[at]);
        let hidden = (0..profile.functions.len()).map(hidden).collect();
        Ok(Self { focus, ignore, hidden })
    }
}

fn no_match(profile: &Profile, used: &[bool], option: &'static str, expression: &Expression) -> NoMatch {
    let functions = profile.functions.ids().filter(|id| used[id.index()]);
    let near = match literal(&expression.text) {
        asked if asked.is_empty() => Vec::new(),
        asked => near(profile, functions, &asked),
    };
    NoMatch { option, text: expression.text.clone(), near }
}

/// Whether each function is on any stack.
fn used(profile: &Profile) -> Vec<bool> {
    let mut used = vec![false; profile.functions.len()];
    profile.frames.function.iter().for_each(|function| used[function.index()] = true);
    used
}

/// Stacks without hidden frames: for each old one that a kept sample is on its new one.
fn visible(old: &Profile, flags: &Flags) -> (Vec<Option<StackId>>, Vec<bool>, Profile) {
    let states = states(old, flags);
    let kept: Vec<bool> =
        states.iter().map(|state| !state.ignored && (state.focused || flags.focus.is_none())).collect();
    let needed = needed(old, &kept);
    let mut maker = Maker::new(old.frames.clone());
    let mut stacks: Vec<Option<StackId>> = vec![None; old.stacks.len()];
    for (at, &frame) in old.stacks.frame.iter().enumerate().filter(|(at, _)| needed[*at]) {
        let below = old.stacks.below[at];
        let beneath = below.and_then(|below| stacks[below.index()]);
        let lost_holder = below.is_some_and(|below| states[below.index()].holder_hidden);
        let hidden = flags.hidden[old.frames.function[frame.index()].index()];
        stacks[at] = match hidden {
            true => beneath,
            // What was inlined into a hidden function is a frame of its own now.
            false if old.frames.inlined[frame.index()] && lost_holder => {
                Some(maker.stack_of_bare(beneath, frame))
            }
            false => Some(maker.stack(beneath, frame)),
        };
    }
    let profile = Profile {
        frames: maker.frames,
        stacks: maker.stacks,
        data: DataStructures::default(),
        details: Details::default(),
        parts: Vec::new(),
        ..old.clone()
    };
    (stacks, kept, profile)
}

/// What each stack has on it.
fn states(profile: &Profile, flags: &Flags) -> Vec<State> {
    let mut states: Vec<State> = Vec::with_capacity(profile.stacks.len());
    for (&below, &frame) in profile.stacks.below.iter().zip(&profile.stacks.frame) {
        let function = profile.frames.function[frame.index()].index();
        let under = below.map_or(State::BOTTOM, |below| states[below.index()]);
        let (inlined, hidden) = (profile.frames.inlined[frame.index()], flags.hidden[function]);
        states.push(State {
            focused: under.focused || flags.focus.as_ref().is_some_and(|focus| focus[function]),
            ignored: under.ignored || flags.ignore.as_ref().is_some_and(|ignore| ignore[function]),
            holder_hidden: hidden && (!inlined || under.holder_hidden),
        });
    }
    states
}

/// Stacks that a kept sample is on, or that are below one. Stacks come after those below them.
fn needed(profile: &Profile, kept: &[bool]) -> Vec<bool> {
    let mut needed = vec![false; profile.stacks.len()];
    let samples = profile.parts.iter().flat_map(|part| &part.samples.stack).flatten();
    samples.filter(|stack| kept[stack.index()]).for_each(|stack| needed[stack.index()] = true);
    for at in (0..needed.len()).rev() {
        if let (true, Some(below)) = (needed[at], profile.stacks.below[at]) {
            needed[below.index()] = true;
        }
    }
    needed
}

/// What a stack has on it.
#[derive(Debug, Clone, Copy)]
struct State {
    focused: bool,
    ignored: bool,
    /// Whether the function that holds the next inlined frame is hidden.
    holder_hidden: bool,
}

impl State {
    /// Of no stack.
    const BOTTOM: Self = Self { focused: false, ignored: false, holder_hidden: false };
}

/// Makes stacks; equal ones become one.
struct Maker {
    frames: Frames,
    stacks: Stacks,
    ids: HashMap<(Option<StackId>, FrameId), StackId>,
    bare: HashMap<FrameId, FrameId>,
}

impl Maker {
    fn new(frames: Frames) -> Self {
        Self { frames, stacks: Stacks::default(), ids: HashMap::new(), bare: HashMap::new() }
    }

    fn stack(&mut self, below: Option<StackId>, frame: FrameId) -> StackId {
        let stacks = &mut self.stacks;
        *self.ids.entry((below, frame)).or_insert_with(|| {
            stacks.below.push(below);
            stacks.frame.push(frame);
            StackId::from(stacks.len() - 1)
        })
    }

    fn stack_of_bare(&mut self, below: Option<StackId>, frame: FrameId) -> StackId {
        let frames = &mut self.frames;
        let bare = *self.bare.entry(frame).or_insert_with(|| {
            let same = frames.get(frame);
            frames.push(Frame { inlined: false, ..same })
        });
        self.stack(below, bare)
    }
}

/// The samples that are kept, on their new stacks. Counts of calls and stated sums are those of the whole: they go.
fn filtered(part: &Part, stacks: &[Option<StackId>], kept: &[bool]) -> Part {
    let (width, signed) = (part.samples.costs.width(), part.samples.costs.signed());
    let mut samples = Samples { costs: Costs::new(width, signed), ..Samples::default() };
    for (row, stack) in part.samples.stack.iter().enumerate() {
        let Some(old) = stack.filter(|stack| kept[stack.index()]) else { continue };
        let Some(new) = stacks[old.index()] else { continue };
        samples.stack.push(Some(new));
        samples.time.extend(part.samples.time.get(row));
        samples.costs.push(part.samples.costs.row(row));
    }
    let mut kept = Part::new(&part.name, width, signed);
    (kept.number, kept.process, kept.thread, kept.time) = (part.number, part.process, part.thread, part.time);
    (kept.source, kept.trigger) = (part.source.clone(), part.trigger.clone());
    kept.samples = samples;
    kept
}

/// What is left: `focus=main ignore=malloc keeps 34.2 % of Ir; …`.
fn summary(profile: &Profile, analysis: &Analysis<'_>, selection: &Selection) -> String {
    let named = [
        ("focus", &selection.focus),
        ("ignore", &selection.ignore),
        ("hide", &selection.hide),
        ("show", &selection.show),
    ];
    let active: Vec<String> =
        named.iter().filter_map(|(name, it)| Some(format!("{name}={}", it.as_ref()?.text))).collect();
    let shown = selection.event.as_ref();
    let shown = shown.and_then(|name| profile.events.iter().position(|event| event.name == *name));
    let event = shown.or(default_event(analysis.profile)).unwrap_or(0);
    let left: i128 = profile.parts.iter().map(|part| part.samples.costs.total(event)).sum();
    let kept = match (profile.events.get(event), analysis.totals.get(event)) {
        (Some(event), Some(&total)) => {
            let share = format_share(crate::analysis::share(left, total), 1);
            format!("{share} of {}; shares are of the whole profile", event.name)
        }
        _ => "nothing: the profile has no costs".to_owned(),
    };
    format!("{} keeps {kept}", active.join(" "))
}

#[cfg(test)]
mod tests;
