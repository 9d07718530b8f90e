//! lotse-model
