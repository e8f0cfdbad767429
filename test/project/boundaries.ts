import { posix } from "node:path";
import { importsOf } from "./imports.ts";

/** Who may import whom inside src/, top folder by top folder. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  domain: ["contract"],
  daemon: ["contract", "domain"],
  agent: ["contract", "domain", "daemon"],
  "control-plane": ["contract", "domain", "daemon"],
  importers: ["contract", "domain"],
  "config-as-code": ["contract", "domain", "daemon", "importers"],
  "suites-cli": ["contract", "domain", "daemon", "importers", "config-as-code"],
};

/** Files at the top of src/ start the processes, so they may import any of them. */
const isStarter = (file: string): boolean => !file.includes("/");

/**
 * The rooms of a process, layer by layer: a room imports rooms of the layers above it here, and no other. What puts a process together lies
 * beside the rooms and imports any of them; nobody imports it.
 */
export const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "control-plane": [
    ["storage", "blob-store", "view"],
    ["figures", "http", "keys", "outgoing", "scheduler", "texts"],
    ["accounts", "mail", "secrets"],
    ["heartbeats", "kinds"],
    ["alerting", "artifacts", "audit", "code-bundles", "pages", "upkeep"],
    ["jobs", "metrics", "subscribers", "trace-viewer"],
    ["root-causes"],
    ["console", "probes", "rest"],
    ["live-results", "projects"],
    ["config.ts"],
    ["handlers-for-agents.ts", "open-store.ts", "start-problem.ts"],
    ["commands", "control-plane.ts", "doctor"],
    ["main.ts"],
  ],
  agent: [
    ["net", "runtimes", "scrub"],
    ["egress", "host", "runners"],
    ["evidence", "judgement", "outbox", "sandbox"],
    ["health", "scripts"],
    ["config.ts"],
    ["contact"],
    ["artifacts"],
    ["playwright"],
    ["agentic", "suites"],
    ["runs", "script-checks"],
    ["agent-parts.ts", "doctor", "local-run"],
    ["drain.ts"],
    ["agent.ts"],
    ["main.ts"],
  ],
};

/** Packages and Node.js modules with an address: everybody else imports our wrapper instead. */
export const homes: readonly { readonly module: RegExp; readonly onlyIn: RegExp }[] = [
  { module: /^(kysely|pg|node:sqlite)$/, onlyIn: /^control-plane\/storage\// },
  { module: /^(fastify|@fastify\/.*|ws)$/, onlyIn: /^control-plane\/http\// },
  { module: /^mqtt-packet$/, onlyIn: /^control-plane\/live-results\// },
  {
    module: /^undici(\/|$)/,
    onlyIn:
      /^(agent\/contact\/control-plane-client|control-plane\/outgoing\/(http-client|proxies)|daemon\/proxy-dispatcher)\.ts$|\/undici-parts\.d\.ts$/,
  },
  { module: /^nodemailer$/, onlyIn: /^control-plane\/mail\/deliver-mail\.ts$/ },
  { module: /^(openid-client|oauth4webapi|jose)$/, onlyIn: /^control-plane\/console\/sign-in\/oidc-provider\.ts$/ },
  { module: /^p-queue$/, onlyIn: /^agent\/runs\/job-queue\.ts$/ },
  { module: /^tar$/, onlyIn: /^(agent\/(artifacts|suites)|control-plane\/(code-bundles|trace-viewer))\/|^suites-cli\/pack-files\.ts$/ },
  { module: /^ignore$/, onlyIn: /^suites-cli\/ignore-rules\.ts$/ },
  { module: /^(pino|pino-pretty)$/, onlyIn: /^daemon\/logger\.ts$/ },
  { module: /^(marked|minisearch)$/, onlyIn: /^control-plane\/pages\/guide\// },
  { module: /^@opentelemetry\//, onlyIn: /^daemon\/telemetry\/(otlp|exporting|log-feed|metric-feed|registry-metrics)\.ts$/ },
  { module: /^dotenv$/, onlyIn: /^command-line\.ts$/ },
  { module: /^(re2js|json-p3)$/, onlyIn: /^domain\/assertions\// },
  { module: /^yaml$/, onlyIn: /^(agent\/local-run\/check-file|importers\/yaml-text|config-as-code\/file)\.ts$/ },
  { module: /^node:ffi$/, onlyIn: /^agent\/(net\/libc\.ts|sandbox\/(keeper|launcher)\.cjs)$/ },
  { module: /^node:timers\/promises$/, onlyIn: /^$/ },
];

/** Pure packages that domain rules may stand on. */
const pure = /^(node:crypto|re2js|json-p3)$/;

/** One sentence per broken rule; `file` is relative to src/. */
export function boundaryProblems(file: string, source: string): string[] {
  const problems: string[] = [];
  const from = file.split("/")[0] ?? "";
  for (const specifier of importsOf(source)) {
    if (specifier.startsWith(".")) problems.push(...relativeProblems(file, from, specifier));
    else if (specifier.startsWith("#")) problems.push(...foreignProblems(file, from, specifier));
    else problems.push(...packageProblems(file, from, specifier));
  }
  return problems;
}

function relativeProblems(file: string, from: string, specifier: string): string[] {
  if (isStarter(file) || (file === "daemon/version.ts" && specifier === "../../package.json")) return [];
  const target = posix.join(posix.dirname(file), specifier);
  const top = target.split("/")[0];
  if (top === from) return layerProblems(file, target);
  return [`${file}: write "${specifier}" as "#${top}/..."`];
}

/** Between rooms of one process. */
function layerProblems(file: string, target: string): string[] {
  const [process = "", mine = ""] = file.split("/");
  const [, theirs = ""] = target.split("/");
  const order = layers[process];
  if (order === undefined || mine === theirs) return [];
  const [from, to] = [mine, theirs].map((room) => order.findIndex((layer) => layer.includes(room)));
  if (from === -1) return [`${file}: give ${mine} a layer in test/project/boundaries.ts`];
  return to !== -1 && from !== undefined && to !== undefined && to < from ? [] : [`${file}: ${mine} may not import ${theirs}`];
}

function foreignProblems(file: string, from: string, specifier: string): string[] {
  if (isStarter(file)) return [];
  const top = specifier.slice(1).split("/")[0] ?? "";
  if (top === from) return [`${file}: inside ${from}, use a relative path instead of "${specifier}"`];
  return (mayImport[from] ?? []).includes(top) ? [] : [`${file}: ${from} may not import ${top}`];
}

function packageProblems(file: string, from: string, specifier: string): string[] {
  const problems: string[] = [];
  if (from === "contract" && specifier !== "zod") problems.push(`${file}: contract may import only zod, not ${specifier}`);
  if (from === "domain" && !pure.test(specifier)) problems.push(`${file}: domain is pure and may not import ${specifier}`);
  for (const home of homes) {
    if (home.module.test(specifier) && !home.onlyIn.test(file)) problems.push(`${file}: ${specifier} is not at home here`);
  }
  return problems;
}
