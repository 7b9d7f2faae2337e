/**
 * What a user has set, as the server wants it. Knows nothing of VS Code, so that it can be tested without it.
 *
 * Only what was set is sent: a default of ours would win over the `symindex.toml` of the tree.
 */

import * as path from "node:path";

/** The settings that the server takes, all optional: the same names in the editor and in `initializationOptions`. */
export const SERVER_SETTINGS = [
  "limit",
  "include",
  "exclude",
  "languages",
  "indexDir",
  "definition",
  "hover",
  "references",
  "implementation",
  "typeHierarchy",
  "callHierarchy",
] as const;

export type ServerOptions = Partial<Record<(typeof SERVER_SETTINGS)[number], unknown>>;

/** What is set in each of the places where a setting can be set, as VS Code's `WorkspaceConfiguration.inspect` gives it. */
export interface Places {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Looks a setting of the section `symindex` up. */
export type Inspect = (key: string) => Places | undefined;

/** The nearest place wins. Undefined where the user has set nothing. */
export function valueOf(inspect: Inspect, key: string): unknown {
  const places = inspect(key);
  return places?.workspaceFolderValue ?? places?.workspaceValue ?? places?.globalValue;
}

/** `initializationOptions`. */
export function serverOptions(inspect: Inspect): ServerOptions {
  const options: ServerOptions = {};
  for (const key of SERVER_SETTINGS) {
    const value = valueOf(inspect, key);
    if (value !== undefined) {
      options[key] = value;
    }
  }
  return options;
}

/** What the running server is told: null for what is not set, or no longer, so that its own default holds again. */
export function currentOptions(inspect: Inspect): ServerOptions {
  const unset = SERVER_SETTINGS.map((key) => [key, null] as const);
  return { ...Object.fromEntries(unset), ...serverOptions(inspect) };
}

/** `~` and `${workspaceFolder}` in a program's name. */
export function expandCommand(command: string, home: string, folder: string | undefined): string {
  const expanded = command.trim().replaceAll("${workspaceFolder}", folder ?? ".");
  return /^~(?=$|[\\/])/.test(expanded) ? path.join(home, expanded.slice(1)) : expanded;
}
