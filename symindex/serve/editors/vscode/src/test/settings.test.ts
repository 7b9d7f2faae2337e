import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { currentOptions, expandCommand, SERVER_SETTINGS, serverOptions, valueOf, type Places } from "../settings";

interface Manifest {
  contributes: { configuration: { properties: Record<string, unknown> } };
}

function inspecting(places: Record<string, Places>): (key: string) => Places | undefined {
  return (key) => places[key];
}

test("what was not set is not sent: it would win over symindex.toml", () => {
  assert.deepEqual(serverOptions(inspecting({})), {});
  const defaults: Places & { defaultValue: number } = { defaultValue: 256 };
  assert.deepEqual(serverOptions(inspecting({ limit: defaults })), {});
});

test("what was set is sent under its own name", () => {
  const options = serverOptions(
    inspecting({
      limit: { globalValue: 50 },
      exclude: { workspaceValue: ["**/vendor/**"] },
      definition: { globalValue: ["shellscript"] },
      hover: { globalValue: false },
      command: { globalValue: "/opt/symindex" },
    }),
  );
  assert.deepEqual(options, { limit: 50, exclude: ["**/vendor/**"], definition: ["shellscript"], hover: false });
});

test("a running server hears of what is no longer set", () => {
  const options = currentOptions(inspecting({ limit: { globalValue: 50 } }));
  assert.deepEqual(Object.keys(options).sort(), [...SERVER_SETTINGS].sort());
  assert.deepEqual([options.limit, options.exclude], [50, null]);
});

test("the nearest place wins, even with false and nothing", () => {
  const places = { globalValue: true, workspaceValue: true, workspaceFolderValue: false };
  assert.equal(valueOf(inspecting({ hover: places }), "hover"), false);
  assert.deepEqual(valueOf(inspecting({ include: { globalValue: ["a"], workspaceValue: [] } }), "include"), []);
});

test("a command may begin at home or in the workspace", () => {
  const home = path.resolve("/home/me");
  assert.equal(expandCommand("symindex", home, "/project"), "symindex");
  assert.equal(expandCommand(" ~/bin/symindex ", home, undefined), path.join(home, "bin/symindex"));
  assert.equal(expandCommand("~other/symindex", home, undefined), "~other/symindex");
  assert.equal(expandCommand("${workspaceFolder}/.venv/bin/symindex", home, "/project"), "/project/.venv/bin/symindex");
  assert.equal(expandCommand("${workspaceFolder}/symindex", home, undefined), "./symindex");
});

test("package.json offers the settings that are read, and no others", () => {
  const text = readFileSync(path.join(__dirname, "..", "..", "package.json"), "utf8");
  const manifest = JSON.parse(text) as Manifest;
  const offered = Object.keys(manifest.contributes.configuration.properties);
  const read = ["command", "args", "trace.server", ...SERVER_SETTINGS].map((key) => `symindex.${key}`);
  assert.deepEqual(offered.sort(), read.sort());
});
