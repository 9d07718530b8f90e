//! lotse-formats
