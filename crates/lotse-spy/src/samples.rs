//! Estimates from samples how much time of the unrecorded run was spent in a loop or in library calls.
//!
//! Recording slows down a tight loop over a vector by a factor of ten and more, and other loops not at all, so shares of the
//! recorded run differ from those of the program. A sample is in a loop if one of its frames is (`code/body.rs`). It counts
//! once, so the time of a loop is inclusive and recursion does not count twice. Library calls are identified by their line
//! (`samples/calls.rs`).

mod calls;

use std::collections::{BTreeMap, BTreeSet};

use lotse_formats::history::{StoredSamples, StoredStack};

use self::calls::CallSamples;
use crate::code::body::{LoopBody, StackFrame};
use crate::instance::{Code, LoopId};
use crate::nesting::LoopTable;
use crate::severity::CallPart;

/// With fewer samples no share is given. With 50 samples the 95 % interval of a share of one half is ± 14 percentage points.
pub(crate) const MIN_SAMPLES: u64 = 50;

/// The samples of a program, by loop and by call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunSamples {
    stacks: Vec<StoredStack>,
    /// The numbers of the stacks in each loop; `None` if that cannot be decided.
    inside: BTreeMap<LoopId, Option<BTreeSet<u32>>>,
    calls: CallSamples,
}

/// The sampled time in a set of loops or calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SampledTime {
    /// Number of all samples.
    pub samples: u64,
    /// CPU time in these loops or calls, in nanoseconds.
    pub time: u64,
    /// CPU time of all samples, in nanoseconds.
    pub total: u64,
    /// CPU time of samples whose outer frames are missing, so that they may be in these loops or calls, too.
    pub cut: u64,
    /// The share of `time` that a finding is about.
    pub part: f64,
}

impl RunSamples {
    /// Determines which stacks are in which loops and calls.
    pub(crate) fn new(stored: &StoredSamples, loops: &LoopTable) -> Self {
        let stacks = SampleStacks::new(stored);
        let inside = loops.bodies().map(|(loop_id, body)| {
            let copies = loops.bodies().map(|(_, other)| other).filter(|other| body.has_inlined_copy(other));
            (loop_id, stacks.inside(body, &copies.collect::<Vec<_>>()))
        });
        let inside = inside.collect();
        Self { stacks: stored.stacks.clone(), inside, calls: stacks.calls() }
    }

    /// Number of samples.
    pub(crate) fn count(&self) -> u64 {
        self.stacks.iter().map(|stack| stack.samples).sum()
    }

    /// The time in any of these loops; `None` if it is not known.
    pub(crate) fn time_in_loops(&self, loops: &[LoopId]) -> Option<SampledTime> {
        if self.count() < MIN_SAMPLES {
            return None;
        }
        let mut inside: BTreeSet<u32> = BTreeSet::new();
        for loop_id in loops {
            inside.extend(self.inside.get(loop_id)?.as_ref()?);
        }
        Some(self.time_in(|number| inside.contains(&number)))
    }

    /// The time in any of these calls, of each of which only a share counts; `None` if it is not known. A sample in several calls
    /// counts with the largest share.
    pub(crate) fn time_in_calls<'a>(
        &self,
        what: CallPart,
        calls: impl IntoIterator<Item = (&'a Code, f64)>,
    ) -> Option<SampledTime> {
        if self.count() < MIN_SAMPLES {
            return None;
        }
        let mut parts: BTreeMap<u32, f64> = BTreeMap::new();
        for (code, part) in calls {
            for &stack in self.calls.stacks(code, what)? {
                let known = parts.entry(stack).or_default();
                *known = known.max(part);
            }
        }
        let sampled = self.time_in(|number| parts.contains_key(&number));
        let counted: f64 =
            parts.iter().map(|(&stack, part)| part * self.stacks[stack as usize].time as f64).sum();
        Some(if sampled.time == 0 { sampled } else { sampled.with_part(counted / sampled.time as f64) })
    }

    fn time_in(&self, is_inside: impl Fn(u32) -> bool) -> SampledTime {
        let mut sampled = SampledTime { samples: self.count(), part: 1.0, ..SampledTime::default() };
        for (number, stack) in (0..).zip(&self.stacks) {
            sampled.total += stack.time;
            match is_inside(number) {
                true => sampled.time += stack.time,
                false if stack.is_cut => sampled.cut += stack.time,
                false => {}
            }
        }
        sampled
    }
}

impl SampledTime {
    /// The share of the total CPU time.
    pub(crate) fn share(&self) -> f64 {
        self.part * self.time as f64 / self.total.max(1) as f64
    }

    /// CPU time in nanoseconds.
    pub(crate) fn nanoseconds(&self) -> f64 {
        self.part * self.time as f64
    }

    /// The same for a share of that time.
    pub(crate) fn with_part(self, part: f64) -> Self {
        Self { part: part.clamp(0.0, 1.0), ..self }
    }

    /// The values that a finding stores.
    pub(crate) fn data(&self) -> [(&'static str, f64); 4] {
        let (low, high) = self.interval();
        let seconds = self.nanoseconds() / 1e9;
        [
            ("samples", self.samples as f64),
            ("share_low", low),
            ("share_high", high),
            ("processor_seconds", seconds),
        ]
    }

    /// Whether more than a tenth of the samples have missing outer frames.
    pub(crate) fn is_cut(&self) -> bool {
        10 * self.cut > self.total
    }

    /// The 95 % confidence interval of the share (Wilson's score interval). Stacks with missing outer frames count as outside for
    /// the lower bound and as inside for the upper bound.
    pub(crate) fn interval(&self) -> (f64, f64) {
        let (low, _) = wilson(self.time as f64 / self.total.max(1) as f64, self.samples as f64);
        let (_, high) = wilson((self.time + self.cut) as f64 / self.total.max(1) as f64, self.samples as f64);
        // `part` is an estimate, so it lowers only the lower bound.
        ((self.part * low).max(0.0), high)
    }
}

/// Wilson's score interval (1927) for a share estimated from `samples` samples.
fn wilson(share: f64, samples: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    let square = Z * Z / samples;
    let middle = share + square / 2.0;
    let around = Z * (share * (1.0 - share) / samples + square / samples / 4.0).max(0.0).sqrt();
    ((middle - around) / (1.0 + square), (middle + around) / (1.0 + square))
}

/// The sampled stacks, with their frames decoded.
struct SampleStacks<'a> {
    frames: Vec<StackFrame<'a>>,
    stacks: &'a [StoredStack],
}

impl<'a> SampleStacks<'a> {
    fn new(stored: &'a StoredSamples) -> Self {
        let text = |number: u32| stored.texts.get(number as usize).map_or("", String::as_str);
        let frame = |&(function, file, line, column): &(u32, u32, u32, u32)| StackFrame {
            function: text(function),
            file: text(file),
            place: (line, column),
        };
        Self { frames: stored.frames.iter().map(frame).collect(), stacks: &stored.stacks }
    }

    /// The numbers of the stacks in a loop; `None` if its function does not occur, but the same lines occur in a function with
    /// another name.
    fn inside(&self, body: &LoopBody, copies: &[&LoopBody]) -> Option<BTreeSet<u32>> {
        let occurs = self.frames.iter().any(|frame| frame.function == body.function);
        if !occurs && self.frames.iter().any(|frame| body.is_sibling(frame)) {
            return None;
        }
        let is_in = |stack: &StoredStack| body.contains(&self.frames_of(stack), copies);
        Some((0..).zip(self.stacks).filter(|(_, stack)| is_in(stack)).map(|(number, _)| number).collect())
    }

    fn calls(&self) -> CallSamples {
        let mut calls = CallSamples::default();
        for (number, stack) in (0..).zip(self.stacks) {
            calls.add(number, &self.frames_of(stack));
        }
        calls
    }

    /// The frames of a stack, innermost first.
    fn frames_of(&self, stack: &StoredStack) -> Vec<StackFrame<'a>> {
        stack.frames.iter().map(|&frame| self.frames[frame as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use lotse_formats::history::{StoredSamples, StoredStack};
    use lotse_symbols::InlineFrame;

    use super::{RunSamples, SampledTime, wilson};
    use crate::code::body::LoopBody;
    use crate::instance::{Code, CodeTable, LoopId};
    use crate::nesting::LoopTable;
    use crate::severity::CallPart;

    /// A loop of a function, at one line.
    fn body(function: &str, line: u32) -> Option<LoopBody> {
        let file = Some("src/main.rs".into());
        let frame = InlineFrame { function: Some(function.into()), file, line: Some(line), column: Some(5) };
        LoopBody::new(&[(1, vec![frame])], |_| true)
    }

    /// 60 samples in line 3 of `sum`, 20 in line 9 of `main`, 10 in line 5 of `main`, 10 of `sum` without its callers.
    fn samples() -> StoredSamples {
        let stack = |frames: &[u32], samples, is_cut| StoredStack {
            frames: frames.to_vec(),
            samples,
            time: 1000 * samples,
            is_cut,
        };
        StoredSamples {
            texts: vec!["main".into(), "sum".into(), "src/main.rs".into()],
            frames: vec![(0, 2, 9, 5), (0, 2, 5, 5), (1, 2, 3, 5)],
            stacks: vec![
                stack(&[2, 0], 60, false),
                stack(&[0], 20, false),
                stack(&[1], 10, false),
                stack(&[2], 10, true),
            ],
            ..StoredSamples::default()
        }
    }

    fn loops() -> RunSamples {
        let mut loops = LoopTable::default();
        for (number, function, line) in
            [(0, "sum", 3), (1, "main", 9), (2, "main", 77), (3, "sum::<u8>", 3), (4, "elsewhere", 70)]
        {
            loops.set_body(LoopId(number), || body(function, line));
        }
        RunSamples::new(&samples(), &loops)
    }

    fn share(loops: &[u32]) -> Option<f64> {
        let loops: Vec<LoopId> = loops.iter().map(|&number| LoopId(number)).collect();
        self::loops().time_in_loops(&loops).map(|sampled| sampled.share())
    }

    #[test]
    fn a_loop_has_the_time_of_what_it_calls() {
        assert_eq!(share(&[0]), Some(0.7));
        assert_eq!(share(&[1]), Some(0.8));
        assert_eq!(share(&[0, 1]), Some(0.9), "a sample in both counts once");
        assert_eq!(share(&[2]), Some(0.0), "its function is met, but not the loop");
        assert_eq!(share(&[9]), None, "a loop that nothing is known of");
    }

    #[test]
    fn a_function_that_is_not_met_takes_no_time_unless_it_may_have_another_name() {
        assert_eq!(share(&[4]), Some(0.0));
        assert_eq!(share(&[3]), None, "a generic function, met for another type only");
        assert_eq!(share(&[0, 3]), None);
    }

    /// 30 samples in a call of `pop`, 20 in one of `push` within another call of `pop`, 50 elsewhere.
    fn called() -> RunSamples {
        let stack = |frames: &[u32], samples| StoredStack {
            frames: frames.to_vec(),
            samples,
            time: 1000 * samples,
            is_cut: false,
        };
        let texts = [
            "main",
            "src/main.rs",
            "/rustc/0/a.rs",
            "<alloc::vec::Vec<u8>>::pop",
            "<alloc::vec::Vec<u8>>::push",
        ];
        let stored = StoredSamples {
            texts: texts.map(str::to_owned).to_vec(),
            frames: vec![(0, 1, 9, 5), (0, 1, 10, 5), (3, 2, 70, 1), (4, 2, 80, 1)],
            stacks: vec![stack(&[2, 0], 30), stack(&[3, 1, 2, 0], 20), stack(&[1], 50)],
            ..StoredSamples::default()
        };
        RunSamples::new(&stored, &LoopTable::default())
    }

    #[test]
    fn a_sample_in_two_calls_counts_once() {
        let call = |line, method| CodeTable::code_at("src/main.rs", line, 5, "main", Some(method));
        let (pop, push) = (call(9, "pop"), call(10, "push"));
        let share = |calls: &[(&Code, f64)]| {
            called().time_in_calls(CallPart::Whole, calls.iter().copied()).map(|sampled| sampled.share())
        };
        assert_eq!(share(&[(&pop, 1.0)]), Some(0.5));
        assert_eq!(share(&[(&pop, 1.0), (&push, 1.0)]), Some(0.5));
        assert_eq!(share(&[(&pop, 0.5), (&push, 1.0)]), Some(0.35), "half of the first, all of the second");
        assert_eq!(share(&[(&call(11, "pop"), 1.0)]), Some(0.0));
        assert_eq!(share(&[(&pop, 1.0), (&Code::default(), 1.0)]), None, "a place that is not known");
    }

    #[test]
    fn too_few_samples_give_no_share() {
        let mut few = loops();
        few.stacks.iter_mut().for_each(|stack| stack.samples /= 10);
        assert_eq!((few.count(), few.time_in_loops(&[LoopId(0)])), (10, None));
    }

    #[test]
    fn stacks_without_their_callers_may_be_in_the_loop() {
        let outer = loops().time_in_loops(&[LoopId(1)]).unwrap();
        assert_eq!((outer.time, outer.cut, outer.total), (80_000, 10_000, 100_000));
        let (low, high) = outer.interval();
        assert!((0.70..0.72).contains(&low) && (0.94..0.95).contains(&high), "{low} {high}");
        let half = outer.with_part(0.5);
        assert_eq!((half.share(), half.interval()), (0.4, (low / 2.0, high)));
        assert_eq!(outer.with_part(7.0).share(), 0.8, "never more than the loops");
        assert_eq!(SampledTime::default().share(), 0.0);
    }

    /// `binom.confint(7, 100, methods = "wilson")` of R.
    #[test]
    fn the_interval_of_a_share() {
        let (low, high) = wilson(0.07, 100.0);
        assert!((low - 0.034_32).abs() < 1e-4 && (high - 0.137_48).abs() < 1e-4, "{low} {high}");
    }
}
