//! A pass over a source (all inputs of a run): hands blocks of records to worker threads.
//!
//! There is no separate thread for reading. For a plain file, a worker takes a block number under a lock, and then reads that
//! block into its own buffer without the lock. A stream, which can only be read sequentially, is passed from worker to worker.
//! Each worker decompresses the next block of the stream. A worker that finds a stream in use moves on to the next compressed
//! file.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Condvar, Mutex, PoisonError},
};

use super::{
    block::{Block, Records},
    buffer::{Failure, LineCounter, Position, Tag},
    documents::FileBlocks,
    lines::{blocks, cut_file},
    source::{Opened, Source},
    stream::Stream,
};
use crate::{disk, error::Result, lock::lock};

/// The maximum total size, in bytes, of the results that wait. A result waits until the results of all earlier blocks have been
/// passed on. Because results may wait, compressed inputs after the first can be read before the first has ended.
const MOST_WAITING: usize = 64 << 20;

/// The position where a pass begins. This is the first block of the source, the first block of a part, or the block after those
/// that an earlier run has processed.
#[derive(Debug, Default, Clone, Copy)]
pub struct Start {
    /// The first block of the pass.
    pub block: Position,
    /// The number of lines before that block.
    pub lines: LineCounter,
}

impl Start {
    /// Returns the start at the first block of a part.
    pub fn at(part: usize) -> Self {
        Self {
            block: (part, 0),
            ..Self::default()
        }
    }

    /// Returns whether the pass begins at the first block of the source.
    pub fn is_first(&self) -> bool {
        self.block == (0, 0)
    }

    /// Moves the start to the block after the given one.
    pub fn pass(&mut self, tag: Tag) {
        self.block = tag.next();
        self.lines.first_line(tag);
    }
}

/// A pass over a source.
pub struct Blocks<'a> {
    source: &'a Source,
    start: Start,
    /// The end of the range of parts, exclusive.
    end: usize,
    /// The number of each part's first block, if an earlier pass has counted the blocks.
    first_blocks: Vec<usize>,
    /// The maximum number of blocks that workers have taken and whose results are not yet passed on.
    most: usize,
    /// The number of inputs that may be read in parallel.
    readers: usize,
    /// Whether to read all columns of tables. Otherwise, only the chosen columns are read: text, id, label, and the field that
    /// decides which document is kept.
    whole: bool,
    state: Mutex<State>,
    moved: Condvar,
}

struct State {
    /// The next part to open.
    next: usize,
    /// The inputs that have blocks left, in order.
    open: Vec<(usize, Open)>,
    /// The block whose result must be passed on next.
    due: Position,
    /// The number of blocks per part that are taken but not yet passed on.
    held: BTreeMap<usize, usize>,
    /// The bytes of results that wait for an earlier block.
    waiting: usize,
    /// Whether the pass has been stopped.
    over: bool,
}

enum Open {
    /// A file, its size and its next block.
    Plain(Arc<File>, u64),
    /// Files that are documents, and the next block.
    Files(Arc<FileBlocks>, u64),
    Stream(Box<Stream>),
    /// The input is in use: a worker is opening it, or is taking a block from it.
    Busy,
}

/// A plain file and its size.
struct File(disk::File, u64);

/// The next task for a worker.
enum Turn {
    Open(usize),
    Plain(usize, Arc<File>, u64),
    Files(usize, Arc<FileBlocks>, u64),
    Stream(usize, Box<Stream>),
}

impl<'a> Blocks<'a> {
    /// Creates the first pass.
    pub fn new(source: &'a Source) -> Self {
        Self::after(source, Start::default())
    }

    /// Creates the first pass of a resumed run, which begins where the earlier run ended.
    pub fn after(source: &'a Source, start: Start) -> Self {
        source.rewind();
        let (next, due) = (start.block.0, start.block);
        source.count_before(next);
        let state = State {
            next,
            open: Vec::new(),
            due,
            held: BTreeMap::new(),
            waiting: 0,
            over: false,
        };
        let (state, moved, end) = (Mutex::new(state), Condvar::new(), source.parts().len());
        Self {
            source,
            start,
            end,
            first_blocks: Vec::new(),
            most: usize::MAX,
            readers: 1,
            whole: false,
            state,
            moved,
        }
    }

    /// Creates a later pass over the same blocks.
    pub fn again(source: &'a Source) -> Self {
        Self {
            first_blocks: source.first_blocks(),
            ..Self::new(source)
        }
    }

    /// Creates a later pass over the references only.
    pub fn of_references(source: &'a Source) -> Self {
        Self {
            end: source.reference_parts(),
            ..Self::again(source)
        }
    }

    /// Creates a later pass over everything except the references.
    pub fn after_references(source: &'a Source) -> Self {
        Self {
            first_blocks: source.first_blocks(),
            ..Self::after(source, Start::at(source.reference_parts()))
        }
    }

    /// Limits how many blocks can be held, that is, taken but not yet passed on. If `most` is one or less, only the block whose
    /// result must be passed on next can be taken.
    pub fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Limits how many parts are read in parallel.
    pub fn readers(self, readers: usize) -> Self {
        Self { readers, ..self }
    }

    /// Sets whether all columns of tables are read.
    pub fn whole(self, whole: bool) -> Self {
        Self { whole, ..self }
    }

    /// Configures the pass for a number of workers. Each worker holds at most `ahead` blocks that wait for an earlier block.
    /// Several compressed files are read in parallel, each by one worker at a time. For compressed files after the first, more
    /// blocks may wait, up to `MOST_WAITING` bytes of results.
    pub fn for_workers(self, workers: usize, ahead: usize) -> Self {
        Self {
            most: workers * ahead,
            readers: workers,
            ..self
        }
    }

    /// Returns where the pass begins.
    pub fn start(&self) -> Start {
        self.start
    }

    /// Returns the index of the first block to read in a part.
    fn first_index(&self, part: usize) -> u64 {
        if part == self.start.block.0 {
            self.start.block.1
        } else {
            0
        }
    }

    /// Returns the source that the pass reads.
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// Fills `block` with the next block that no worker has taken; returns false if none is left. Waits while too many blocks are
    /// held; this limit never delays the block whose result must be passed on next. If it fails, the tag of `block` shows which
    /// block the error is about.
    ///
    /// # Panics
    /// Passes on a panic of a decoder, and stops the pass first. Otherwise the input would stay in use, and other workers would
    /// wait for it for ever.
    pub fn take(&self, block: &mut Block) -> Result<bool> {
        catch_unwind(AssertUnwindSafe(|| self.take_any(block))).unwrap_or_else(|panic| {
            self.stop();
            resume_unwind(panic)
        })
    }

    fn take_any(&self, block: &mut Block) -> Result<bool> {
        let mut state = lock(&self.state);
        loop {
            let Some(turn) = self.turn(&mut state) else {
                if state.over || state.open.is_empty() && state.next == self.end {
                    return Ok(false);
                }
                state = self
                    .moved
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let part = match &turn {
                Turn::Open(part)
                | Turn::Plain(part, ..)
                | Turn::Files(part, ..)
                | Turn::Stream(part, _) => *part,
            };
            (block.part, block.before, block.buffer.last) =
                (part, self.source.parts()[part].before, false);
            let failed = match turn {
                Turn::Plain(_, file, index) => {
                    (block.buffer.index, block.buffer.last) =
                        (index, index + 1 == blocks(file.1, self.source.span()));
                    let cut = cut_file(block.refill(), &file.0, file.1, self.source.span())
                        .map(|()| block.hold(Records::Lines));
                    let begun = index * self.source.span() as u64;
                    self.source
                        .count(self.source.span().min((file.1 - begun) as usize) as u64);
                    cut.err()
                }
                Turn::Files(_, files, index) => {
                    (block.buffer.index, block.buffer.last) = (index, index + 1 == files.len());
                    let cut = files.cut(block.refill()).map(|bytes| {
                        block.hold(Records::Files(files.files.clone(), files.first(index)));
                        self.source.count(bytes);
                    });
                    cut.err()
                }
                Turn::Stream(_, mut stream) => {
                    let cut = stream.cut(block, self.source.span());
                    self.put(
                        part,
                        (!block.buffer.last && cut.is_ok()).then_some(Open::Stream(stream)),
                    );
                    cut.err()
                }
                Turn::Open(_) => match self.open(part, block) {
                    Ok(opened) => {
                        self.put(part, Some(opened));
                        state = lock(&self.state);
                        continue;
                    }
                    Err(error) => {
                        (block.buffer.index, block.buffer.last) = (self.first_index(part), false);
                        self.put(part, None);
                        *lock(&self.state).held.entry(part).or_default() += 1;
                        Some(Failure::Reported(error))
                    }
                },
            };
            return match failed {
                None => {
                    self.numbered(block)?;
                    self.source.compare(block, self.first_blocks.is_empty())?;
                    Ok(true)
                }
                Some(failure) => Err(self.source.failed(part, failure)),
            };
        }
    }

    /// Opens a part at the first block to read in it. A stream cannot be positioned, so its earlier blocks are read into
    /// `scratch` and discarded.
    fn open(&self, part: usize, scratch: &mut Block) -> Result<Open> {
        let first = self.first_index(part);
        match self.source.open(part, self.whole)? {
            Opened::Plain(_, size) if first >= blocks(size, self.source.span()) => {
                Err(self.source.changed(part))
            }
            Opened::Plain(file, size) => {
                self.source.count(first * self.source.span() as u64);
                Ok(Open::Plain(Arc::new(File(file, size)), first))
            }
            Opened::Files(files) if first >= files.len() => Err(self.source.changed(part)),
            Opened::Files(files) => Ok(Open::Files(Arc::new(files), first)),
            Opened::Stream(mut stream) => {
                scratch.part = part;
                for _ in 0..first {
                    stream
                        .cut(scratch, self.source.span())
                        .map_err(|failure| self.source.failed(part, failure))?;
                    self.source.compare(scratch, false)?;
                    if scratch.buffer.last {
                        return Err(self.source.changed(part));
                    }
                }
                Ok(Open::Stream(Box::new(stream)))
            }
        }
    }

    /// Returns the earliest available task.
    fn turn(&self, state: &mut State) -> Option<Turn> {
        if state.over {
            return None;
        }
        let all: usize = state.held.values().sum();
        let most_waiting = if self.readers > 1 { MOST_WAITING } else { 0 };
        for at in 0..state.open.len() {
            let (part, open) = &mut state.open[at];
            let part = *part;
            let held = state.held.get(&part).copied().unwrap_or(0);
            let (index, may_wait) = match open {
                Open::Plain(_, index) | Open::Files(_, index) => (*index, false),
                Open::Stream(stream) => (stream.index(), state.waiting < most_waiting),
                Open::Busy => continue,
            };
            let free = if part == state.due.0 {
                held < self.most
            } else {
                all < self.most || may_wait
            };
            if !free && (part, index) != state.due {
                return None;
            }
            *state.held.entry(part).or_default() += 1;
            return Some(match std::mem::replace(open, Open::Busy) {
                Open::Plain(file, index) => {
                    if index + 1 == blocks(file.1, self.source.span()) {
                        _ = state.open.remove(at)
                    } else {
                        *open = Open::Plain(file.clone(), index + 1)
                    }
                    Turn::Plain(part, file, index)
                }
                Open::Files(files, index) => {
                    if index + 1 == files.len() {
                        _ = state.open.remove(at)
                    } else {
                        *open = Open::Files(files.clone(), index + 1)
                    }
                    Turn::Files(part, files, index)
                }
                Open::Stream(stream) => Turn::Stream(part, stream),
                Open::Busy => return None,
            });
        }
        // At this point, every part that is still open is in use by another worker.
        let first = state.open.is_empty();
        let readers = if self.whole {
            self.readers.min(self.source.most_readers())
        } else {
            self.readers
        };
        let may_open = first || state.open.len() < readers && self.source.is_regular(state.next);
        let free = if first {
            all < self.most
        } else {
            state.waiting < most_waiting
        };
        if state.next == self.end
            || !may_open
            || !free && (state.next, self.first_index(state.next)) != state.due
        {
            return None;
        }
        state.open.push((state.next, Open::Busy));
        state.next += 1;
        Some(Turn::Open(state.next - 1))
    }

    /// Puts an open input back after use, or removes it if it has ended.
    fn put(&self, part: usize, open: Option<Open>) {
        let mut state = lock(&self.state);
        if let Some(at) = state.open.iter().position(|entry| entry.0 == part) {
            match open {
                Some(open) => state.open[at].1 = open,
                None => _ = state.open.remove(at),
            }
        }
        self.moved.notify_all();
    }

    fn numbered(&self, block: &mut Block) -> Result<()> {
        let Some((&first, rest)) = self
            .first_blocks
            .get(block.part..)
            .and_then(|from| from.split_first())
        else {
            return Ok(());
        };
        block.number = first + block.buffer.index as usize;
        if rest.first().is_none_or(|&end| block.number < end) {
            Ok(())
        } else {
            Err(self.source.changed(block.part))
        }
    }

    /// Notes that a result of this many bytes waits until it can be passed on.
    pub fn waits(&self, bytes: usize) {
        lock(&self.state).waiting += bytes;
    }

    /// Notes that a result of this many bytes no longer waits.
    pub fn waited(&self, bytes: usize) {
        lock(&self.state).waiting -= bytes;
    }

    /// Notes that a block has been passed on, which makes the next block due. Blocks are passed on in order.
    pub fn passed(&self, tag: Tag) {
        let mut state = lock(&self.state);
        if let Some(held) = state.held.get_mut(&tag.part) {
            *held -= 1;
            if *held == 0 {
                state.held.remove(&tag.part);
            }
        }
        state.due = tag.next();
        self.moved.notify_all();
    }

    /// Stops the pass: no worker gets another block.
    pub fn stop(&self) {
        lock(&self.state).over = true;
        self.moved.notify_all();
    }
}

/// Passes every block of a pass to `give` in order, with the number of the block's first record. Stops when `give` returns false.
pub fn each_block(blocks: Blocks, mut give: impl FnMut(&Block, u64) -> Result<bool>) -> Result<()> {
    let (source, mut block, mut counter) =
        (blocks.source(), Block::default(), blocks.start().lines);
    loop {
        let taken = blocks.take(&mut block);
        let tag = block.tag();
        match taken {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => {
                let first_line = counter.first_line(Tag { lines: 0, ..tag });
                let error = error.placed(|record| source.place(tag.part, first_line + record));
                return Err(source.named(tag.part, error));
            }
        }
        if !give(&block, counter.first_line(tag))? {
            return Ok(());
        }
        if tag.last {
            source.ended(tag.part, tag.index + 1)?;
        }
        blocks.passed(tag);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use flate2::{Compression, write::GzEncoder};
    use lookalike_testing::alone;

    use super::*;
    use crate::{
        disk::faults::{Fault, Operation, fail},
        read::{Input, Reading},
    };

    /// Otherwise another worker would wait for ever for the input that the panicking one was opening or reading.
    #[test]
    fn a_panic_stops_the_pass() {
        alone!();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.gz");
        let mut packed = GzEncoder::new(Vec::new(), Compression::none());
        packed.write_all(&b"0123456789\n".repeat(100_000)).unwrap();
        fs::write(&path, packed.finish().unwrap()).unwrap();
        let source = Source::new(vec![Input::File(path)], Reading::lines(), folder.path()).unwrap();
        for nth in [0, 5] {
            let blocks = Blocks::new(&source).readers(2);
            let plan = fail(Operation::Read, nth, Fault::Panic);
            let take = || while blocks.take(&mut Block::default()).unwrap() {};
            assert!(catch_unwind(AssertUnwindSafe(take)).is_err() && plan.met());
            assert!(lock(&blocks.state).over);
            assert!(!blocks.take(&mut Block::default()).unwrap());
        }
    }
}
