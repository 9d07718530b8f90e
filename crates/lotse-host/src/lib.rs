//! lotse-host
