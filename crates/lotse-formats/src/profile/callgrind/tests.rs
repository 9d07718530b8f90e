//! How bytes are split does not change the profile.
