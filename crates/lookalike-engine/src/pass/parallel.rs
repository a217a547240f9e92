//! Processes blocks in parallel and returns their results in order. So the output has the same bytes with one thread and with
//! many.
//!
//! Workers take blocks as soon as they are free, and hand in their results. Results are passed on in block order, so the error
//! that is reported is the first one in input order. No worker waits until its result can be passed on: one worker at a time
//! passes results on, and the other workers hand their results to that worker. To limit the number of results that wait for the
//! result of an earlier block, workers get no new blocks while too many results wait.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

use lookalike_io::{
    error::{self, Error, ErrorKind, Result, said},
    lock::lock,
    read::{Block, Blocks, LineCounter, Position, Source, Start, Tag},
};
use rayon::ThreadPool;

use super::waiting::Waiting;

/// The maximum number of blocks per worker whose results may wait for the result of an earlier block.
const AHEAD: usize = 16;

/// The memory that a result takes while it waits.
pub(crate) trait Weigh {
    /// Returns the approximate size in bytes.
    fn weight(&self) -> usize;
}

impl Weigh for () {
    fn weight(&self) -> usize {
        0
    }
}

impl<T> Weigh for Vec<T> {
    fn weight(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

/// The position of a block. It is known only when the results of all earlier blocks have been passed on.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    source: &'a Source,
    /// The number of the block's first line, from 1.
    pub(crate) first_line: u64,
    /// The block.
    pub(crate) tag: Tag,
}

impl Place<'_> {
    /// Returns the place (input and line) of a record of the block. The record is given by its number in the block.
    pub(crate) fn of(&self, record: u64) -> error::Place {
        self.source.place(self.tag.part, self.first_line + record)
    }
}

/// Runs `work` on every block on all threads of the pool, and `sink` on the results in block order. Each thread has one state `S`
/// for all its blocks.
pub(crate) fn in_order<S: Default, T: Send + Weigh>(
    pool: &ThreadPool,
    blocks: Blocks,
    work: impl Fn(&Block, &mut S) -> Result<T> + Sync,
    mut sink: impl FnMut(T) -> Result<()> + Send,
) -> Result<()> {
    in_order_placed(pool, blocks, work, |_, result| sink(result))
}

/// Does the same as [`in_order`], and also passes the position of each block to `sink`.
pub(crate) fn in_order_placed<S: Default, T: Send + Weigh>(
    pool: &ThreadPool,
    blocks: Blocks,
    work: impl Fn(&Block, &mut S) -> Result<T> + Sync,
    mut sink: impl FnMut(Place, T) -> Result<()> + Send,
) -> Result<()> {
    let waiting = Mutex::new(Waiting::new());
    let worker = || -> Worker {
        let mut state = S::default();
        let (work, waiting) = (&work, &waiting);
        Box::new(move |block| {
            let result = work(block, &mut state)?;
            let weight = result.weight();
            lock(waiting).insert(block.tag().position(), result);
            Ok(weight)
        })
    };
    let mut pass_on = |place: Place| {
        let result = lock(&waiting).remove(place.tag.position());
        let missing = || Error::new(ErrorKind::Internal, "a block has no result");
        sink(place, result.ok_or_else(missing)?)
    };
    schedule(pool, blocks, &worker, &mut pass_on)
}

/// Processes a block, keeps the result, and returns its weight.
type Worker<'a> = Box<dyn FnMut(&Block) -> Result<usize> + 'a>;

/// Passes on the result of the block at a place.
type PassOn<'a> = &'a mut (dyn FnMut(Place) -> Result<()> + Send);

/// Runs a worker on each thread of the pool, and `sink` for each block in block order. It is separate from [`in_order_placed`] so
/// that it is compiled once, and not for each of the kinds of results.
fn schedule<'a>(
    pool: &ThreadPool,
    blocks: Blocks,
    worker: &(dyn Fn() -> Worker<'a> + Sync),
    sink: PassOn,
) -> Result<()> {
    let blocks = blocks.for_workers(pool.current_num_threads(), AHEAD);
    let Start { block: due, lines } = blocks.start();
    let queue = Queue {
        due,
        waiting: Waiting::new(),
        lines,
        sink: Some(sink),
        failed: None,
    };
    let queue = Mutex::new(queue);
    pool.broadcast(|_| {
        let worked = catch_unwind(AssertUnwindSafe(|| {
            let (mut work, mut block) = (worker(), Block::default());
            loop {
                let result = match blocks.take(&mut block) {
                    Ok(true) => one_block(&mut work, &block),
                    Ok(false) => return,
                    Err(error) => Err(error),
                };
                deliver(&queue, block.tag(), result, &blocks);
            }
        }));
        if let Err(panic) = worked {
            lock(&queue).failed.get_or_insert(Error::of_panic(&*panic));
            blocks.stop();
        }
    });
    match queue
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .failed
    {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Processes a block; a panic becomes an error at the line that was being processed.
fn one_block(work: &mut Worker, block: &Block) -> Result<usize> {
    caught(|| work(block)).unwrap_or_else(|failure| Err(failure.on_line(block)))
}

/// The message of a panic.
pub(crate) struct Panicked(String);

impl Panicked {
    /// Converts the panic to an error at the line of `block` that was being processed.
    pub(crate) fn on_line(self, block: &Block) -> Error {
        let what = format!("this document made lookalike fail: {}", self.0);
        Error::new(ErrorKind::Internal, what)
            .advise("please report it")
            .of_line(block.current_line())
    }
}

/// Runs a function, and returns its panic if it panics.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> std::result::Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Panicked(said(&*panic).into()))
}

struct Queue<'a> {
    /// The block, by input and index, whose result is passed on next.
    due: Position,
    /// The blocks whose results wait, with the weights of the results.
    waiting: Waiting<(Tag, Result<usize>)>,
    lines: LineCounter,
    /// The function that receives the results; `None` while a worker is calling it.
    sink: Option<PassOn<'a>>,
    failed: Option<Error>,
}

/// Hands in a result. Then passes on all results that are due, unless another worker is already passing results on; that worker
/// will also reach this result.
fn deliver(queue: &Mutex<Queue>, tag: Tag, result: Result<usize>, blocks: &Blocks) {
    blocks.waits(*result.as_ref().unwrap_or(&0));
    let mut state = lock(queue);
    state.waiting.insert(tag.position(), (tag, result));
    let Some(sink) = state.sink.take() else {
        return;
    };
    while state.failed.is_none()
        && let due = state.due
        && let Some((tag, result)) = state.waiting.remove(due)
    {
        let weight = *result.as_ref().unwrap_or(&0);
        let place = Place {
            source: blocks.source(),
            first_line: state.lines.first_line(tag),
            tag,
        };
        drop(state);
        let passed = result.and_then(|_| sink(place)).and_then(|()| {
            // Check that nothing wrote to the input while this pass read it.
            if tag.last {
                blocks.source().ended(tag.part, tag.index + 1)
            } else {
                Ok(())
            }
        });
        state = lock(queue);
        match passed {
            Ok(()) => {
                state.due = tag.next();
                blocks.waited(weight);
                blocks.passed(tag);
            }
            Err(error) => {
                let error = error.placed(|record| place.of(record));
                state.failed = Some(place.source.named(tag.part, error));
                blocks.stop();
            }
        }
    }
    state.sink = Some(sink);
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::{config::RunConfig, pass::reading::reading};
    use lookalike_io::read::{Input, Reading, Scratch, each_block, is_blank};

    impl<T> Weigh for (usize, Vec<T>) {
        fn weight(&self) -> usize {
            self.1.weight()
        }
    }

    fn run(
        file: &tempfile::NamedTempFile,
        work: impl Fn(&Block, &mut ()) -> Result<()> + Sync,
    ) -> Error {
        let source = Source::new(
            vec![Input::File(file.path().into())],
            Reading::lines(),
            &std::env::temp_dir(),
        )
        .unwrap();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .unwrap();
        in_order(&pool, Blocks::new(&source), work, |()| Ok(())).unwrap_err()
    }

    #[test]
    fn a_panic_is_reported_with_its_document() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let lines: String = (1..=400_000).map(|line| format!("{line:09}\n")).collect();
        std::io::Write::write_all(&mut file, lines.as_bytes()).unwrap();
        let reading = reading(&RunConfig::default()).unwrap();
        let error = run(&file, |block, ()| {
            for at in 0..block.len() {
                let _ = block.record(at, &reading, &mut Scratch::default());
                assert!(
                    block.raw(at) != b"000300000\n" && block.raw(at) != b"000399999\n",
                    "as it may"
                );
            }
            Ok(())
        });
        let expected = format!(
            "{}:300000: this document made lookalike fail: as it may; please report it",
            file.path().display()
        );
        assert_eq!(
            (error.kind(), error.to_string()),
            (ErrorKind::Internal, expected)
        );
    }

    #[test]
    fn a_panic_elsewhere_ends_the_run_as_well() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, &b"0123456789\n".repeat(400_000)).unwrap();
        let source = Source::new(
            vec![Input::File(file.path().into())],
            Reading::lines(),
            &std::env::temp_dir(),
        )
        .unwrap();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .unwrap();
        let sink = |(): ()| panic!("as it may");
        let error =
            in_order(&pool, Blocks::new(&source), |_, (): &mut ()| Ok(()), sink).unwrap_err();
        assert_eq!(
            error.to_string(),
            "lookalike failed: as it may; please report it"
        );
    }

    #[test]
    fn the_first_failure_in_input_order_is_reported() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, &b"0123456789\n".repeat(400_000)).unwrap();
        for _ in 0..20 {
            let error = run(&file, |block, ()| match block.len() {
                0 => Ok(()),
                lines => Err(Error::record("as it may").of_line(lines as u64 - 1)),
            });
            // Line 23,832 is the last line that begins in the first 256 KiB.
            assert_eq!(
                error.to_string(),
                format!("{}:23832: as it may", file.path().display())
            );
        }
    }

    /// The number of each block's first line, and the block's lines.
    type Shown = Vec<(u64, Vec<Vec<u8>>)>;

    /// The reference implementation. It returns the lines that begin in each span (the range of bytes that one block covers). If
    /// a line is blank, the part of the line after the end of its span is left out, except for the newline.
    fn naive(bytes: &[u8], span: usize) -> Shown {
        let mut shown = vec![(1, Vec::new()); bytes.len().div_ceil(span).max(1)];
        let mut start = 0;
        for line in bytes.split_inclusive(|&c| c == b'\n') {
            let given = line
                .strip_prefix(b"\xef\xbb\xbf")
                .filter(|_| start == 0)
                .unwrap_or(line);
            let mut given = given.to_vec();
            let beyond = (start + line.len()).saturating_sub((start / span + 1) * span);
            if is_blank(&given) && beyond > 0 {
                given.truncate(given.len() - beyond);
                given.extend(line.ends_with(b"\n").then_some(b'\n'));
            }
            shown[start / span]
                .1
                .extend((!given.is_empty()).then_some(given));
            start += line.len();
        }
        let mut lines = 1;
        for (first, block) in &mut shown {
            (*first, lines) = (lines, lines + block.len() as u64);
        }
        shown
    }

    fn lines_of(block: &Block) -> Vec<Vec<u8>> {
        (0..block.len()).map(|at| block.raw(at).to_vec()).collect()
    }

    fn pass(source: &Source, blocks: Blocks, threads: usize) -> Result<Shown> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut shown = Vec::new();
        let work = |block: &Block, (): &mut ()| Ok((block.number, lines_of(block)));
        in_order_placed(&pool, blocks, work, |place, (number, lines)| {
            assert!(number == 0 || number == shown.len());
            shown.push((place.first_line, lines));
            Ok(())
        })?;
        assert!(source.inputs().len() <= shown.len());
        Ok(shown)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    proptest! {
        #[test]
        fn blocks_are_the_lines_that_begin_in_them(
            inputs in proptest::collection::vec((
                prop_oneof![Just(""), Just("\u{feff}")],
                proptest::collection::vec(prop_oneof![9 => "[a-z]{0,9}\r?\n", 1 => "[a-z]{20,90}\n", 1 => " ?\n", 1 => "[ \t]{2,90}x?\r?\n"], 0..30),
                "[a-z]{0,20}|[ ]{1,90}",
                0..3,
            ), 1..4),
            span in 4usize..40,
            threads in 1usize..4,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let (mut names, mut expected) = (Vec::new(), Vec::new());
            for (number, (mark, lines, end, how)) in inputs.into_iter().enumerate() {
                let bytes = format!("{mark}{}{end}", lines.concat()).into_bytes();
                expected.extend(naive(&bytes, span));
                let packed = match how {
                    0 => bytes,
                    1 => gzip(&bytes),
                    _ => zstd::encode_all(&*bytes, 1).unwrap(),
                };
                let path = folder.path().join(number.to_string());
                std::fs::write(&path, packed).unwrap();
                names.push(Input::File(path));
            }
            let source = Source::new(names, Reading::lines(), folder.path()).unwrap().with_span(span);
            prop_assert_eq!(&pass(&source, Blocks::new(&source), threads).unwrap(), &expected);
            prop_assert_eq!(&pass(&source, Blocks::again(&source), threads).unwrap(), &expected);
            let mut lines = Vec::new();
            each_block(Blocks::new(&source), |block, first_line| {
                lines.extend((first_line..).zip(lines_of(block)));
                Ok(true)
            }).unwrap();
            let expected: Vec<_> = expected.into_iter().flat_map(|(first, lines)| (first..).zip(lines)).collect();
            prop_assert_eq!(lines, expected);
        }
    }

    /// The cost of a block inside a long line depends on the number of bytes that the block covers (its span), not on the line's
    /// length. Otherwise this test would take minutes.
    #[test]
    fn one_huge_line_among_others() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let huge = "x".repeat(100 << 20);
        write!(file, "first\n{huge}\n\nlast").unwrap();
        let source = Source::new(
            vec![Input::File(file.path().into())],
            Reading::lines(),
            &std::env::temp_dir(),
        )
        .unwrap()
        .with_span(4096);
        let started = std::time::Instant::now();
        let shown = pass(&source, Blocks::new(&source), 2).unwrap();
        assert_eq!(shown.len(), (100 << 20) / 4096 + 1);
        let lines: Vec<_> = shown.iter().flat_map(|(_, lines)| lines).collect();
        assert!(
            lines.len() == 4
                && lines[1].len() == huge.len() + 1
                && is_blank(lines[2])
                && lines[3] == b"last"
        );
        assert_eq!(shown.last().unwrap().0, 3);
        assert!(started.elapsed().as_secs() < 60);
    }

    /// Tests lines that are longer than one read and begin with white space. Some have text after the white space, others have
    /// none. The lines are in plain files and in streams.
    #[test]
    fn a_line_of_white_space_is_kept_whole_only_if_it_has_text() {
        let (white, folder) = (" \t".repeat(5 << 20), tempfile::tempdir().unwrap());
        for (lines, packed) in [
            (format!("\u{feff}{white}\nlast"), false),
            (format!("\u{feff}{white}\r\nlast"), true),
            (format!("{white}text{white}\nlast"), false),
            (format!("first\n{white}text{white}\nlast"), true),
            (format!("first\n{white}"), false),
            (format!("first\n{white}"), true),
        ] {
            let path = folder.path().join("lines");
            std::fs::write(
                &path,
                if packed {
                    gzip(lines.as_bytes())
                } else {
                    lines.clone().into_bytes()
                },
            )
            .unwrap();
            let source = Source::new(vec![Input::File(path)], Reading::lines(), folder.path())
                .unwrap()
                .with_span(1 << 20);
            let shown = pass(&source, Blocks::new(&source), 2).unwrap();
            assert!(shown == naive(lines.as_bytes(), 1 << 20), "{}", lines.len());
            let longest = shown
                .iter()
                .flat_map(|(_, lines)| lines)
                .map(Vec::len)
                .max()
                .unwrap();
            assert!(longest <= (1 << 20) + 1 || lines.contains("text"));
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_reported() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&b"0123456789\n".repeat(1000)).unwrap();
        let source = Source::new(
            vec![Input::File(file.path().into())],
            Reading::lines(),
            &std::env::temp_dir(),
        )
        .unwrap()
        .with_span(100);
        pass(&source, Blocks::new(&source), 2).unwrap();
        file.as_file().set_len(1000).unwrap();
        let error = pass(&source, Blocks::again(&source), 2).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("changed while it was being read"),
            "{error}"
        );
    }
}
