import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test, type TestContext } from "node:test";
import { findCommand, missingMessage } from "../command";

/** A folder with the given files, executable or not. */
function folderWith(context: TestContext, files: Record<string, number>): string {
  const folder = mkdtempSync(path.join(tmpdir(), "symindex-"));
  context.after(() => {
    rmSync(folder, { recursive: true });
  });
  for (const [name, mode] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "");
    chmodSync(file, mode);
  }
  return folder;
}

test("a name is looked for in the folders of PATH, in their order", (context) => {
  const folder = folderWith(context, { "a/symindex": 0o644, "b/symindex": 0o755, "c/symindex": 0o755 });
  const searchPath = ["", "a", "b", "c"].map((name) => (name === "" ? "" : path.join(folder, name))).join(":");
  const found = findCommand("symindex", { searchPath, windows: false, folder });
  assert.equal(found, path.join(folder, "b", "symindex"));
});

test("a folder is no program, and nothing is none either", (context) => {
  const folder = folderWith(context, { "symindex/file": 0o755 });
  const around = { searchPath: folder, windows: false, folder };
  assert.equal(findCommand("symindex", around), undefined);
  assert.equal(findCommand("", around), undefined);
  assert.equal(findCommand("other", { ...around, searchPath: "" }), undefined);
});

test("a path begins at the workspace", (context) => {
  const folder = folderWith(context, { "bin/symindex": 0o755 });
  const around = { searchPath: "", windows: false, folder };
  assert.equal(findCommand("bin/symindex", around), path.join(folder, "bin", "symindex"));
  assert.equal(findCommand(path.join(folder, "bin", "symindex"), around), path.join(folder, "bin", "symindex"));
  assert.equal(findCommand("./symindex", around), undefined);
});

test("Windows names have endings", (context) => {
  const folder = folderWith(context, { "symindex.exe": 0o644 });
  const found = findCommand("symindex", { searchPath: folder, windows: true, folder: undefined });
  assert.equal(found, path.join(folder, "symindex.exe"));
});

test("whoever lacks the program is told how to get it, or where to say where it is", () => {
  const message = missingMessage("symindex");
  for (const part of ['"symindex"', "pipx install .", "symindex.command", "Restart server"]) {
    assert.ok(message.includes(part), message);
  }
  assert.match(missingMessage(""), /"symindex.command" is empty/);
});
