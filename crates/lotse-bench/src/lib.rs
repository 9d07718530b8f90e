//! lotse-bench
