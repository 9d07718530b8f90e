//! The analysis takes time in proportion to the size of a trace, and memory of the tests' machine allows its traces.
