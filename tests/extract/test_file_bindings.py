"""The bindings of a file are packed in a bounded text, and come back as they were."""

from symindex.extract.file_bindings import (
    MOST_BYTES,
    MOST_FACTS,
    Base,
    Import,
    TypeFact,
    pack_bindings,
    unpack_bindings,
)


def test_facts_come_back() -> None:
    imports = [Import("a", "m.n", "b"), Import("", "m", "*")]
    bases = [Base(3, "x.Base[T]"), Base(-1, "Trait", "Owner")]
    types = [TypeFact(0, "", "int", ""), TypeFact(4, "field", "", "make(1)")]
    assert unpack_bindings(pack_bindings(imports, bases, types)) == (imports, bases, types)
    assert unpack_bindings("") == ([], [], [])


def test_what_is_no_fact_is_left_out() -> None:
    assert unpack_bindings("b\tx\ty\tz\nt\t1\ni\ta\nq\t1\t2\t3\n\x00") == ([], [], [])


def test_one_fact_too_many_is_left_out() -> None:
    many = [Import(f"a{number}", "m", "b") for number in range(MOST_FACTS + 1)]
    assert unpack_bindings(pack_bindings(many, [], [])).imports == many[:-1]


def test_the_text_ends_with_a_whole_fact_below_its_limit() -> None:
    many = [Import(f"a{number}", "m" * 400, "b") for number in range(MOST_FACTS)]
    packed = pack_bindings(many, [], [])
    assert MOST_BYTES - 500 < len(packed) <= MOST_BYTES
    assert unpack_bindings(packed).imports == many[: packed.count(b"\n") + 1]
