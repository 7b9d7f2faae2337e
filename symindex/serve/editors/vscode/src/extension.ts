/** Starts `symindex lsp` for every file of the workspace, whatever its language and beside whatever other servers. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  DidChangeConfigurationNotification,
  ExecuteCommandRequest,
  LanguageClient,
  type ConfigurationParams,
  type Middleware,
} from "vscode-languageclient/node";
import { findCommand, missingMessage } from "./command";
import { currentOptions, expandCommand, serverOptions, type Inspect } from "./settings";

const SECTION = "symindex";

/** The command of the server itself; the language client registers it with the editor too, so ours has another name. */
const REINDEX = "symindex.reindex";

let client: LanguageClient | undefined;
/** What was started last, to see whether other settings ask for another program. */
let started: string | undefined;
let output: vscode.OutputChannel;
let last: Promise<void> = Promise.resolve();

export function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("symindex");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("symindex.restart", () => inTurn(restart)),
    vscode.commands.registerCommand("symindex.reindexWorkspace", reindex),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) {
        void inTurn(followSettings);
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => inTurn(followSettings)),
  );
  return inTurn(start);
}

export function deactivate(): Promise<void> {
  return inTurn(stop);
}

/** One at a time: a second restart must not meet a server that is half started. */
function inTurn(action: () => Promise<void>): Promise<void> {
  last = last.then(action).catch((error: unknown) => {
    output.appendLine(`symindex: ${messageOf(error)}`);
  });
  return last;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const inspect: Inspect = (key) => vscode.workspace.getConfiguration(SECTION).inspect(key);

interface Program {
  readonly command: string;
  readonly args: string[];
  readonly folder: string | undefined;
}

/** What the settings say is to be started. */
function wantedProgram(): Program {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const command = expandCommand(configuration.get<string>("command", "symindex"), homedir(), folder);
  return { command, args: configuration.get<string[]>("args", ["lsp"]), folder };
}

async function start(): Promise<void> {
  const wanted = wantedProgram();
  started = JSON.stringify(wanted);
  const { args, folder } = wanted;
  const searchPath = process.env.PATH ?? "";
  const command = findCommand(wanted.command, { searchPath, windows: process.platform === "win32", folder });
  if (command === undefined) {
    complain(missingMessage(wanted.command));
    return;
  }
  output.appendLine(`symindex: starting ${[command, ...args].join(" ")}`);
  client = new LanguageClient(
    SECTION,
    "symindex",
    // No `transport`: it is standard input and output all the same, and naming it would add an argument `--stdio`.
    { command, args, options: folder === undefined ? {} : { cwd: folder } },
    {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      outputChannel: output,
      initializationOptions: serverOptions(inspect),
      middleware,
    },
  );
  // What goes wrong here is shown by the language client itself, with a button to the output channel.
  await client.start();
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  if (stopped?.needsStop()) {
    await stopped.stop();
  }
  await stopped?.dispose();
}

async function restart(): Promise<void> {
  await stop().catch((error: unknown) => {
    output.appendLine(`symindex: the old server did not stop as it should: ${messageOf(error)}`);
  });
  await start();
}

/** Another program is started; of anything else the running one is told. */
async function followSettings(): Promise<void> {
  if (JSON.stringify(wantedProgram()) !== started) {
    await restart();
  } else if (client?.isRunning() === true) {
    await client.sendNotification(DidChangeConfigurationNotification.type, { settings: { [SECTION]: currentOptions(inspect) } });
  }
}

/** Not in turn: a server that takes long over it must be restartable meanwhile. */
async function reindex(): Promise<void> {
  if (client?.isRunning() !== true) {
    complain('symindex: the server is not running. Run "symindex: Restart server" first.');
    return;
  }
  try {
    await client.sendRequest(ExecuteCommandRequest.type, { command: REINDEX, arguments: [] });
  } catch (error) {
    complain(`symindex: the server could not look at the files again: ${messageOf(error)}`);
  }
}

/** A server that asks for its settings gets what the user has set, and no default; one that asks to be told is told by us. */
const middleware: Middleware = {
  workspace: {
    configuration: async (params: ConfigurationParams, token, next) => {
      const answers = (await next(params, token)) as unknown;
      const rows: unknown[] = Array.isArray(answers) ? answers : [];
      return params.items.map((item, at) => (item.section === SECTION ? currentOptions(inspect) : rows[at]));
    },
    didChangeConfiguration: () => Promise.resolve(),
  },
};

/** Says it once on the screen, with ways on, and keeps it in the output channel. */
function complain(message: string): void {
  output.appendLine(message);
  const settings = "Open settings";
  const log = "Show output";
  void vscode.window.showErrorMessage(message, settings, log).then((choice) => {
    if (choice === settings) {
      void vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.command`);
    } else if (choice === log) {
      output.show();
    }
  });
}
