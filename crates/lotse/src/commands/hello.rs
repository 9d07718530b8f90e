//! `lotse` alone: five things to try.

use crate::exit::{Exit, Failure};
use crate::screen;

const FIVE_THINGS: &str = "\
Lotse guides a slow program into harbour. Five things to try:

  lotse bench './old input' './new input'     which is really faster, and by how much
  lotse bench --until ±0.5% ./old ./new       measure until the ratio is known that well
  lotse bench --aa ./old ./new                and check the measurement against itself
  lotse doctor                                what this machine offers for measuring
  lotse explain                               every rule behind every finding

'lotse help' or 'lotse COMMAND --help' tells more.
";

pub(crate) fn run() -> Result<Exit, Failure> {
    screen::write(|out| out.write_all(FIVE_THINGS.as_bytes()))
}
