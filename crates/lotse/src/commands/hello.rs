//! `lotse` alone: five things to try.

use crate::exit::{Exit, Failure};
use crate::screen;

const FIVE_THINGS: &str = "\
Lotse guides a slow program into harbour. Five things to try:

  lotse bench './old input' './new input'     which is really faster, and by how much
  lotse profile top callgrind.out.1234        where any profiler's file says the cost is
  lotse profile diff old.out new.out          what a change did to every function
  lotse trace analyze traces.otf2             why a parallel program waits, and what can be gained
  lotse doctor                                what this machine offers for measuring

'lotse help' or 'lotse COMMAND --help' tells more.
";

pub(crate) fn run() -> Result<Exit, Failure> {
    screen::write(|out| out.write_all(FIVE_THINGS.as_bytes()))
}
