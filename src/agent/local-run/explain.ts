import { isOneScriptType, scriptLimitMs } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { AgentEnv } from "../config.ts";
import type { PlaywrightEngine, PlaywrightType } from "../playwright/playwright-engine.ts";
import type { EgressWall, SandboxLevel } from "../sandbox/sandbox.ts";
import { lineWidth, type Paint, plain, wrap } from "./layout.ts";
import type { LocalCheck } from "./local-check.ts";
import { hasScripts, localRun, type VariableSources } from "./local-material.ts";
import type { LocalScripting } from "./scripting.ts";

type Settings = Pick<AgentEnv, "TARGET_ALLOW_CIDR" | "TARGET_DENY_CIDR" | "TARGET_MODE" | "BROWSER_MEMORY_MB" | "BROWSER_SCREENSHOTS">;

/** What a check would run in. */
export interface Explained {
  readonly scripting: LocalScripting;
  readonly engine: PlaywrightEngine | null;
  readonly settings: Settings;
  readonly sources: VariableSources;
  readonly proxyUrl: string | null;
  /** Of checks that are a prompt; null where none is set. */
  readonly model: string | null;
}

const labelWidth = 14;

/** What holds a check, by what this machine proved, in lines of at most 80 columns. Nothing of the check runs; of variables names are told alone. */
export function explain(check: LocalCheck, about: Explained, paint: Paint): string[] {
  const rows = rowsOf(check, about);
  return [
    paint("bold", plain(`${check.name ?? "the check"} (${check.type})`)),
    ...[...rows, ...ofAll(check, about)].flatMap(([label, text]) =>
      wrap(plain(text), lineWidth - 2 - labelWidth, 8).map((line, index) =>
        `  ${paint("dim", (index === 0 ? label : "").padEnd(labelWidth))}${line}`.trimEnd(),
      ),
    ),
  ];
}

function rowsOf(check: LocalCheck, about: Explained): Row[] {
  const { type } = check;
  if (isOneScriptType(type)) return ofScript(check, type, about);
  const { runsOn } = traitsOf(type);
  if (runsOn !== null) return [...ofScript(check, runsOn, about), ["led by", about.model ?? `nobody: set ${traitsOf(type).needs}`]];
  return hasScripts(check) ? aroundProbe(check, about) : ofProbe();
}

type Row = readonly [label: string, text: string];

const ofProbe = (): Row[] => [["runs in", "the agent's own process, as it has no code of yours"]];

function aroundProbe(check: LocalCheck, { scripting }: Explained): Row[] {
  const { sandbox } = scripting;
  const runtimeId = scripting.runtimeOf(check) ?? "";
  const level = sandbox.levels.get(runtimeId) ?? 0;
  return [
    ["runs in", "the agent's own process; its scripts in one of theirs, with no file, no program and no socket but its way out"],
    ["runtime", runtimeId],
    ["held by", `${levels[level]}${sandbox.limitation === null ? "" : ` (${sandbox.limitation})`}`],
    ["way out", walls[sandbox.egressWall]],
  ];
}

function ofScript(check: LocalCheck, type: PlaywrightType, { scripting, engine, settings }: Explained): Row[] {
  const runtimeId = scripting.runtimeOf(check) ?? "";
  const offer = engine?.offers.get(runtimeId);
  if (engine === null || offer === undefined || !offer.types.includes(type))
    return [["does not run", offer?.limitation ?? `runtime ${runtimeId} is not installed: outpost runtime install ${runtimeId}`]];
  const hasBrowser = traitsOf(type).seats === "browser";
  const browser: Row[] = hasBrowser
    ? [["browser", `${engine.browser ?? "none"}, one for this run, in a fence of its own: no file, variable or memory of the script`]]
    : [["browser", "none: it may not even be read"]];
  const pictures = settings.BROWSER_SCREENSHOTS && hasBrowser ? "picture and trace" : "trace";
  return [
    ["runs in", "a tree of processes that ends with the run; it writes one folder, which goes with it"],
    ["runtime", `${runtimeId}, Playwright ${offer.playwrightVersion}`],
    ...browser,
    ["held by", levels[engine.level]],
    ["way out", walls[engine.egressWall]],
    ["limits", `${scriptLimitMs / 1_000} s, ${settings.BROWSER_MEMORY_MB} MB of memory`],
    ["evidence", `${pictures} of tests that fail, scrubbed of what is secret`],
  ];
}

const levels: Readonly<Record<SandboxLevel, string>> = {
  0: "nothing: it is refused",
  1: "level 1: the permission model of Node.js, and limits",
  2: "level 2: Landlock and a filter of system calls",
  3: "level 3: namespaces by bubblewrap, and a filter of system calls",
};
const walls: Readonly<Record<EgressWall, string>> = {
  kernel: "its own proxy in the agent alone, and the kernel holds it to that",
  process: "its own proxy in the agent, held by settings alone (the kernel does from Linux 6.7 on)",
};

function ofAll(check: LocalCheck, { settings, sources, proxyUrl, scripting }: Explained): Row[] {
  const { material } = localRun(check, proxyUrl, sources, scripting.runtimeOf(check));
  const names = material.variables.map(({ key, isSecret }) => (isSecret ? `${key} (secret)` : key));
  const rules = [
    settings.TARGET_MODE === "default" ? "all but cloud metadata and link-local addresses" : `TARGET_MODE=${settings.TARGET_MODE}`,
    ...named("allowed", settings.TARGET_ALLOW_CIDR),
    ...named("denied", settings.TARGET_DENY_CIDR),
    ...(proxyUrl === null ? [] : ["through --proxy"]),
  ];
  return [
    ["targets", rules.join("; ")],
    ["variables", names.length === 0 ? "none" : names.join(", ")],
    ["certificates", "none here: an agent gets the client certificates of the account with its job"],
  ];
}

function named(what: string, list: readonly string[]): string[] {
  return list.length === 0 ? [] : [`${what} ${list.join(", ")}`];
}
