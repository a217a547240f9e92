//! Runs an object store with as little overhead as possible: `serve-object PORT FILE…`. It serves files as the objects of any
//! bucket, for HEAD and for GET with ranges; the kernel moves the bytes (`sendfile`). Signatures are not checked. The program
//! takes the place of a store on another machine. The work of such a store would not be part of the measurement, so this program
//! does as little work as possible.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments
        .next()
        .and_then(|port| port.parse().ok())
        .ok_or(io::ErrorKind::InvalidInput)?;
    let files: BTreeMap<String, PathBuf> = arguments
        .map(|path| {
            (
                Path::new(&path)
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into(),
                path.into(),
            )
        })
        .collect();
    for client in TcpListener::bind(("127.0.0.1", port))?.incoming() {
        let (client, files) = (client?, files.clone());
        // If the client disconnects in the middle of an answer, the thread just ends.
        thread::spawn(move || while answer(&client, &files).is_ok_and(|more| more) {});
    }
    Ok(())
}

/// Answers one request; returns whether another one may follow.
fn answer(client: &TcpStream, files: &BTreeMap<String, PathBuf>) -> io::Result<bool> {
    // This buffer is dropped after one request. It cannot contain a part of the next request, because clients send that only
    // after they have received the answer.
    let mut lines = BufReader::new(client);
    let mut request = String::new();
    if lines.read_line(&mut request)? == 0 {
        return Ok(false);
    }
    let mut range = None;
    loop {
        let mut header = String::new();
        lines.read_line(&mut header)?;
        if header.trim().is_empty() {
            break;
        }
        if let Some(asked) = header.to_ascii_lowercase().strip_prefix("range: bytes=") {
            range = asked
                .trim()
                .split_once('-')
                .and_then(|(from, to)| Some((from.parse::<u64>().ok()?, to.parse::<u64>().ok()?)));
        }
    }
    let mut parts = request.split(' ');
    let (method, name) = (
        parts.next().unwrap_or(""),
        parts.next().unwrap_or("").rsplit('/').next().unwrap_or(""),
    );
    let mut client = client;
    let Some(path) = files.get(name) else {
        client.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
        return Ok(true);
    };
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let (status, from, to) = match range {
        Some((from, to)) => ("206 Partial Content", from, size.min(to + 1)),
        None => ("200 OK", 0, size),
    };
    let headers = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nContent-Range: bytes {from}-{}/{size}\r\nETag: \"{size}\"\r\n\
         Last-Modified: Sun, 22 Nov 2026 00:00:00 GMT\r\n\r\n",
        to - from,
        to.max(1) - 1
    );
    client.write_all(headers.as_bytes())?;
    if method != "HEAD" {
        file.seek(SeekFrom::Start(from))?;
        io::copy(&mut file.take(to - from), &mut client)?;
    }
    Ok(true)
}
