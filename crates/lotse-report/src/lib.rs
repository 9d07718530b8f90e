//! lotse-report
