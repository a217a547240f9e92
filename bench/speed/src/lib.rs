//! Code that the bench programs share.

pub mod pipe;
pub mod random;
pub mod web;
pub mod words;
