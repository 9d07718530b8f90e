//! Selects samples and frames by regular expressions, with the same options as pprof.
//!
//! | option | what it does |
//! |---|---|
//! | focus | keeps samples with a matching frame |
//! | ignore | drops samples with a matching frame, even if focus keeps them |
//! | hide | removes matching frames from stacks; their self cost becomes that of the caller |
//! | show | removes all other frames |
//!
//! An expression is searched for in the displayed name, with and without arguments, in the source file and in the object
//! of a function. A sample without any frame left is dropped. If no function matches focus or show, that is an error; if
//! none matches ignore or hide, these change nothing, and a note says so. Totals stay those of the whole profile, so that
//! shares can be compared.
//!
//! A file that has calls and no stacks gets estimated stacks first (see [`convert`](crate::convert)), and the answer
//! says so. If focus or ignore match members of a cycle, the costliest of them has its inclusive cost on these stacks.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FrameId, FunctionId, StackId};
use lotse_model::profile::{Costs, Frame, Frames, Part, Samples, Stacks};
use lotse_model::progress::{Checked as _, checkpoint};
use regex::Regex;

use crate::analysis::{Analysis, UnknownPart};
use crate::convert::stacked_through;
use crate::filter::{BadPattern, Pattern};
use crate::names::{display, hint, literal, near, placed_names, without_arguments};

mod cycles;
mod notes;

use notes::{NO_MATCH, selection_note};
pub use notes::{compared_notes, focus_without_match, is_filter_note};

/// The parsed expressions.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    focus: Option<SelectExpression>,
    ignore: Option<SelectExpression>,
    hide: Option<SelectExpression>,
    show: Option<SelectExpression>,
    /// The event type whose remaining share is reported, if not the default one.
    event: Option<String>,
    /// Whether focus and show keep nothing if no function matches, instead of being errors.
    may_match_nothing: bool,
    other_names: OtherNames,
}

/// Names that functions have in the other one of two compared profiles.
pub type OtherNames = HashMap<FunctionId, String>;

/// An expression that no function matches.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{prefix}{option} {text}{NO_MATCH}{}", hint(near))]
pub struct NoMatch {
    prefix: &'static str,
    option: &'static str,
    text: String,
    near: Vec<String>,
}

/// Why a selection fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    #[error(transparent)]
    Part(#[from] UnknownPart),
    #[error(transparent)]
    Nothing(#[from] NoMatch),
}

#[derive(Debug, Clone)]
struct SelectExpression {
    text: String,
    /// What stands before the name of the option in messages.
    prefix: &'static str,
    regex: Regex,
}

impl Selection {
    /// Parses expressions in the order focus, ignore, hide, show.
    pub fn parse(texts: [Option<&str>; 4]) -> Result<Self, BadPattern> {
        Self::parse_each(texts, SelectExpression::parse)
    }

    /// Parses what was typed into fields, in the same order: text, or a regular expression between slashes.
    pub fn of_fields(texts: [Option<&str>; 4]) -> Result<Self, BadPattern> {
        Self::parse_each(texts, SelectExpression::of_field)
    }

    fn parse_each(
        texts: [Option<&str>; 4],
        one: impl Fn(&str) -> Result<SelectExpression, BadPattern>,
    ) -> Result<Self, BadPattern> {
        let parse = |text: Option<&str>| text.map(&one).transpose();
        let [focus, ignore, hide, show] = texts;
        let (focus, ignore, hide, show) = (parse(focus)?, parse(ignore)?, parse(hide)?, parse(show)?);
        let other_names = OtherNames::new();
        Ok(Self { focus, ignore, hide, show, event: None, may_match_nothing: false, other_names })
    }

    /// Reports the remaining share of this event type, if the profile has it.
    pub fn for_event(self, event: Option<&str>) -> Self {
        Self { event: event.map(str::to_owned), ..self }
    }

    /// Keeps nothing, with a note, if no function matches focus or show: one of two compared profiles may lack it.
    pub fn or_nothing(self) -> Self {
        Self { may_match_nothing: true, ..self }
    }

    /// Functions match by these names, too.
    pub fn with_names(self, other_names: OtherNames) -> Self {
        Self { other_names, ..self }
    }

    /// For every function, whether an expression matches it.
    fn matches(&self, expression: &SelectExpression, profile: &Profile) -> Vec<bool> {
        profile.functions.ids().map(|function| self.matches_function(expression, profile, function)).collect()
    }

    fn matches_function(
        &self,
        expression: &SelectExpression,
        profile: &Profile,
        function: FunctionId,
    ) -> bool {
        let other = self.other_names.get(&function);
        expression.matches_function(profile, function)
            || other.is_some_and(|name| expression.matches_name(name))
    }

    /// The event type whose remaining share is reported, if it was chosen and the profile has it.
    fn chosen_event(&self, profile: &Profile) -> Option<usize> {
        let name = self.event.as_ref()?;
        profile.events.iter().position(|event| event.name == *name)
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        [&self.focus, &self.ignore, &self.hide, &self.show].into_iter().all(Option::is_none)
    }
}

impl SelectExpression {
    fn parse(text: &str) -> Result<Self, BadPattern> {
        let regex = Regex::new(text).map_err(|error| BadPattern::new(text, &error))?;
        Ok(Self { text: text.to_owned(), prefix: "--", regex })
    }

    /// `/…/` is a regular expression, everything else is text, as in the filter of a list.
    fn of_field(text: &str) -> Result<Self, BadPattern> {
        let regex = match Pattern::parse(text)? {
            Pattern::Expression(regex) => regex,
            _ => Regex::new(&regex::escape(text)).map_err(|error| BadPattern::new(text, &error))?,
        };
        Ok(Self { text: text.to_owned(), prefix: "", regex })
    }

    /// Whether a function matches: its name, with or without arguments, its file or object, or its name with a place in
    /// brackets, as tables show functions of the same name.
    fn matches_function(&self, profile: &Profile, function: FunctionId) -> bool {
        checkpoint();
        let places = [profile.function_file(function), profile.function_object(function)];
        let names_place = self.text.contains('[');
        self.matches_name(&display(profile, function))
            || places.into_iter().flatten().any(|place| self.regex.is_match(place))
            || names_place && placed_names(profile, function).any(|name| self.regex.is_match(&name))
    }

    fn matches_name(&self, name: &str) -> bool {
        self.regex.is_match(name) || self.regex.is_match(&without_arguments(name))
    }
}

/// A profile of the samples and frames that were kept.
#[derive(Debug, Clone)]
pub struct Selected {
    /// All its parts count.
    pub profile: Profile,
    /// The totals of the whole profile.
    pub totals: Vec<i128>,
    pub notes: Vec<String>,
}

/// Keeps the selected samples and frames of the analysed parts.
pub fn select(analysis: &Analysis<'_>, selection: &Selection) -> Result<Selected, NoMatch> {
    let through = cycles::through(analysis, selection);
    let prepared = stacked_through(analysis, &through);
    let old = &prepared.profile;
    // What changes nothing is said first.
    let mut notes = Vec::new();
    let flags = FunctionFlags::new(old, selection, &mut notes)?;
    notes.extend(analysis.notes.iter().chain(&prepared.notes).cloned());
    let (stacks, kept, mut profile) = without_hidden(old, &flags);
    profile.parts = old.parts.iter().map(|part| filtered(part, &stacks, &kept)).collect();
    notes.push(selection_note(&profile, analysis, selection));
    notes.extend(through.iter().filter_map(|&member| analysis.lower_bound_note(member)));
    Ok(Selected { profile, totals: analysis.totals.clone(), notes })
}

/// For each function, which expressions match it.
struct FunctionFlags {
    focus: Option<Vec<bool>>,
    ignore: Option<Vec<bool>>,
    hidden: Vec<bool>,
}

impl FunctionFlags {
    /// Matches all functions. If none matches, focus and show are errors, and ignore and hide add a note.
    fn new(profile: &Profile, selection: &Selection, notes: &mut Vec<String>) -> Result<Self, NoMatch> {
        let used = used(profile);
        let flags = |option: &'static str, expression: &Option<SelectExpression>| {
            let Some(expression) = expression else { return Ok(None) };
            let flags = selection.matches(expression, profile);
            match flags.iter().zip(&used).any(|(matches, used)| *matches && *used) {
                true => Ok(Some(flags)),
                false => Err(no_match(profile, &used, option, expression)),
            }
        };
        let (focus, show) = (flags("focus", &selection.focus), flags("show", &selection.show));
        let (focus, show) = match selection.may_match_nothing {
            true => (or_nothing(focus, profile, notes), or_nothing(show, profile, notes)),
            false => (focus?, show?),
        };
        let mut or_note = |flags: Result<Option<Vec<bool>>, NoMatch>| {
            flags.unwrap_or_else(|nothing| {
                notes.push(nothing.to_string());
                None
            })
        };
        let ignore = or_note(flags("ignore", &selection.ignore));
        let hide = or_note(flags("hide", &selection.hide));
        let hidden =
            |at: usize| hide.as_ref().is_some_and(|it| it[at]) || show.as_ref().is_some_and(|it| !it[at]);
        let hidden = (0..profile.functions.len()).map(hidden).collect();
        Ok(Self { focus, ignore, hidden })
    }
}

/// Flags of no function, with a note, if no function matches.
fn or_nothing(
    flags: Result<Option<Vec<bool>>, NoMatch>,
    profile: &Profile,
    notes: &mut Vec<String>,
) -> Option<Vec<bool>> {
    flags.unwrap_or_else(|nothing| {
        notes.push(nothing.to_string());
        Some(vec![false; profile.functions.len()])
    })
}

fn no_match(
    profile: &Profile,
    used: &[bool],
    option: &'static str,
    expression: &SelectExpression,
) -> NoMatch {
    let functions = profile.functions.ids().filter(|id| used[id.index()]);
    let near = match literal(&expression.text) {
        wanted if wanted.is_empty() => Vec::new(),
        wanted => near(profile, functions, &wanted),
    };
    NoMatch { prefix: expression.prefix, option, text: expression.text.clone(), near }
}

/// Whether each function is on any stack.
fn used(profile: &Profile) -> Vec<bool> {
    let mut used = vec![false; profile.functions.len()];
    profile.frames.function.iter().for_each(|function| used[function.index()] = true);
    used
}

/// Builds stacks without hidden frames. Returns the new stack of each old one that is needed, whether samples of each
/// old stack are kept, and the profile without parts.
fn without_hidden(old: &Profile, flags: &FunctionFlags) -> (Vec<Option<StackId>>, Vec<bool>, Profile) {
    let states = states(old, flags);
    let kept: Vec<bool> =
        states.iter().map(|state| !state.ignored && (state.focused || flags.focus.is_none())).collect();
    let needed = needed(old, &kept);
    let mut interner = StackInterner::new(old.frames.clone());
    let mut stacks: Vec<Option<StackId>> = vec![None; old.stacks.len()];
    for (at, &frame) in old.stacks.frame.iter().enumerate().filter(|(at, _)| needed[*at]) {
        let below = old.stacks.below[at];
        let new_below = below.and_then(|below| stacks[below.index()]);
        let compiled_hidden = below.is_some_and(|below| states[below.index()].compiled_hidden);
        let hidden = flags.hidden[old.frames.function[frame.index()].index()];
        stacks[at] = match hidden {
            true => new_below,
            // A frame that was inlined into a hidden function is no longer an inlined frame.
            false if old.frames.inlined[frame.index()] && compiled_hidden => {
                Some(interner.stack_of_uninlined(new_below, frame))
            }
            false => Some(interner.stack(new_below, frame)),
        };
    }
    let profile = Profile { frames: interner.frames, stacks: interner.stacks, ..old.without_costs() };
    (stacks, kept, profile)
}

/// The state of each stack, computed from the stack below it.
fn states(profile: &Profile, flags: &FunctionFlags) -> Vec<StackState> {
    let mut states: Vec<StackState> = Vec::with_capacity(profile.stacks.len());
    for (&below, &frame) in profile.stacks.below.iter().zip(&profile.stacks.frame).checked() {
        let function = profile.frames.function[frame.index()].index();
        let below_state = below.map_or(StackState::BOTTOM, |below| states[below.index()]);
        let (inlined, hidden) = (profile.frames.inlined[frame.index()], flags.hidden[function]);
        states.push(StackState {
            focused: below_state.focused || flags.focus.as_ref().is_some_and(|focus| focus[function]),
            ignored: below_state.ignored || flags.ignore.as_ref().is_some_and(|ignore| ignore[function]),
            compiled_hidden: hidden && (!inlined || below_state.compiled_hidden),
        });
    }
    states
}

/// Stacks of kept samples, and all stacks below these. A stack has a greater number than the one below it.
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

/// What the frames of a stack match.
#[derive(Debug, Clone, Copy)]
struct StackState {
    focused: bool,
    ignored: bool,
    /// Whether the compiled function that a next inlined frame would belong to is hidden.
    compiled_hidden: bool,
}

impl StackState {
    /// The state of the empty stack.
    const BOTTOM: Self = Self { focused: false, ignored: false, compiled_hidden: false };
}

/// Builds stacks without duplicates.
struct StackInterner {
    frames: Frames,
    stacks: Stacks,
    ids: HashMap<(Option<StackId>, FrameId), StackId>,
    uninlined: HashMap<FrameId, FrameId>,
}

impl StackInterner {
    fn new(frames: Frames) -> Self {
        Self { frames, stacks: Stacks::default(), ids: HashMap::new(), uninlined: HashMap::new() }
    }

    fn stack(&mut self, below: Option<StackId>, frame: FrameId) -> StackId {
        let stacks = &mut self.stacks;
        *self.ids.entry((below, frame)).or_insert_with(|| {
            stacks.below.push(below);
            stacks.frame.push(frame);
            StackId::from(stacks.len() - 1)
        })
    }

    /// The stack with a frame that is no longer marked as inlined.
    fn stack_of_uninlined(&mut self, below: Option<StackId>, frame: FrameId) -> StackId {
        let frames = &mut self.frames;
        let uninlined = *self.uninlined.entry(frame).or_insert_with(|| {
            let same = frames.get(frame);
            frames.push(Frame { inlined: false, ..same })
        });
        self.stack(below, uninlined)
    }
}

/// A part with the kept samples, on their new stacks. Numbers of calls and stated sums are dropped, because they count
/// the whole part.
fn filtered(part: &Part, stacks: &[Option<StackId>], kept: &[bool]) -> Part {
    let (width, signed) = (part.samples.costs.width(), part.samples.costs.signed());
    let mut samples = Samples { costs: Costs::new(width, signed), ..Samples::default() };
    for (row, stack) in part.samples.stack.iter().enumerate().checked() {
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

#[cfg(test)]
mod tests;
