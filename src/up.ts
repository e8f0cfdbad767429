import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { apiCheck } from "#contract/checks/api.ts";
import { browserCheck } from "#contract/checks/browser.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { createLogger, type Logger } from "#daemon/logger.ts";
import { warnOfMisspelt } from "#daemon/misspelt.ts";
import { sleep } from "#daemon/sleep.ts";
import { createLineTap } from "#daemon/telemetry/line-tap.ts";
import { loadTelemetry } from "#daemon/telemetry/load-telemetry.ts";
import { readAgentConfig } from "./agent/config.ts";
import { checkTexts } from "./check-texts.ts";
import {
  createLocationKey,
  ensurePrivateLocation,
  ensureSetup,
  issueServiceKey,
  type SetupContext,
} from "./control-plane/accounts/setup.ts";
import {
  type Credentials,
  credentialsFile,
  readCredentials,
  writeCredentials,
  writePrivately,
} from "./control-plane/commands/credentials.ts";
import { ControlPlaneEnv, readControlPlaneConfig } from "./control-plane/config.ts";
import { setUpAddress } from "./control-plane/console/people/set-up-token.ts";
import { type ControlPlane, createControlPlane } from "./control-plane/control-plane.ts";
import { wayToCollector } from "./control-plane/outgoing/way-to-collector.ts";
import { createCheckFor } from "./control-plane/rest/create-check-for.ts";
import type { AccountRow } from "./control-plane/storage/storage.ts";

/** With the private location that `up` makes, always. */
type Made = Credentials & { readonly privateLocation: NonNullable<Credentials["privateLocation"]> };

const location = { slugName: "local", name: "This machine" } as const;
const demoName = "Demo: the control plane's own health";
const browserDemoName = "Demo: the console in a browser";
/** Where the receiver listens that the summary proposes. */
const receiverPort = 9_000;
/** The agent's own grace is 25 s; past this it is no longer waited for. */
const agentExitMs = 30_000;
/** For what a collector was not told yet, once all else has stopped. */
const telemetryMs = 1_000;
/** As in the image: less memory under load for a little more CPU (docs/adr/0002-http-engine.md). */
const agentHeapFlags = ["--max-semi-space-size=1"];

/**
 * `outpost up`: the control plane in this process and one agent as a process of its own, until Ctrl-C or SIGTERM.
 * The first start makes an account, its key, a private location with its key, and a demo check.
 *
 * @returns the exit code
 * @throws {ConfigError} naming every bad variable at once, or the port or folder that cannot be used
 */
export async function up(given: Env, { demoBrowser }: { readonly demoBrowser: boolean }): Promise<number> {
  const env = onOneMachine(given);
  const config = readBoth(env);
  const tap = createLineTap(config.collector);
  const log = createLogger("up", config.logLevel, process.stderr.isTTY, tap?.take);
  warnOfMisspelt(log, given, Object.keys(ControlPlaneEnv.shape)); // the agent tells its own
  let made: SetUp | undefined;
  const telemetry = await loadTelemetry(config.collector, () => ({ ...wayToCollector(config, Date.now), log }));
  tap?.leadTo(telemetry.takeLine);
  const controlPlane = await createControlPlane(config, {
    log,
    telemetry,
    checkTexts,
    setUp: async (started) => void (made = await setUp(started, config.dataDir, demoBrowser)),
  });
  const stop = stopSignal();
  await controlPlane.start();
  try {
    const { credentials, checkId, browserCheckId } = made as SetUp; // a start without it fails
    const keyFile = join(config.dataDir, "agent.key");
    await writePrivately(keyFile, credentials.privateLocation.apiKey);
    const agentEnv = {
      AGENT_HEALTH_HOST: "127.0.0.1",
      ...env,
      API_KEY: undefined,
      API_KEY_FILE: keyFile,
      API_URL: controlPlane.address() ?? credentials.baseUrl,
    };
    process.stdout.write(summary(credentials, { checkId, browserCheckId }, config.dataDir, env["AGENT_HEALTH_PORT"] ?? "8081"));
    process.stdout.write(`  Sign in           ${await signInLine(controlPlane, config.publicUrl ?? credentials.baseUrl)}\n\n`);
    return await keepAgent(agentEnv, stop, log);
  } finally {
    await controlPlane.stop(AbortSignal.timeout(10_000));
    await telemetry.stop(telemetryMs);
  }
}

/**
 * Who tries it on one machine also receives alerts there, and looks at traces. Where others reach it, webhooks do not reach what runs beside it unless
 * somebody says so, and the viewer needs a name that they know.
 */
function onOneMachine(env: Env): Env {
  const {
    HOST: host = "127.0.0.1",
    PORT: port = "3000",
    PUBLIC_URL: publicUrl = "",
    WEBHOOK_EGRESS: egress,
    TRACE_VIEWER_URL: viewer,
  } = env;
  if (!["127.0.0.1", "::1", "localhost"].includes(host)) return env;
  const hasViewer = (viewer ?? "") !== "" || publicUrl !== "" || port === "0";
  return {
    ...env,
    ...((egress ?? "") === "" && { WEBHOOK_EGRESS: "127.0.0.0/8,::1" }),
    ...(!hasViewer && { TRACE_VIEWER_URL: `http://traces.localhost:${port}` }),
  };
}

/** What `up` prints may be kept as a log is. */
async function signInLine(controlPlane: ControlPlane, baseUrl: string): Promise<string> {
  const made = await setUpAddress(controlPlane, baseUrl, Date.now());
  if (made === null) return `${baseUrl}/sign-in`;
  return made.isForLogs ? made.address : "nobody can yet: `outpost set-up` prints the address to create the first owner";
}

/** Both processes' variables are checked before either starts, so that all problems are told together. */
function readBoth(env: Env): ReturnType<typeof readControlPlaneConfig> {
  const problems: string[] = [];
  const read = <T>(reader: () => T): T | undefined => {
    try {
      return reader();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const config = read(() => readControlPlaneConfig(env));
  read(() => readAgentConfig({ ...env, API_KEY: "pl_given_later", API_KEY_FILE: undefined, API_URL: "http://127.0.0.1" }));
  if (config !== undefined && config.tls !== null)
    problems.push(
      "TLS_CERT_FILE: outpost up serves its own agent on this machine by plain HTTP; leave it out, or start control-plane and agent apart",
    );
  if (config === undefined || problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config;
}

interface SetUp {
  readonly credentials: Made;
  readonly checkId: string;
  /** Null where it was not asked for. */
  readonly browserCheckId: string | null;
}

async function setUp(controlPlane: ControlPlane, dataDir: string, demoBrowser: boolean): Promise<SetUp> {
  const context = { storage: controlPlane.storage, hashOf: controlPlane.hashOf, nowMs: Date.now };
  const { account, serviceKey } = await ensureSetup(context);
  const here = await ensurePrivateLocation(context, account, location);
  const kept: Partial<Credentials> = (await readCredentials(dataDir)) ?? {};
  const isFirst = kept.privateLocation === undefined;
  const apiKey =
    serviceKey ??
    (await stillGood(context, kept.apiKey)) ??
    (await issueServiceKey(context, account, { role: "OWNER", name: "outpost up" })).rawKey;
  const locationKey =
    (await stillGood(context, kept.privateLocation?.apiKey)) ??
    (await createLocationKey(context, here.uuid, { replaceOldest: true })).rawKey;
  const baseUrl = controlPlane.address() ?? "";
  const privateLocation = { id: here.uuid, slugName: here.code, apiKey: locationKey };
  const credentials = { baseUrl, accountId: account.uuid, apiKey, privateLocation };
  await writeCredentials(dataDir, credentials);
  const checkId = (await demoId(context, account, demoName, isFirst ? demoCheck(baseUrl) : null)) ?? "<id of a check>";
  const browserCheckId = demoBrowser ? await demoId(context, account, browserDemoName, browserDemoCheck(baseUrl)) : null;
  return { credentials, checkId, browserCheckId };
}

/** A key of another database, or a revoked one, is as good as none. */
async function stillGood({ storage, hashOf }: SetupContext, key: string | undefined): Promise<string | undefined> {
  const row = key === undefined ? undefined : await storage.keys.byHash(hashOf(key));
  return row === undefined ? undefined : key;
}

type CheckBody = Parameters<typeof createCheckFor>[2];

/** A demo check's id; it is made of `body` where there is none. Null where there is neither. */
async function demoId(context: SetupContext, account: AccountRow, name: string, body: CheckBody | null): Promise<string | null> {
  const { items } = await context.storage.checks.list(account.id, { page: 1, limit: 1, search: name });
  const demo = items[0] ?? (body === null ? undefined : await createCheckFor(context, account, body));
  return demo?.uuid ?? null;
}

const browserDemoCheck = (baseUrl: string): CheckBody =>
  browserCheck.create.parse({
    name: browserDemoName,
    frequency: 1,
    privateLocations: [location.slugName],
    tags: ["demo"],
    script: `import { expect, test } from "@playwright/test";

test("somebody signs in", async ({ page }) => {
  await page.goto("${baseUrl}/sign-in");
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await test.step("with a key that nobody issued", async () => {
    const key = page.getByLabel("API key");
    // Folded away as soon as there is an owner.
    if (!(await key.isVisible())) await page.getByText("Sign in with an API key").click();
    await key.fill("not a key");
    await key.press("Enter");
  });
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});
`,
  });

const demoCheck = (baseUrl: string): CheckBody =>
  apiCheck.create.parse({
    name: demoName,
    frequency: 0,
    frequencyOffset: 10,
    privateLocations: [location.slugName],
    tags: ["demo"],
    request: {
      method: "GET",
      url: `${baseUrl}/health`,
      assertions: [
        { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
        { source: "JSON_BODY", comparison: "EQUALS", property: "$.status", target: "ok" },
      ],
    },
  });

/** Runs the agent until `stop`, and starts it again when it ends by itself. */
async function keepAgent(env: Env, stop: AbortSignal, log: Logger): Promise<number> {
  for (let failures = 0; !stop.aborted; failures += 1) {
    const child = startAgent(env);
    const code = await agentEnd(child, stop);
    if (stop.aborted) break;
    if (code === 2) return 2;
    log.error({ code }, "the agent ended by itself; starting it again");
    await sleep(Math.min(60_000, 1_000 * 2 ** failures), stop);
  }
  return 0;
}

/**
 * A process group of its own, so that Ctrl-C reaches the agent once, through us. The channel ties the two together: an
 * agent whose parent died sees it close and drains.
 */
function startAgent(env: Env): ChildProcess {
  const program = process.argv[1] ?? "";
  return spawn(process.execPath, [...process.execArgv, ...agentHeapFlags, program, "agent"], {
    env,
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

async function agentEnd(child: ChildProcess, stop: AbortSignal): Promise<number | null> {
  const exited = once(child, "exit");
  let forced: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill("SIGTERM");
    forced = setTimeout(() => child.kill("SIGKILL"), agentExitMs);
  };
  stop.addEventListener("abort", end, { once: true });
  if (stop.aborted) end();
  await exited;
  clearTimeout(forced);
  stop.removeEventListener("abort", end);
  return child.exitCode;
}

/** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => (stop.signal.aborted ? process.exit(1) : stop.abort(name)));
  }
  return stop.signal;
}

function summary(
  { baseUrl, accountId, privateLocation }: Made,
  { checkId, browserCheckId }: Omit<SetUp, "credentials">,
  dataDir: string,
  healthPort: string,
): string {
  const file = credentialsFile(dataDir);
  const key = `$(node -p 'require("${file.startsWith("/") ? file : `./${file}`}").apiKey')`;
  const curl = `curl -s -H "Authorization: Bearer ${key}"`;
  return [
    "",
    `  Outpost is up at ${baseUrl}`,
    "",
    `  account           ${accountId}`,
    `  private location  ${privateLocation.slugName} (${privateLocation.id})`,
    `  demo check        ${checkId}, every 10 seconds`,
    ...(browserCheckId === null ? [] : [`  browser demo      ${browserCheckId}, every minute; outpost doctor says what it needs`]),
    `  credentials       ${file}`,
    `  API reference     ${baseUrl}/docs`,
    `  agent             http://127.0.0.1:${healthPort}/health, /metrics`,
    "",
    "  See results:",
    "",
    `  ${curl} ${baseUrl}/v2/check-results/${checkId}`,
    "",
    ...alertSteps(curl, baseUrl, checkId),
    "",
    "",
  ].join("\n");
}

function alertSteps(curl: string, baseUrl: string, checkId: string): readonly string[] {
  const json = `${curl} -H 'content-type: application/json'`;
  const config = { name: "demo", url: `http://127.0.0.1:${receiverPort}/` };
  const channel = JSON.stringify({ type: "WEBHOOK", config, subscriptions: [{ checkId, activated: true }] });
  return [
    "  See an alert: run the first line in another terminal, add it as a webhook channel, and make the demo check fail (/health: recover):",
    "",
    `  node -e 'require("http").createServer((q, a) => { q.on("end", console.log).pipe(process.stdout); a.end(); }).listen(${receiverPort}, "127.0.0.1")'`,
    `  ${json} ${baseUrl}/v1/alert-channels -d '${channel}'`,
    `  ${json} -X PUT ${baseUrl}/v1/checks/api/${checkId} -d '{"request":{"method":"GET","url":"${baseUrl}/gone"}}'`,
  ];
}
