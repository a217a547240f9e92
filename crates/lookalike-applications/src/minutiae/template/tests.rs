//! Tests with templates that a writer of their own makes, which follows the tables of the standards, and with bytes in full.

use proptest::prelude::*;

use super::*;

/// The three formats.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Iso2005,
    Ansi2004,
    Iso2011,
}

/// A minutia as stored: its type, x, y, angle and quality.
type Stored = (u8, u16, u16, u8, u8);

/// A view as stored.
#[derive(Debug, Clone)]
struct Written {
    position: u8,
    number: u8,
    impression: u8,
    minutiae: Vec<Stored>,
    extended: Vec<u8>,
    qualities: u8,
    resolution: [u16; 2],
}

fn short(number: usize) -> [u8; 2] {
    (number as u16).to_be_bytes()
}

fn long(number: usize) -> [u8; 4] {
    (number as u32).to_be_bytes()
}

/// Writes the minutiae of a view, from their number to the end of the extended data.
fn body(view: &Written, with_quality: bool) -> Vec<u8> {
    let mut out = vec![view.minutiae.len() as u8];
    for &(kind, x, y, angle, quality) in &view.minutiae {
        out.extend(
            [
                short(usize::from(kind) << 14 | usize::from(x)),
                short(y.into()),
            ]
            .concat(),
        );
        out.push(angle);
        out.extend(Some(quality).filter(|_| with_quality));
    }
    [
        out,
        short(view.extended.len()).to_vec(),
        view.extended.clone(),
    ]
    .concat()
}

fn write(kind: Kind, views: &[Written], certified: bool) -> Vec<u8> {
    let mut all = Vec::new();
    if kind == Kind::Iso2011 {
        for (at, view) in views.iter().enumerate() {
            let with_quality = at % 2 == 0;
            let mut head = [
                &[7, 220, 12, 31, 23, 59, 59, 3, 231, 20, 0, 1, 0, 2][..],
                &[view.qualities],
            ]
            .concat();
            (0..view.qualities).for_each(|quality| head.extend([quality, 0, 9, 0, 8]));
            if certified {
                head.extend([2, 1, 2, 3, 4, 5, 6]);
            }
            head.extend([view.position, view.number]);
            head.extend(
                view.resolution
                    .map(|resolution| short(resolution.into()))
                    .concat(),
            );
            head.push(view.impression);
            head.extend([short(400), short(500)].concat());
            head.push(if with_quality { 6 << 4 | 1 } else { 5 << 4 | 1 });
            let body = body(view, with_quality);
            all.extend([&long(4 + head.len() + body.len())[..], &head, &body].concat());
        }
        let head = [short(views.len()).to_vec(), vec![u8::from(certified)]].concat();
        return [&b"FMR\x00030\x00"[..], &long(15 + all.len()), &head, &all].concat();
    }
    for view in views {
        all.extend([view.position, view.number << 4 | view.impression, 77]);
        all.extend(body(view, true));
    }
    let resolution = views.first().map_or([197; 2], |view| view.resolution);
    let image = [
        short(400),
        short(500),
        short(resolution[0].into()),
        short(resolution[1].into()),
    ]
    .concat();
    let tail = [&short(0x8012)[..], &image, &[views.len() as u8, 0], &all].concat();
    let head = match (kind, 26 + all.len()) {
        (Kind::Iso2005, length) => long(length - 2).to_vec(),
        (_, length @ ..0x10000) => [&short(length)[..], &[0, 9, 0, 8]].concat(),
        (_, length) => [&short(0)[..], &long(length + 4), &[0, 9, 0, 8]].concat(),
    };
    [&b"FMR\x00 20\x00"[..], &head, &tail].concat()
}

fn expected(kind: Kind, view: &Written) -> View {
    let scaled = |at: u16, resolution: u16| match resolution {
        0 => f64::from(at),
        resolution => (f64::from(at) * 197.0 / f64::from(resolution) + 0.5).floor(),
    };
    let turn = if kind == Kind::Ansi2004 { 180.0 } else { 256.0 };
    let minutia = |&(_, x, y, angle, _): &Stored| Minutia {
        x: scaled(x, view.resolution[0]) as i32,
        y: -(scaled(y, view.resolution[1]) as i32),
        angle: (f64::from(angle) * 256.0 / turn + 0.5).floor() as u8,
    };
    let minutiae = view.minutiae.iter().map(minutia).collect();
    View {
        position: view.position,
        number: view.number,
        impression: view.impression,
        minutiae,
    }
}

fn written() -> impl Strategy<Value = (Kind, Vec<Written>, bool)> {
    let minutia = (0u8..4, 0u16..1 << 14, 0u16..1 << 14, 0u8..180, 0u8..=100);
    let resolution = prop::sample::select(vec![0u16, 99, 197, 394, 65535]);
    let view = (
        0u8..11,
        0u8..16,
        0u8..16,
        prop::collection::vec(minutia, 0..20),
        prop::collection::vec(any::<u8>(), 0..9),
        0u8..4,
    )
        .prop_map(
            |(position, number, impression, minutiae, extended, qualities)| Written {
                position,
                number,
                impression,
                minutiae,
                extended,
                qualities,
                resolution: [197; 2],
            },
        );
    let kind = prop::sample::select(vec![Kind::Iso2005, Kind::Ansi2004, Kind::Iso2011]);
    (
        kind,
        prop::collection::vec(view, 0..5),
        [resolution.clone(), resolution],
        any::<bool>(),
    )
        .prop_map(|(kind, mut views, resolution, certified)| {
            views
                .iter_mut()
                .for_each(|view| view.resolution = resolution);
            (kind, views, certified)
        })
}

proptest! {
    #[test]
    fn what_is_written_is_read((kind, written, certified) in written(), zeros in 0usize..9) {
        let template = [write(kind, &written, certified), vec![0; zeros]].concat();
        prop_assert!(is_template(&template));
        let expected: Vec<View> = written.iter().map(|view| expected(kind, view)).collect();
        prop_assert_eq!(views(&template), Ok(expected));
    }

    #[test]
    fn a_truncated_template_is_refused((kind, written, certified) in written(), end in any::<prop::sample::Index>()) {
        let template = write(kind, &written, certified);
        let end = end.index(template.len());
        prop_assert!(views(&template[..end]).unwrap_err().at <= end as u64);
    }

    #[test]
    fn no_bytes_panic((kind, written, certified) in written(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut template = write(kind, &written, certified);
        for (at, byte) in changes {
            let at = at.index(template.len());
            template[at] = byte;
        }
        if let Err(error) = views(&template) {
            prop_assert!(error.at <= template.len() as u64, "{}", error);
        }
    }

    #[test]
    fn random_bytes_do_not_panic(version in prop::sample::select(vec![&b" 20\0"[..], b"030\0", b""]), bytes in prop::collection::vec(any::<u8>(), 0..99)) {
        let template = [MAGIC, version, &bytes].concat();
        if let Err(error) = views(&template) {
            prop_assert!(error.at <= template.len() as u64);
        }
        prop_assert!(views(&bytes).is_err());
    }
}

/// One view of a right index finger with two minutiae, written by hand from the tables of each standard.
#[test]
fn templates_in_full() {
    let minutiae = |angles: [u8; 2]| {
        vec![
            Minutia {
                x: 100,
                y: -50,
                angle: angles[0],
            },
            Minutia {
                x: 257,
                y: -300,
                angle: angles[1],
            },
        ]
    };
    let view = |minutiae| View {
        position: 2,
        number: 0,
        impression: 0,
        minutiae,
    };
    #[rustfmt::skip]
    let iso_2005 = [
        0x46, 0x4d, 0x52, 0x00, 0x20, 0x32, 0x30, 0x00, // FMR, version 20
        0x00, 0x00, 0x00, 0x2a, // 42 bytes
        0x00, 0x00, // device
        0x01, 0x2c, 0x01, 0x90, // 300 by 400 pixels
        0x00, 0xc5, 0x00, 0xc5, // 197 pixels per centimetre
        0x01, 0x00, // one view
        0x02, 0x00, 0x50, 0x02, // right index finger, view 0, live plain, quality 80, two minutiae
        0x40, 0x64, 0x00, 0x32, 0x40, 0x5a, // an ending at 100, 50 with 90°
        0x81, 0x01, 0x01, 0x2c, 0x80, 0x00, // a bifurcation at 257, 300 with 180°
        0x00, 0x00, // no extended data
    ];
    assert_eq!(views(&iso_2005), Ok(vec![view(minutiae([64, 128]))]));
    #[rustfmt::skip]
    let ansi_2004 = [
        0x46, 0x4d, 0x52, 0x00, 0x20, 0x32, 0x30, 0x00, // FMR, version 20
        0x00, 0x2c, // 44 bytes
        0x00, 0x33, 0x00, 0x01, // owner and type of the program
        0x00, 0x00, // device
        0x01, 0x2c, 0x01, 0x90, // 300 by 400 pixels
        0x00, 0xc5, 0x00, 0xc5, // 197 pixels per centimetre
        0x01, 0x00, // one view
        0x02, 0x00, 0x50, 0x02, // right index finger, view 0, live plain, quality 80, two minutiae
        0x40, 0x64, 0x00, 0x32, 0x2d, 0x5a, // 90°, which is 45 times 2°
        0x81, 0x01, 0x01, 0x2c, 0x5a, 0x00, // 180°
        0x00, 0x00, // no extended data
    ];
    assert_eq!(views(&ansi_2004), Ok(vec![view(minutiae([64, 128]))]));
    #[rustfmt::skip]
    let iso_2011 = [
        0x46, 0x4d, 0x52, 0x00, 0x30, 0x33, 0x30, 0x00, // FMR, version 030
        0x00, 0x00, 0x00, 0x40, // 64 bytes
        0x00, 0x01, 0x00, // one view, no certificates
        0x00, 0x00, 0x00, 0x31, // 49 bytes
        0x07, 0xdf, 0x06, 0x0f, 0x0c, 0x1e, 0x00, 0x00, 0x00, // 2015-06-15 12:30
        0x00, 0x00, 0x00, 0x00, 0x00, // technology, vendor and type of the device
        0x01, 0x50, 0x00, 0x00, 0x00, 0x00, // one quality: 80
        0x02, 0x00, // right index finger, view 0
        0x00, 0xc5, 0x00, 0xc5, // 197 pixels per centimetre
        0x00, // live plain
        0x01, 0x2c, 0x01, 0x90, // 300 by 400 pixels
        0x51, // five bytes for each minutia
        0x02, // two minutiae
        0x40, 0x64, 0x00, 0x32, 0x40,
        0x81, 0x01, 0x01, 0x2c, 0x80,
        0x00, 0x00, // no extended data
    ];
    assert_eq!(views(&iso_2011), Ok(vec![view(minutiae([64, 128]))]));
}

/// A record of ANSI INCITS 378 whose length does not fit in two bytes.
#[test]
fn a_long_ansi_record() {
    let minutiae = vec![(1, 3, 4, 45, 6); 255];
    let view = Written {
        position: 1,
        number: 0,
        impression: 0,
        minutiae,
        extended: vec![7; 60_000],
        qualities: 0,
        resolution: [197; 2],
    };
    let template = write(Kind::Ansi2004, &[view.clone(), view], false);
    assert_eq!(&template[8..10], [0, 0]);
    let read = views(&template).unwrap();
    assert_eq!(
        (read.len(), read[1].minutiae.len(), read[1].minutiae[254]),
        (
            2,
            255,
            Minutia {
                x: 3,
                y: -4,
                angle: 64
            }
        )
    );
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let minutiae = vec![(1, 3, 4, 45, 6), (1, 5, 6, 200, 8)];
    let view = Written {
        position: 1,
        number: 0,
        impression: 0,
        minutiae,
        extended: vec![],
        qualities: 0,
        resolution: [197; 2],
    };
    let changed = |kind, at: usize, byte: u8| {
        let mut template = write(kind, std::slice::from_ref(&view), false);
        template[at] = byte;
        views(&template).unwrap_err().to_string()
    };
    let whole = write(Kind::Iso2005, std::slice::from_ref(&view), false);
    for (found, words) in [
        (
            views(b"FM").unwrap_err().to_string(),
            "byte 0: the data ends within the first bytes",
        ),
        (
            views(b"id,x,y,angle").unwrap_err().to_string(),
            "byte 0: not a template: it does not begin with FMR and a zero",
        ),
        (
            views(b"FMR\x00040\0").unwrap_err().to_string(),
            "byte 4: version \"040\"; only \" 20\" and \"030\" are read",
        ),
        (
            views(&whole[..38]).unwrap_err().to_string(),
            "byte 34: the data ends within minutia 2 of 2",
        ),
        (
            views(&[&whole[..], b"x"].concat()).unwrap_err().to_string(),
            "byte 42: 1 more bytes after the last view",
        ),
        (
            changed(Kind::Iso2005, 11, 43),
            "byte 8: the length of the record is given as 43 bytes, but its views end after 42",
        ),
        (
            changed(Kind::Iso2005, 19, 20),
            "byte 18: a resolution of 20 pixels per centimetre; at least 99 are needed",
        ),
        (
            changed(Kind::Iso2005, 30, 0x40),
            "byte 34: minutia 1, which ends here, has reserved bits that are not 0",
        ),
        (
            changed(Kind::Ansi2004, 20, 0),
            "byte 42: minutia 2, which ends here, has an angle of 360° or more",
        ),
        (
            changed(Kind::Iso2011, 14, 9),
            "byte 14: the flag for certificates is 9; it must be 0 or 1",
        ),
        (
            changed(Kind::Iso2011, 18, 50),
            "byte 15: a view has 46 bytes, but its length is given as 50",
        ),
        (
            changed(Kind::Iso2011, 45, 0x41),
            "byte 45: a minutia has 4 bytes; it must have 5 or 6",
        ),
    ] {
        assert_eq!(found, words);
    }
}
