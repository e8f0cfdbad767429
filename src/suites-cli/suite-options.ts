import { playwrightDefaults } from "#contract/checks/playwright.ts";
import { scriptedFrequencies } from "#contract/checks/scripted.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { testCommand as readCommand } from "#domain/test-command.ts";

/** Options of `outpost suite` as they were typed; null and empty where they were not. */
export interface SuiteFlags {
  readonly name: string | null;
  readonly id: string | null;
  readonly location: string | null;
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

export interface SuiteVariable {
  readonly key: string;
  readonly value: string;
  readonly secret: boolean;
}

/** What the check of a suite is to be. What nobody said is null: the check keeps it, and a new one has its default. */
export interface SuiteOptions {
  readonly name: string | null;
  readonly id: string | null;
  readonly locations: readonly string[];
  /** Minutes between runs. */
  readonly frequency: number | null;
  readonly testCommand: string | null;
  readonly installCommand: string | null;
  readonly engine: "node" | "bun" | null;
  readonly variables: readonly SuiteVariable[];
  readonly workingDir: string | null;
  readonly include: readonly string[];
  /** Whether the test command names a configuration of Playwright itself. */
  readonly namesConfig: boolean;
}

/** Reads options. @param env gives the values of secrets @throws {ConfigError} naming the option */
export function suiteOptions(flags: SuiteFlags, env: Env): SuiteOptions {
  const { name, id, location, engine, installCommand, workingDir, include } = flags;
  if (engine !== null && engine !== "node" && engine !== "bun") throw new ConfigError(`--engine must be node or bun; received ${engine}`);
  if (id !== null && (id === "" || id.length > longestId)) throw new ConfigError(`--id must have 1 to ${longestId} characters`);
  const command = testCommandOf(flags);
  return {
    name,
    id,
    locations:
      location === null
        ? []
        : location
            .split(",")
            .map((one) => one.trim())
            .filter((one) => one !== ""),
    frequency: flags.every === null ? null : minutesIn(flags.every),
    testCommand: command,
    installCommand,
    engine,
    variables: [...flags.env.map(variableIn), ...flags.secrets.map((key) => secretOf(key, env))],
    workingDir,
    include,
    namesConfig: command !== null && namesConfig(command),
  };
}

/** Whether a test command says which configuration of Playwright it runs by. */
export function namesConfig(testCommand: string): boolean {
  return /\s(?:--config|-c)[\s=]/.test(testCommand);
}

export const longestId = 200;

/** `10m`, `2h`, `1d`, or minutes alone. @throws {ConfigError} */
function minutesIn(text: string): number {
  const [, count, unit = "m"] = /^(\d+)(m|h|d)?$/.exec(text.trim()) ?? [];
  const minutes = Number(count) * { m: 1, h: 60, d: 1440 }[unit as "m" | "h" | "d"];
  if ((scriptedFrequencies as readonly number[]).includes(minutes)) return minutes;
  const allowed = scriptedFrequencies.map((one) => (one < 60 ? `${one}m` : `${one / 60}h`)).join(", ");
  throw new ConfigError(`--every must be one of ${allowed}; received ${text}`);
}

/** Options that choose tests go to the end of the command. */
function testCommandOf({ testCommand, grep, projects }: SuiteFlags): string | null {
  if (testCommand === null && grep === null && projects.length === 0) return null;
  const chosen = [...(grep === null ? [] : [["--grep", grep]]), ...projects.map((one) => ["--project", one])];
  for (const [option, value = ""] of chosen) {
    if (value === "" || /[\r\n]/.test(value)) throw new ConfigError(`${option} must be one line with something in it`);
  }
  const command = [
    testCommand ?? playwrightDefaults.testCommand,
    ...chosen.map(([option, value = ""]) => `${option}=${quoted(value)}`),
  ].join(" ");
  const read = readCommand(command);
  if ("problem" in read) throw new ConfigError(`--test-command: ${read.problem}`);
  return command;
}

/** As a POSIX shell reads a word. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function variableIn(text: string): SuiteVariable {
  const at = text.indexOf("=");
  if (at < 0)
    throw new ConfigError(`--env must be KEY=VALUE; received ${keyOf("--env", text)}. --secret KEY takes a secret from the environment`);
  return { key: keyOf("--env", text.slice(0, at)), value: text.slice(at + 1), secret: false };
}

function secretOf(text: string, env: Env): SuiteVariable {
  if (text.includes("="))
    throw new ConfigError(
      "--secret must be the name of a variable of your environment, without its value: command lines are seen by others",
    );
  const key = keyOf("--secret", text);
  const value = env[key];
  if (value === undefined || value === "") throw new ConfigError(`--secret ${key}: the environment has no ${key}; set it, then try again`);
  return { key, value, secret: true };
}

function keyOf(option: string, key: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(key)) return key;
  throw new ConfigError(`${option}: a name must be letters, digits and underscores, not beginning with a digit`);
}
