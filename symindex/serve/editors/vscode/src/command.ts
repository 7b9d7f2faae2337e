/** Finds the server's program before it is started, so that a missing one can be said in words that help. */

import { accessSync, constants, statSync } from "node:fs";
import * as path from "node:path";

/** Where programs are looked for: the environment, and the folder that relative paths begin at. */
export interface Surroundings {
  readonly searchPath: string;
  readonly windows: boolean;
  readonly folder: string | undefined;
}

function runs(file: string, windows: boolean): boolean {
  try {
    accessSync(file, windows ? constants.F_OK : constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The program's full path, or undefined where there is none. A name with a separator is a path, any other is looked for. */
export function findCommand(command: string, around: Surroundings): string | undefined {
  if (command === "") {
    return undefined;
  }
  // Without a shell Windows starts these alone; pip makes an .exe.
  const endings = around.windows ? ["", ".exe", ".com"] : [""];
  const isPath = command.includes("/") || (around.windows && command.includes("\\"));
  const folders = isPath
    ? [around.folder ?? "."]
    : around.searchPath.split(around.windows ? ";" : ":").filter((folder) => folder !== "");
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.resolve(folder, command + ending);
      if (runs(file, around.windows)) {
        return file;
      }
    }
  }
  return undefined;
}

/** What a user whose program is not there should do. */
export function missingMessage(command: string): string {
  const install = 'Install it: "pipx install ." or "uv tool install ." in a clone of symindex';
  return command === ""
    ? 'symindex: the setting "symindex.command" is empty. It is the name or the path of the program, by default "symindex".'
    : `symindex: there is no program "${command}". ${install}, then run "symindex: Restart server"; ` +
        'or put its full path into the setting "symindex.command".';
}
