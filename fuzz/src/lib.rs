//! Code that the targets share: naive ways to read a record and to cut a text, and files in memory.

pub mod file;
pub mod naive;
pub mod record;

/// Returns bytes as a text; invalid UTF-8 is replaced.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Splits bytes into texts at each 0xff, which never occurs in UTF-8.
pub fn texts(bytes: &[u8]) -> Vec<String> {
    bytes.split(|&byte| byte == 0xff).map(text).collect()
}

/// Returns JSON with every character beyond ASCII escaped.
pub fn ascii_json(json: &str) -> String {
    json.chars().fold(String::new(), |mut ascii, c| {
        match c.is_ascii() {
            true => ascii.push(c),
            false => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| ascii += &format!("\\u{unit:04x}")),
        }
        ascii
    })
}
