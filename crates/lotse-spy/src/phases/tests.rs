//! Tests of phases.
