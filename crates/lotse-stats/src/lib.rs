//! lotse-stats
