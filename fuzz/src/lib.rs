//! What the targets share: the naive way of reading a record, of cutting a text, and files in memory.

pub mod file;
pub mod naive;
pub mod record;

/// The text that bytes stand for: what is no UTF-8 in them is replaced.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Bytes cut at each 0xff, which stands in no text.
pub fn texts(bytes: &[u8]) -> Vec<String> {
    bytes.split(|&byte| byte == 0xff).map(text).collect()
}

/// JSON with every character that is no ASCII as a number.
pub fn ascii_json(json: &str) -> String {
    json.chars().fold(String::new(), |mut ascii, c| {
        match c.is_ascii() {
            true => ascii.push(c),
            false => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| ascii += &format!("\\u{unit:04x}")),
        }
        ascii
    })
}
