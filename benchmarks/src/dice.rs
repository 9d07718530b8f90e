//! Reproducible random numbers: SplitMix64.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The stream for one item of one kind, independent of all others.
    pub fn new(seed: u64, kind: &str, thing: u64) -> Self {
        let kind = kind.bytes().fold(seed, |state, byte| mixed(state ^ u64::from(byte)));
        Self(mixed(kind ^ mixed(thing)))
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(end)) >> 64) as u64
    }

    /// A number below `end`, more often a small one.
    pub fn rather_small(&mut self, end: u64) -> u64 {
        self.below(end).min(self.below(end))
    }

    /// A number up to 2 to the power of `bits`; small numbers are more frequent.
    pub fn skewed(&mut self, bits: u64) -> u64 {
        let power = self.below(bits + 1);
        self.below(1 << power)
    }

    /// True with the probability 1 / `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// The finaliser of SplitMix64.
pub fn mixed(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::Dice;

    /// The published values for the seed 1234567.
    #[test]
    fn numbers_are_those_of_splitmix64() {
        let mut dice = Dice(1_234_567);
        assert_eq!([dice.number(), dice.number()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn numbers_stay_below_the_end() {
        let mut dice = Dice::new(1, "test", 2);
        assert!((0..1000).all(|_| dice.below(7) < 7 && dice.rather_small(3) < 3 && dice.skewed(4) < 16));
        assert_eq!(dice.below(0), 0);
    }

    #[test]
    fn things_differ() {
        let first = |kind, thing| Dice::new(1, kind, thing).number();
        assert_ne!(first("a", 1), first("a", 2));
        assert_ne!(first("a", 1), first("b", 1));
    }
}
