"""PDF files for tests."""

import zlib


def pdf_of(text: str, times: int = 1, is_compressed: bool = True) -> bytes:
    """Returns a file of one page that repeats a text. Compressed, it is short but can take a reader
    minutes."""
    stream = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET\n".encode() * times
    if is_compressed:
        stream = zlib.compress(stream)
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d%b >>\nstream\n%b\nendstream" % (len(stream), b" /Filter /FlateDecode" * is_compressed, stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]  # fmt: skip
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
    return (
        data
        + head
        + table
        + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(parts) + 1, len(data))
    )
