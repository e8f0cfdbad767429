#!/usr/bin/env node
import { parseArgs } from "node:util";
import dotenv from "dotenv";
import { ConfigError, type Env } from "#daemon/env.ts";
import { version } from "#daemon/version.ts";
import type { RunFlags } from "./agent/run-main.ts";

/** `outpost <command>`: what each command is, and where its code begins. Loaded on demand: an agent needs no web server. */
const commands: Readonly<
  Record<string, { readonly about: string; readonly run: (env: Env, words: readonly string[], flags: RunFlags) => Promise<number> }>
> = {
  up: { about: "control plane, one agent and a demo check, on this machine", run: async (env) => (await import("./up.ts")).up(env) },
  "control-plane": { about: "the control plane alone", run: async (env) => (await import("./control-plane/main.ts")).main(env) },
  agent: {
    about: "an agent alone; needs API_KEY (or API_KEY_FILE) and API_URL",
    run: async (env) => (await import("./agent/main.ts")).main(env),
  },
  doctor: { about: "find out why an agent cannot work here", run: async (env) => (await import("./agent/doctor-main.ts")).main(env) },
  run: {
    about: "run the checks of a file here and now: `outpost run check.yaml`",
    run: async (env, words, flags) => (await import("./agent/run-main.ts")).main(env, words, flags),
  },
  "location-key": {
    about: "issue a key for a location: `outpost location-key eu-west-1`",
    run: async (env, words) => (await import("./control-plane/location-key-main.ts")).main(env, words),
  },
  openapi: { about: "print the OpenAPI document", run: async () => (await import("./control-plane/openapi-main.ts")).main() },
};

const flags = {
  "data-dir": { type: "string", about: "folder for everything that is kept (./data); DATA_DIR" },
  port: { type: "string", about: "port of the control plane (3000); PORT" },
  host: { type: "string", about: "address that the control plane listens on (127.0.0.1); HOST" },
  json: { type: "boolean", about: "run: one line of JSON per check" },
  proxy: { type: "string", about: "run: proxy for API and URL checks, http://user:password@host:port" },
} as const;

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...flags, help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "v" } },
    });
    if (values.version === true) return print(version);
    const [name, ...words] = positionals;
    if (name === undefined || values.help === true) return print(help());
    const command = commands[name];
    if (command === undefined) throw new ConfigError(`There is no command "${name}". Commands: ${Object.keys(commands).join(", ")}.`);
    dotenv.config({ quiet: true });
    const given = { DATA_DIR: values["data-dir"], PORT: values.port, HOST: values.host };
    return await command.run(
      { ...process.env, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) },
      words,
      { json: values.json ?? false, proxy: values.proxy ?? null },
    );
  } catch (error) {
    if (!isUsageError(error)) throw error;
    console.error(error.message);
    return 2;
  }
}

/** What the caller can put right: a bad variable, a taken port, an unknown flag. Everything else is a bug and shows its stack. */
function isUsageError(error: unknown): error is Error {
  if (error instanceof ConfigError) return true;
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function help(): string {
  const list = (rows: readonly (readonly [string, string])[]): string =>
    rows.map(([name, about]) => `  ${name.padEnd(16)} ${about}`).join("\n");
  return [
    `Outpost ${version}: private-location monitoring\n`,
    "outpost <command> [flags]\n",
    list(Object.entries(commands).map(([name, { about }]) => [name, about] as const)),
    "\nFlags, and the variables that do the same:\n",
    list(Object.entries(flags).map(([name, { about }]) => [`--${name}`, about] as const)),
    "\nSettings come from variables and from .env; the README lists them all.",
  ].join("\n");
}
