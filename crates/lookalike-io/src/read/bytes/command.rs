//! A command whose output is an input. The command runs again for each pass.

use std::{
    io::{self, Read},
    os::{fd::AsFd, unix::process::ExitStatusExt},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
};

use crate::error::{Error, ErrorKind, Setting};

/// The capacity in bytes that is requested for a pipe. If the system grants this capacity, the command no longer has to wait for
/// lookalike after every 64 KiB.
const PIPE: usize = 1 << 20;

/// Enlarges a pipe. Does nothing if `pipe` is not a pipe or if the system refuses.
pub(crate) fn widen(pipe: impl AsFd) {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
    #[cfg(not(target_os = "linux"))]
    let _ = (pipe, PIPE);
}

/// Returns the program that a shell command starts with. Messages show only this part of the command, because the rest may be
/// long or contain a password.
pub(crate) fn program(line: &str) -> String {
    let is_setting = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_plain(name));
    let is_plain_word = |word: &&str| is_plain(word) && word.chars().count() <= LONGEST;
    let mut words = line.split_whitespace().skip_while(is_setting);
    match words.next().filter(is_plain_word) {
        // The word is the whole command, so no ellipsis is needed.
        Some(word) if word == line.trim() => word.into(),
        Some(word) => format!("{word} …"),
        None => "…".into(),
    }
}

/// The maximum number of characters of a program name that messages show.
const LONGEST: usize = 60;

/// Returns whether a word is only the name of a program, a file or a variable.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || "._/-+".contains(c))
}

/// The output of a running command. Dropping it before its end kills the command.
pub(crate) struct Running {
    /// The name in messages.
    name: String,
    child: Child,
    output: ChildStdout,
    ended: bool,
}

impl Running {
    /// Starts `line` in a shell. `name` is for messages.
    pub(crate) fn start(line: &str, name: &str) -> Result<Self, Error> {
        let name = format!("{name} ({})", program(line));
        let failed = |what: String| {
            Error::new(ErrorKind::Input, format!("cannot be run: {what}"))
                .at(&*name)
                .about(Setting("input_command"))
        };
        let started = Command::new("sh")
            .arg("-c")
            .arg(line)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = started.map_err(|error| failed(error.to_string()))?;
        let output = child
            .stdout
            .take()
            .ok_or_else(|| failed("it has no output".into()))?;
        widen(&output);
        Ok(Self {
            name,
            child,
            output,
            ended: false,
        })
    }

    /// Waits for the command after the end of its output, and returns an error if it has failed.
    fn end(&mut self) -> io::Result<()> {
        let status = self.child.wait()?;
        self.ended = true;
        if status.success() || is_broken_pipe(status) {
            return Ok(());
        }
        let failure = Error::new(ErrorKind::Input, format!("ended with {status}"))
            .at(&*self.name)
            .about(Setting("input_command"));
        Err(io::Error::other(
            failure.advise("its messages on standard error may explain why"),
        ))
    }
}

/// Returns whether a command ended because its reader had read enough, as in `generate | head`.
fn is_broken_pipe(status: ExitStatus) -> bool {
    const SIGPIPE: i32 = 13;
    status.signal() == Some(SIGPIPE) || status.code() == Some(128 + SIGPIPE)
}

impl Read for Running {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let n = self.output.read(buffer)?;
        if n == 0 && !buffer.is_empty() {
            self.end()?;
        }
        Ok(n)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            // The command may have ended already, and an error cannot be reported here.
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_program_of_a_command_is_shown() {
        for (line, shown) in [
            ("cat", "cat"),
            (" true ", "true"),
            ("cat in.jsonl", "cat …"),
            ("TOKEN=secret curl -H 'auth: secret' https://x", "curl …"),
            ("TOKEN='secret secret' curl", "…"),
            ("curl\tsecret", "curl …"),
            ("(cat secret)", "…"),
            ("\"$HOME/secret\" x", "…"),
            ("a=secret", "…"),
            ("", "…"),
        ] {
            assert_eq!(program(line), shown, "{line}");
        }
        assert_eq!(program(&"x".repeat(10_000)), "…");
    }
}
