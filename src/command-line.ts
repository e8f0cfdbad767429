import { parseArgs } from "node:util";
import dotenv from "dotenv";
import type { Env } from "#daemon/env.ts";
import { type ExitCode, exitCode, exitCodes } from "#daemon/exit-code.ts";
import { version } from "#daemon/version.ts";

export interface Flags {
  readonly json: boolean;
  readonly proxy: string | null;
  readonly variablesFile: string | null;
  readonly explain: boolean;
  readonly headed: boolean;
  readonly ui: boolean;
  readonly url: string | null;
  readonly ready: boolean;
  readonly role: string | null;
  readonly name: string | null;
  readonly expiresDays: string | null;
  readonly networks: string | null;
  readonly scopes: string | null;
  readonly create: boolean;
  readonly output: string | null;
  readonly keep: string | null;
  readonly withKeys: boolean;
  readonly replace: boolean;
  readonly distributed: boolean;
  readonly newPepper: boolean;
  readonly dryRun: boolean;
  readonly prune: boolean;
  readonly location: string | null;
  readonly telemetry: boolean;
  readonly demoBrowser: boolean;
  readonly apiKey: string | null;
  readonly yes: boolean;
  readonly noRun: boolean;
  readonly id: string | null;
  readonly every: string | null;
  readonly projects: readonly string[];
  readonly grep: string | null;
  readonly testCommand: string | null;
  readonly installCommand: string | null;
  readonly workingDir: string | null;
  readonly engine: string | null;
  readonly env: readonly string[];
  readonly secrets: readonly string[];
  readonly include: readonly string[];
}

/** One `outpost <command>`. Its code is loaded when it runs: an agent needs no web server. */
export interface Command {
  readonly about: string;
  /** @returns the exit code @throws {ConfigError} for what the caller can put right */
  readonly run: (env: Env, words: readonly string[], flags: Flags) => Promise<number>;
  /** It goes on and logs, under this name: where that is JSON, why it could not start is told as a line of the log, too. */
  readonly logsAs?: string;
}

export type Commands = Readonly<Record<string, Command>>;

/** Every program has it, as every image asks by it. */
export const healthcheck: Command = {
  about: "ask the agent or control plane of this container whether it is well",
  run: async (env, words, flags) => (await import("./healthcheck-main.ts")).main(env, words, flags),
};

const flags = {
  "data-dir": { type: "string", about: "folder for everything that is kept (./data); DATA_DIR" },
  port: { type: "string", about: "port of the control plane (3000); PORT" },
  host: { type: "string", about: "address that the control plane listens on (127.0.0.1); HOST" },
  json: { type: "boolean", about: "run, keys list: JSON, one line per check or key" },
  proxy: { type: "string", about: "run: proxy for API and URL checks, http://user:password@host:port" },
  variables: { type: "string", about: "run: file of variables for templates and scripts, NAME=value lines" },
  explain: { type: "boolean", about: "run: say what would hold each check, and run none" },
  headed: { type: "boolean", about: "run: show the browser of a browser check, on a desktop, without fences" },
  ui: { type: "boolean", about: "run: show a browser or multistep check in Playwright's own window, without fences" },
  url: {
    type: "string",
    about: "healthcheck: the address to ask; export, apply, suite: the control plane (http://127.0.0.1:3000); OUTPOST_URL",
  },
  ready: { type: "boolean", about: "healthcheck: whether it does its work, not only whether it is alive" },
  "dry-run": { type: "boolean", about: "apply, suite: only print what would change" },
  prune: { type: "boolean", about: "apply: remove what the sections of the file do not hold" },
  location: { type: "string", about: "import, suite: slug name of the private location to run at; suite deploy: several between commas" },
  create: { type: "boolean", about: "location-key: make the private location when it is not there" },
  output: {
    type: "string",
    about:
      "location-key: write the key to this file instead, unless one is there already; backup: the file to write, a folder, or - for standard output",
  },
  keep: { type: "string", about: "backup: how many backups of this folder stay; older ones are removed (all)" },
  "with-keys": {
    type: "boolean",
    about: "backup, restore: the pepper and the encryption key, too, in a file beside with .keys at its end",
  },
  distributed: { type: "boolean", about: "migrate: spread results and what belongs to them over the workers of a Citus cluster" },
  replace: { type: "boolean", about: "restore: also where there is a database, which is kept under another name" },
  role: { type: "string", about: "keys create: what the key may do (READ_ONLY)" },
  name: { type: "string", about: "keys create: what the key is for; suite: what the check is called" },
  "expires-days": { type: "string", about: "keys create: days after which the key is refused (never)" },
  networks: { type: "string", about: "keys create: networks that it may be used from, 10.0.0.0/8,192.0.2.7 (any)" },
  scopes: { type: "string", about: "keys create: what it may do at most, checks:read,triggers:run (all that the role may)" },
  telemetry: { type: "boolean", about: "doctor: print what an agent reports about itself, and where to; sends nothing" },
  "demo-browser": { type: "boolean", about: "up: make a browser check of the console, too" },
  "new-pepper": { type: "boolean", about: "keys create: after the pepper was lost; every older key is void" },
  "api-key": {
    type: "string",
    about: "suite, import checkly: the key, where OUTPOST_API_KEY or CHECKLY_API_KEY is not set; others on the machine can see it",
  },
  id: { type: "string", about: "suite deploy: logical id by which the check is found again (the name of the package or folder)" },
  every: { type: "string", about: "suite deploy: how often the check runs, 10m or 2h (10m)" },
  grep: { type: "string", about: "suite: only tests whose title matches, such as @smoke" },
  project: { type: "string", multiple: true, about: "suite: only this project of playwright.config; may be repeated" },
  "test-command": { type: "string", about: "suite: how the tests are started (npx playwright test)" },
  "install-command": { type: "string", about: "suite: how the packages are installed (by the lock file)" },
  "working-dir": { type: "string", about: "suite: folder of playwright.config, where the folder that you name holds more" },
  engine: { type: "string", about: "suite: node or bun" },
  env: { type: "string", multiple: true, about: "suite: KEY=VALUE for the tests; may be repeated" },
  secret: {
    type: "string",
    multiple: true,
    about: "suite: KEY whose value is taken from your environment, and kept sealed; may be repeated",
  },
  include: { type: "string", multiple: true, about: "suite: file or pattern to bundle although a rule leaves it out; may be repeated" },
  "no-run": { type: "boolean", about: "suite deploy: do not run the suite afterwards" },
  yes: { type: "boolean", about: "suite: do not ask before files are uploaded that look like secrets" },
} as const;

/** Runs the command that `args` name, out of those that this program has. @returns the exit code */
export async function commandLine(commands: Commands, args: string[]): Promise<number> {
  let running: Command | undefined;
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...flags, help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "v" } },
    });
    if (values.version === true) return print(version);
    const [name, ...words] = positionals;
    if (name === undefined || values.help === true) return print(help(commands));
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) {
      console.error(`There is no command "${name}" here. Commands: ${Object.keys(commands).join(", ")}.`);
      return exitCode.cannotStart;
    }
    running = command;
    dotenv.config({ quiet: true });
    const given = { DATA_DIR: values["data-dir"], PORT: values.port, HOST: values.host };
    return await command.run(
      { ...process.env, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) },
      words,
      flagsOf(values),
    );
  } catch (error) {
    return await tellFailure(error, running);
  }
}

/** A bug is told here: left to Node.js it would come with the line of source that it is on, which is long in an image. */
async function tellFailure(error: unknown, command: Command | undefined): Promise<ExitCode> {
  const told = await usageError(error);
  const code = told?.exitCode ?? exitCode.failed;
  if (command?.logsAs !== undefined && !process.stderr.isTTY) await logFailure(command.logsAs, told?.message ?? error, code);
  else console.error(told?.message ?? error);
  return code;
}

async function logFailure(name: string, failure: unknown, code: ExitCode): Promise<void> {
  const { createLogger } = await import("#daemon/logger.ts");
  const log = createLogger(name, "ERROR", false);
  if (typeof failure === "string") log.error({ exitCode: code }, failure);
  else log.error({ exitCode: code, err: failure }, "it failed by an error of its own");
}

function flagsOf(values: { readonly [name: string]: string | boolean | string[] | undefined }): Flags {
  const text = (name: keyof typeof flags): string | null => (typeof values[name] === "string" ? values[name] : null);
  const texts = (name: keyof typeof flags): readonly string[] => [values[name] ?? []].flat().filter((one) => typeof one === "string");
  const isSet = (name: keyof typeof flags): boolean => values[name] === true;
  return {
    json: isSet("json"),
    proxy: text("proxy"),
    variablesFile: text("variables"),
    explain: isSet("explain"),
    headed: isSet("headed"),
    ui: isSet("ui"),
    url: text("url"),
    ready: isSet("ready"),
    role: text("role"),
    name: text("name"),
    expiresDays: text("expires-days"),
    networks: text("networks"),
    scopes: text("scopes"),
    create: isSet("create"),
    output: text("output"),
    keep: text("keep"),
    withKeys: isSet("with-keys"),
    replace: isSet("replace"),
    distributed: isSet("distributed"),
    newPepper: isSet("new-pepper"),
    dryRun: isSet("dry-run"),
    prune: isSet("prune"),
    location: text("location"),
    telemetry: isSet("telemetry"),
    demoBrowser: isSet("demo-browser"),
    apiKey: text("api-key"),
    yes: isSet("yes"),
    noRun: isSet("no-run"),
    id: text("id"),
    every: text("every"),
    projects: texts("project"),
    grep: text("grep"),
    testCommand: text("test-command"),
    installCommand: text("install-command"),
    workingDir: text("working-dir"),
    engine: text("engine"),
    env: texts("env"),
    secrets: texts("secret"),
    include: texts("include"),
  };
}

/** What the caller can put right: a bad variable, a taken port, an unknown flag. Everything else is a bug and shows its stack. */
async function usageError(error: unknown): Promise<{ readonly message: string; readonly exitCode: ExitCode } | null> {
  const { ConfigError } = await import("#daemon/env.ts"); // on demand: a healthcheck has no use for the schemas behind it
  if (error instanceof ConfigError) return error;
  if (!(error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"))) return null;
  return { message: error.message, exitCode: exitCode.cannotStart };
}

function print(text: string): number {
  console.log(text);
  return exitCode.done;
}

function help(commands: Commands): string {
  const list = (rows: readonly (readonly [string, string])[]): string =>
    rows.map(([name, about]) => `  ${name.padEnd(16)} ${about}`).join("\n");
  return [
    `Outpost ${version}: private-location monitoring\n`,
    "outpost <command> [flags]\n",
    list(Object.entries(commands).map(([name, { about }]) => [name, about] as const)),
    "\nFlags, and the variables that do the same:\n",
    list(Object.entries(flags).map(([name, { about }]) => [`--${name}`, about] as const)),
    "\nExit codes:\n",
    list(Object.entries(exitCodes)),
    "\nSettings come from variables and from .env; docs/configuration.md lists them all.",
  ].join("\n");
}
