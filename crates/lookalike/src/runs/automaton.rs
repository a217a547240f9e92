//! All substrings of a text in one structure: its suffix automaton (Blumer et al. 1985). It is used for texts that are so
//! repetitive that they have too many equal windows to compare in pairs.

use std::collections::BTreeMap;

use super::run::Run;

/// A set of substrings of the text that end at the same positions.
#[derive(Debug, Clone, Copy)]
struct State {
    /// The length of the longest of these substrings.
    length: usize,
    /// The state of the longest suffix of these substrings that also ends at other positions.
    link: Option<u32>,
    /// The end of the first occurrence, exclusive.
    end: usize,
}

struct Automaton {
    states: Vec<State>,
    /// The transitions: each maps a state and a token to the next state.
    edges: BTreeMap<(u32, u64), u32>,
}

const ROOT: u32 = 0;

impl Automaton {
    /// Builds the automaton of a text. Cost: at most two states and three edges per token, about 500 ns per token in total.
    fn new(text: &[u64]) -> Self {
        let root = State {
            length: 0,
            link: None,
            end: 0,
        };
        let mut automaton = Self {
            states: vec![root],
            edges: BTreeMap::new(),
        };
        let mut last = ROOT;
        for (&token, end) in text.iter().zip(1..) {
            last = automaton.append(last, token, end);
        }
        automaton
    }

    fn append(&mut self, last: u32, token: u64, end: usize) -> u32 {
        let new = self.push(State {
            length: end,
            link: Some(ROOT),
            end,
        });
        let mut from = Some(last);
        while let Some(state) = from
            && !self.edges.contains_key(&(state, token))
        {
            self.edges.insert((state, token), new);
            from = self.states[state as usize].link;
        }
        let Some(state) = from else { return new };
        let (next, length) = (
            self.edges[&(state, token)],
            self.states[state as usize].length + 1,
        );
        let link = if self.states[next as usize].length == length {
            next
        } else {
            self.split(state, token, next, length)
        };
        self.states[new as usize].link = Some(link);
        new
    }

    /// Adds a state for the substrings of `next` that are not longer than `length`.
    fn split(&mut self, from: u32, token: u64, next: u32, length: usize) -> u32 {
        let shorter = self.push(State {
            length,
            ..self.states[next as usize]
        });
        let edges: Vec<(u64, u32)> = self
            .edges
            .range((next, 0)..=(next, u64::MAX))
            .map(|(key, to)| (key.1, *to))
            .collect();
        self.edges
            .extend(edges.into_iter().map(|(token, to)| ((shorter, token), to)));
        self.states[next as usize].link = Some(shorter);
        let mut from = Some(from);
        while let Some(state) = from
            && self.edges.get(&(state, token)) == Some(&next)
        {
            self.edges.insert((state, token), shorter);
            from = self.states[state as usize].link;
        }
        shorter
    }

    fn push(&mut self, state: State) -> u32 {
        self.states.push(state);
        (self.states.len() - 1) as u32
    }
}

/// Returns the maximal matches of `least` tokens or more. A maximal match is a substring of `text` that occurs in `other` and
/// cannot be extended: with one more token of `text` at either end, it would not occur in `other`. Each match has the position of
/// its first occurrence in `other`. The matches are ordered by their position in `text`, which is the field `a` of a run.
pub(super) fn longest_in(other: &[u64], text: &[u64], least: usize) -> Vec<Run> {
    let automaton = Automaton::new(other);
    let mut runs = Vec::new();
    // The state and the length of the longest match that ends before the current token. The match is a run if the current token
    // does not extend it.
    let (mut state, mut length) = (ROOT, 0);
    let mut end_run = |state: u32, length: usize, end: usize| {
        if length >= least {
            runs.push(Run {
                a: end - length,
                b: automaton.states[state as usize].end - length,
                tokens: length,
            });
        }
    };
    for (&token, at) in text.iter().zip(0..) {
        let mut next = automaton.edges.get(&(state, token));
        if next.is_none() {
            end_run(state, length, at);
        }
        while next.is_none()
            && let Some(link) = automaton.states[state as usize].link
        {
            (state, length) = (link, automaton.states[link as usize].length);
            next = automaton.edges.get(&(state, token));
        }
        if let Some(&next) = next {
            (state, length) = (next, length + 1);
        }
    }
    end_run(state, length, text.len());
    runs
}
