"""The columns of an index as they are stored. This page is the format.

Numbers are little-endian. A column of numbers without a type is as wide as its largest value needs
(1, 2 or 4 bytes). "(small)" is the format of `index/columns/integer_columns.pack_small`. A table of
strings is two columns: the texts in UTF-8, each ended by a NUL byte, and their sizes with that byte
(small). No text contains a NUL byte, so a whole table can be scanned at once.

A symbol has two numbers. Its row is its number by name: names in the order of their table, the
symbols of one name by path, line and column; so the rows of a name are one range. Its place is its
number by file: files by path, symbols by line and column.

Version history (FORMAT_VERSION in `index/store`):

-  1: first format
-  2: a NUL byte ends every text of a table
-  3: rows in the order of names; slices of bits instead of a mask per name; compressed details
-  4: signatures and docs without the symbol's name
-  5: the words of names; lines in details relative to the name's; columns at aligned addresses
-  6: counts and steps in a byte, not sums in four; containers as runs by place; paths as folder and
      base; pieces of blocks
-  7: columns of names by place instead of in details
-  8: as 7; ranges begin with attributes and decorators
-  9: stamps of files
- 10: words of signatures, docs, containers and paths; names that files mention
- 11: documents: sections and items, as an index inside the index; facts about items
- 12: which files an error or an unfinished merge has cut, and where
- 13: words that files repeat, among their mentions
- 14: words of documents: which texts repeat them, and identifiers as a whole
- 15: the bindings of files, in the blocks of details
- 16: names that files mention next to NUL bytes
"""

from typing import Final

import msgspec
import numpy as np

from symindex.extract.records import DIGEST_BYTES
from symindex.files.skips import SKIP_CODES
from symindex.index.columns.integer_columns import read_below, require
from symindex.index.columns.name_bitmaps import SLICES
from symindex.protocol.kinds import KIND_OF_CODE, SymbolFlag

Blob = memoryview
"""The bytes of a column; in an index file a part of the memory map, not a copy."""


class Columns(msgspec.Struct, array_like=True, frozen=True, kw_only=True, eq=False):
    """The stored columns. The order of the fields is part of the format.

    - generation: 64 bits that differ between indexes of different content (files, grammars,
      version), whatever the mtimes.
    - traits_of: kind (KindRow.code) + 256 * flags (SymbolFlag) of each sort of symbol that occurs.
    - language_ids: sorted; number 0 is empty, for files without a language.
    - skip_details: file number -> details of why it was skipped, or of how it was read if it is not
      in UTF-8.
    - broken_lines: file number -> the line, from 1, where an error cuts a container.
    - path_digest: SHA-256 of all paths in order, in UTF-8, each ended by a NUL byte.

    Tables of strings, each text once:

    - name_*: distinct names, ordered by their folded form (`text/folding`) without separators, then
      with them, then by code points.
    - word_*: distinct words of names, in lower case, ordered.
    - container_*: distinct qualified names of containers, ordered; number 0 is empty.
    - folder_*: distinct folders relative to the root, ordered, each with a final slash except the
      empty one.

    By name:

    - name_slices: see `index/columns/name_bitmaps`. slice_counts u32: by slice, how many names are
      in it.
    - name_word_count u8, name_words: the number of its words, and their numbers
      (`index/words/name_words`). odd_names u32: the numbers of the names without words there.
    - name_rows (small): the number of its rows.

    By row:

    - place_low u16, place_high: its place, the lowest 16 bits and the rest.
    - traits u8: number in traits_of, the most frequent first, or 255. rare_traits u16: the numbers
      from 255 on, for these rows.

    By place:

    - line_steps (small): the 0-based line of the name, less that of the symbol before it in the
      file, modulo 2**32.
    - name_columns (small): the name's column, in bytes.
    - container_runs, container_counts (small): number in its table, and how many adjacent places
      share it (`index/columns/integer_columns.IntegerRuns`).

    By file:

    - path_folder: number in its table. base_*: a table of strings, the rest of its path.
    - file_size u64, file_mtime i64 (nanoseconds), file_stamp u64 (`files/change_stamp`),
      file_digest 16 bytes each.
    - file_language u8: number in language_ids.
    - file_notes u8: bit 1 it has syntax errors, bit 2 it is not in UTF-8, bit 3 it contains the
      markers of an unfinished merge.
    - file_places (small): the number of its symbols.
    - file_skip u8: 0, or 1 + number in SKIP_CODES.

    By block of whole files:

    - block_blob, block_offset u32 (n+1): see `index/columns/details`. block_first u32 (n+1): its
      first file.

    Words of texts (`index/words/text_words`):

    - text_word_*: a table of strings, ordered. word_fields u8: by word, a bit for each Field with a
      list of it.
    - posting_sizes (small): bytes of each list, word by word, field by field. postings: the lists
      (`index/words/postings`).
    - text_lengths u8: by place, the number of words in its signature and doc, at most 255.
    - content_lengths u8: of sections and items, by place, the logarithm of the number of words.

    Names that files mention (`index/words/mentions`):

    - mention_hashes: the hashes of names, as one list.
    - mention_sizes (small): by hash, the bytes of its list of files. mentions: these lists.

    Documents (`index/columns/documents`):

    - documents: the columns of the sections and items of the files that have some; absent if none
      has. These are its symbols; a doc is the description, but its words are those of the whole
      text, which is not stored.
    - document_files u32: by file of `documents`, its number here.
    - item_places u32: the places of the symbols that are items, in order. item_facts: the facts
      about each, compressed.
    """

    generation: int
    traits_of: list[int]
    language_ids: list[str]
    skip_details: dict[int, str]
    broken_lines: dict[int, int]
    name_blob: Blob
    name_sizes: Blob
    word_blob: Blob
    word_sizes: Blob
    container_blob: Blob
    container_sizes: Blob
    name_slices: Blob
    slice_counts: Blob
    name_word_count: Blob
    name_words: Blob
    odd_names: Blob
    name_rows: Blob
    place_low: Blob
    place_high: Blob
    traits: Blob
    rare_traits: Blob
    line_steps: Blob
    name_columns: Blob
    container_runs: Blob
    container_counts: Blob
    folder_blob: Blob
    folder_sizes: Blob
    path_folder: Blob
    base_blob: Blob
    base_sizes: Blob
    path_digest: bytes
    file_size: Blob
    file_mtime: Blob
    file_stamp: Blob
    file_digest: Blob
    file_language: Blob
    file_notes: Blob
    file_places: Blob
    file_skip: Blob
    block_blob: Blob
    block_offset: Blob
    block_first: Blob
    text_word_blob: Blob
    text_word_sizes: Blob
    word_fields: Blob
    posting_sizes: Blob
    postings: Blob
    text_lengths: Blob
    content_lengths: Blob
    mention_hashes: Blob
    mention_sizes: Blob
    mentions: Blob
    item_places: Blob
    item_facts: Blob
    document_files: Blob
    documents: "Columns | None" = None


RARE: Final = 255
"""The value of the column `traits` for all numbers from this one on."""

NOTE_SYNTAX_ERRORS: Final = 1
NOTE_ODD_ENCODING: Final = 2
NOTE_CONFLICTED: Final = 4


def _lengths_of(columns: Columns, is_prose: bool) -> dict[str, int]:
    """Returns the length in bytes that each column of a fixed width must have."""
    n_files, n_symbols = len(columns.file_skip), len(columns.traits)
    n_names, n_blocks = len(columns.name_word_count), len(columns.block_first) // 4
    return {
        "file_size": 8 * n_files,
        "file_mtime": 8 * n_files,
        "file_stamp": 8 * n_files,
        "file_digest": DIGEST_BYTES * n_files,
        "file_language": n_files,
        "file_notes": n_files,
        "place_low": 2 * n_symbols,
        "slice_counts": 4 * SLICES,
        "name_slices": SLICES * -(-n_names // 64) * 8,
        "block_first": 4 * n_blocks,
        "block_offset": 4 * n_blocks,
        "text_lengths": n_symbols,
        "content_lengths": n_symbols if is_prose else 0,
        "path_digest": 32,
        "odd_names": len(columns.odd_names) // 4 * 4,
        "rare_traits": len(columns.rare_traits) // 2 * 2,
    }


def check_layout(columns: Columns, is_prose: bool = False) -> None:
    """Raises DamagedIndexError if the columns do not fit each other. Checks their lengths and the
    short columns, so the cost does not grow with the symbols; other values are checked when they
    are read. is_prose: whether the symbols are sections and items."""
    for name, length in _lengths_of(columns, is_prose).items():
        require(
            len(getattr(columns, name)) == length,
            f"column {name}: {len(getattr(columns, name)):,} bytes, not {length:,}",
        )
    n_files = len(columns.file_skip)
    require(len(columns.block_first) >= 4, "column block_first: empty")
    require(0 <= columns.generation < 2**64, "generation: not of 64 bits")
    is_known = all(
        traits & 255 in KIND_OF_CODE and 0 <= traits >> 8 < 2 * max(SymbolFlag)
        for traits in columns.traits_of
    )
    require(is_known, "traits_of: an unknown kind")
    if columns.documents is not None:
        check_layout(columns.documents, is_prose=True)
    n_described = 0 if columns.documents is None else len(columns.documents.file_skip)
    require(
        len(columns.document_files) == 4 * n_described, "column document_files: of another length"
    )
    require(len(columns.item_places) % 4 == 0, "column item_places: a part of a number")
    read_below(
        np.frombuffer(columns.file_skip, dtype="<u1"), 1 + len(SKIP_CODES), "column file_skip"
    )
    read_below(
        np.frombuffer(columns.file_language, dtype="<u1"),
        len(columns.language_ids),
        "column file_language",
    )
    require(
        all(0 <= number < n_files for number in columns.skip_details), "skip_details: of no file"
    )
    require(
        all(0 <= number < n_files for number in columns.broken_lines), "broken_lines: of no file"
    )
