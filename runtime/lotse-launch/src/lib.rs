//! lotse-launch
