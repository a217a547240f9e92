"""Writes crawl.warc.gz, crawl.warc.zst and crawl.json, which records how warcio reads them.

Needs warcio 1.8, zstandard and brotli. The pages were written for this file, by this project.
"""

import gzip
import io
import json
import struct
import zlib

import brotli
import zstandard
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

DATE = "2026-11-22T00:00:00Z"


def page(language: str, text: str, head: str = "") -> str:
    return f"<!DOCTYPE html><html lang={language}><head>{head}<title>A page</title></head><body><p>{text}</p></body></html>"


def chunked(body: bytes, size: int) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;name=value\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def deflated(body: bytes) -> bytes:
    bare = zlib.compressobj(9, zlib.DEFLATED, -15)
    return bare.compress(body) + bare.flush()


RUSSIAN = page("ru", "Все люди рождаются свободными и равными в своём достоинстве и правах.").encode("windows-1251")
JAPANESE = page("ja", "すべての人間は、生まれながらにして自由である。", "<meta charset=shift_jis>").encode("shift_jis")
ENGLISH = page("en", "All human beings are born free and equal in dignity and rights. " * 20).encode()
RESPONSES = [
    ("http://a.example/plain", "200 OK", [("Content-Type", "text/html")], ENGLISH),
    ("http://a.example/ru", "200 OK", [("content-type", "text/html; charset=windows-1251"), ("Content-Encoding", "gzip")], gzip.compress(RUSSIAN)),
    ("http://a.example/ja", "203 ", [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")], chunked(JAPANESE, 40)),
    ("http://a.example/both", "200 OK", [("Content-Type", "application/xhtml+xml"), ("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")], chunked(gzip.compress(ENGLISH), 33)),
    ("http://a.example/br", "200 OK", [("Content-Type", "text/html"), ("Content-Encoding", "br")], brotli.compress(ENGLISH)),
    ("http://a.example/deflate", "200 OK", [("Content-Type", "text/plain"), ("Content-Encoding", "deflate")], zlib.compress(ENGLISH)),
    ("http://a.example/bare", "200 OK", [("Content-Type", "text/plain"), ("Content-Encoding", "deflate")], deflated(ENGLISH)),
    ("http://a.example/not-chunked", "200 OK", [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")], ENGLISH),
    ("http://a.example/gone", "404 Not Found", [("Content-Type", "text/html")], page("en", "Not here.").encode()),
    ("http://a.example/moved", "301 Moved", [("Location", "/plain")], b""),
    ("http://a.example/picture", "200 OK", [("Content-Type", "image/png")], b"\x89PNG\r\n\r\n"),
    ("http://a.example/style", "200 OK", [("Content-Type", "text/css")], b"p { color: red }"),
    ("http://a.example/empty", "204 No Content", [("Content-Type", "text/html")], b""),
]


def write(into: io.BytesIO, compressed: bool) -> None:
    writer = WARCWriter(into, gzip=compressed)

    def record(uri: str, kind: str, payload: bytes = b"", number: int = 0, **more) -> None:
        headers = {"WARC-Date": DATE, "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>"}
        writer.write_record(writer.create_warc_record(uri, kind, payload=io.BytesIO(payload), warc_headers_dict=headers, **more))

    record("", "warcinfo", b"software: warcio\r\n", 1, warc_content_type="application/warc-fields")
    for number, (uri, status, headers, body) in enumerate(RESPONSES, 10):
        record(uri, "request", number=number + 100, http_headers=StatusAndHeaders("GET / HTTP/1.1", [("Host", "a.example")], is_http_request=True))
        record(uri, "response", body, number, http_headers=StatusAndHeaders(status, headers, protocol="HTTP/1.1"))
    record("dns:a.example", "response", b"20261122000000\na.example. 300 IN A 192.0.2.1\n", 2, warc_content_type="text/dns")
    record("http://a.example/plain", "revisit", number=3, http_headers=StatusAndHeaders("200 OK", [], protocol="HTTP/1.1"))
    record("file:///notes.txt", "resource", "Grüße aus München.\n".encode("latin1"), 4, warc_content_type="text/plain; charset=iso-8859-1")
    record("http://a.example/ru", "conversion", "Все люди рождаются свободными.\n".encode(), 5, warc_content_type="text/plain")
    record("http://a.example/plain", "metadata", b"fetchTimeMs: 7\r\n", 6, warc_content_type="application/warc-fields")


def read(file: bytes) -> list[dict]:
    records = []
    for record in ArchiveIterator(io.BytesIO(file)):
        status = record.http_headers.get_statuscode() if record.http_headers else None
        # warcio 1.8 does not work with brotli 1.2.
        is_brotli = record.http_headers and record.http_headers.get_header("Content-Encoding") == "br"
        body = brotli.decompress(record.raw_stream.read()) if is_brotli else record.content_stream().read()
        records.append({
            "type": record.rec_type,
            "uri": record.rec_headers.get_header("WARC-Target-URI"),
            "id": record.rec_headers.get_header("WARC-Record-ID"),
            "date": record.rec_headers.get_header("WARC-Date"),
            "content_type": record.rec_headers.get_header("Content-Type"),
            "status": status,
            "bytes": len(body),
            "crc32": zlib.crc32(body),
        })
    return records


def main() -> None:
    packed, plain = io.BytesIO(), io.BytesIO()
    write(packed, True)
    write(plain, False)
    with open("crawl.warc.gz", "wb") as file:
        file.write(packed.getvalue())
    with open("crawl.json", "w", encoding="utf-8") as file:
        json.dump(read(packed.getvalue()), file, indent=1, ensure_ascii=False)
        file.write("\n")
    # There is one frame per record. All frames use a dictionary, which is at the start of the file, compressed.
    whole = plain.getvalue()
    starts = [at for at in range(len(whole)) if whole.startswith(b"WARC/1.0\r\n", at)] + [len(whole)]
    dictionary = zstandard.ZstdCompressionDict(whole[:6000], zstandard.DICT_TYPE_RAWCONTENT)
    content = zstandard.compress(dictionary.as_bytes())
    with open("crawl.warc.zst", "wb") as file:
        file.write(struct.pack("<II", 0x184D2A5D, len(content)) + content)
        for start, end in zip(starts, starts[1:]):
            file.write(zstandard.ZstdCompressor(dict_data=dictionary).compress(whole[start:end]))


main()
