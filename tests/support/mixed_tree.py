"""A small tree in several languages, in which a name belongs to one symbol or to many."""

from tests.support.files import Files

TREE: Files = {
    "src/net/server.go": (
        "package net\n\n// Server serves.\ntype Server struct {\n\taddr string\n}\n\n"
        "// Serve does it.\nfunc (s *Server) Serve(n int) error { return nil }\n\nfunc Serve() {}\n\nfunc (s *Server) stop() {}\n"
    ),
    "src/net/more.go": "package net\n\nfunc (s *Server) Close() error { return nil }\n",
    "other/more.go": "package other\n\ntype Server struct{}\n\nfunc (s *Server) Elsewhere() {}\n",
    "src/shape.rs": (
        "pub struct Shape { side: u8 }\n\nimpl Shape {\n    pub fn new() -> Shape { Shape { side: 1 } }\n}\n\n"
        "impl Default for Shape {\n    fn default() -> Self { Shape::new() }\n}\n"
    ),
    "src/db.h": "namespace db {\nclass Slice {\n public:\n  Slice();\n  int size(int a) const;\n};\n}\n",
    "src/db.cc": (
        '#include "db.h"\nnamespace db {\nSlice::Slice() {}\nint Slice::size(int a) const {\n  return a;\n}\n'
        "bool operator==(const Slice& a, const Slice& b) { return true; }\n}\n"
    ),
    "java/com/acme/Buf.java": (
        "package com.acme;\npublic class Buf {\n  public Buf() {}\n  public Buf(int n) {}\n"
        "  void put(int a) {}\n  void put(String a) {}\n}\n"
    ),
    "web/cart.ts": (
        "export function total(a: string): void;\nexport function total(a: number): void;\n"
        "export function total(a: any): void {}\n"
        'describe("a cart: with #odd / things", () => {\n  it("adds. up", () => {});\n});\n'
    ),
    "py/shop.py": (
        "import functools\n\n\nclass Cart:\n    '''Holds things.'''\n\n    @functools.cache\n    def total(self):\n"
        "        '''Sums up.'''\n        return 1\n\n    def _secret(self): pass\n\n\nVALUE = 1\n"
    ),
    "py/shop.pyi": "class Cart:\n    def total(self) -> int: ...\n",
    "tests/test_shop.py": "class Cart:\n    def total(self): pass\n\n\ndef only_tested(): pass\n",
    "vendor/shop.py": "def only_tested(): pass\n",
    "empty.py": "",
    "notes.xyz": "nothing\n",
    "program": b"\0\1\2",
    "docs/a.xyz": "nothing\n",
}
