//! Readers and writers of profile formats, one module per format.

pub mod cachegrind;
pub mod callgrind;
pub mod chrome_trace;
pub mod collapsed;
pub mod cpuprofile;
pub mod dhat;
pub mod firefox;
pub mod gecko;
pub mod gmon;
pub mod gprof_text;
pub mod heaptrack;
pub mod massif;
pub mod perf_data;
pub mod perf_script;
pub mod pprof;
pub mod pprof_legacy;
pub mod pstats;
pub mod speedscope;
pub mod stackprof;
pub mod xdebug;
