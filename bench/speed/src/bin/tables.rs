//! How fast a table's texts are decoded and its rows encoded, on one thread: `tables FILE [OUT.parquet|OUT.arrow]`.

use std::{fs::File, io::BufWriter, path::Path, time::Instant};

use anyhow::{Context, Result};
use lookalike::cluster::Keep;
use lookalike_engine::pieces::{
    table::{Columns, Format, Ranges, Rows, TableFile, Wanted},
    table_output::TableOutput,
};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().context("tables FILE [OUT]")?;
    let table = TableFile::open(Ranges::open(Path::new(&path), &path)?)?;
    let columns = Columns::choose(&path, table.schema(), "text", "id", &Keep::First, None)?;
    for wanted in [Wanted::Chosen, Wanted::All] {
        let (start, mut bytes, mut batches, mut most) = (Instant::now(), 0, 0, 0);
        for number in 0..table.parts().len() {
            let mut stream = table.part(number, &columns, wanted)?;
            while let Some(batch) = stream.next()? {
                let rows = Rows::new(batch, &columns)?;
                let size: usize = (0..rows.len()).map(|row| rows.text_len(row)).sum();
                (bytes, batches, most) = (bytes + size, batches + 1, most.max(size));
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let rate = bytes as f64 / seconds / 1e6;
        println!("{wanted:?}: {bytes} bytes of text, {batches} batches of up to {most} bytes, {seconds:.2} s, {rate:.0} MB/s");
    }
    if let Some(out) = arguments.next() {
        let format = if out.ends_with(".parquet") { Format::Parquet } else { Format::ArrowFile };
        let (start, mut encoding) = (Instant::now(), 0.0);
        let writer = BufWriter::new(File::create(&out)?);
        let mut output = TableOutput::new(writer, &out, format, table.layout(), columns.text_path(), 1)?;
        for number in 0..table.parts().len() {
            let mut stream = table.part(number, &columns, Wanted::All)?;
            while let Some(batch) = stream.next()? {
                let before = Instant::now();
                output.push(batch)?;
                encoding += before.elapsed().as_secs_f64();
            }
        }
        let before = Instant::now();
        drop(output.finish()?);
        encoding += before.elapsed().as_secs_f64();
        let (seconds, size) = (start.elapsed().as_secs_f64(), std::fs::metadata(&out)?.len());
        println!("written: {size} bytes, {seconds:.2} s, of which {encoding:.2} s in pushing");
    }
    Ok(())
}
