import { mkdtempSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { checkTexts } from "../../src/check-texts.ts";
import type { CheckGap } from "../../src/contract/check-gaps.ts";
import type { CheckResult } from "../../src/contract/check-results.ts";
import type { CheckSession, CheckSessionWithResults } from "../../src/contract/check-sessions.ts";
import { ensureSetup } from "../../src/control-plane/accounts/setup.ts";
import { readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { createControlPlane } from "../../src/control-plane/control-plane.ts";
import { issuedCanary, wildCanary } from "./canary/canary.ts";
import { filesBelow, quick, searchFor } from "./canary/search.ts";
import { freePort } from "./free-ports.ts";
import { copyMigratedStore } from "./migrated-store.ts";
import { OutpostProcess, until } from "./processes.ts";

/** Short times, so that leases end within a test. A lease that was never acknowledged ends with the lease here. */
const quickTimes = { LEASE_SECONDS: "5", HEARTBEAT_SECONDS: "1", AGENT_POLL_WAIT_SECONDS: "5", QUEUE_WAIT_SECONDS: "120" };
/** Receivers of tests are on this machine. */
const toHere = { WEBHOOK_EGRESS: "127.0.0.0/8,::1" };
const noRateLimits = { RATE_LIMIT_STANDARD: "1000000/60", RATE_LIMIT_PAGES: "1000000/60", RATE_LIMIT_RESULTS: "1000000/60" };

export interface SiteOptions {
  /** PostgreSQL; SQLite when absent. */
  readonly databaseUrl?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Probe {
  readonly status: number;
  readonly text: string;
}

/** What `/health` of an agent tells, as far as tests ask. */
export interface AgentHealth {
  readonly state: string;
  readonly jobs: { readonly running: number; readonly held: number };
  readonly outbox: { readonly depth: number; readonly inMemory: number };
  readonly sandbox: { readonly level: number; readonly limitation: string | null };
}

/** An agent's process with its probes and its own data folder, which stays for the next start. */
export class AgentProcess extends OutpostProcess {
  readonly folder: string;
  #port = 0;

  constructor(env: Readonly<Record<string, string>>, folder: string, through: readonly string[] = []) {
    super(["agent"], env, folder, through);
    this.folder = folder;
  }

  /** Resolves when its probes answer. */
  async started(): Promise<this> {
    this.#port = Number((await this.logged("agent started"))["healthPort"]);
    return this;
  }

  /** Resolves when it is connected and takes jobs. */
  async ready(): Promise<this> {
    await this.started();
    await until("a ready agent", async () => (await this.probe("/-/readiness"))?.status === 200);
    return this;
  }

  /** Undefined when nobody answers. */
  async probe(path: string): Promise<Probe | undefined> {
    try {
      const reply = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
        headers: { connection: "close" },
        signal: AbortSignal.timeout(5_000),
      });
      return { status: reply.status, text: await reply.text() };
    } catch {
      return undefined;
    }
  }

  /** @throws when nobody answers */
  async health(): Promise<AgentHealth> {
    const reply = await this.probe("/health");
    return JSON.parse(reply?.text ?? "") as AgentHealth;
  }
}

/** A control plane as a process, with an account and its key; agents come on demand. Everything ends and goes with it. */
export class Site implements AsyncDisposable {
  readonly folder: string;
  readonly base: string;
  readonly port: number;
  /** Where its processes live, a data folder and the database's URL among it. */
  readonly env: Readonly<Record<string, string>>;
  controlPlane!: OutpostProcess; // `start` is the only way to a Site, and sets it
  #key = "";
  readonly #agents: AgentProcess[] = [];
  /** A secret of every agent; with the keys it must never stand in what is left at the end. */
  readonly #secret = wildCanary("SERVICE_SECRET_* of every agent");
  readonly #agentKeys = new Set<string>();

  private constructor(folder: string, port: number, { databaseUrl, env = {} }: SiteOptions) {
    this.folder = folder;
    this.port = port;
    this.base = `http://127.0.0.1:${port}`;
    const store: Record<string, string> = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
    this.env = { DATA_DIR: join(folder, "control-plane"), PORT: String(port), ...quickTimes, ...toHere, ...noRateLimits, ...store, ...env };
  }

  static async start(options: SiteOptions = {}): Promise<Site> {
    const site = new Site(await mkdtemp(join(tmpdir(), "outpost-e2e-")), await freePort(), options);
    await site.#setUp();
    await site.startControlPlane();
    return site;
  }

  /** The first account and its key, before the process is there: `outpost up` does the same. */
  async #setUp(): Promise<void> {
    if (this.env["DATABASE_URL"] === undefined) await copyMigratedStore(this.env["DATA_DIR"] ?? "");
    const controlPlane = await createControlPlane(readControlPlaneConfig(this.env), { log: pino({ level: "silent" }), checkTexts });
    const { serviceKey } = await ensureSetup({ ...controlPlane, nowMs: Date.now });
    await controlPlane.stop(AbortSignal.timeout(5_000));
    this.#key = serviceKey ?? "";
  }

  async startControlPlane(): Promise<void> {
    this.controlPlane = new OutpostProcess(["control-plane"], this.env, this.folder);
    await this.controlPlane.logged("control plane is ready");
  }

  /** Runs a command to its end in the control plane's environment. */
  async run(...words: readonly string[]): Promise<{ readonly code: number | string; readonly stdout: string; readonly stderr: string }> {
    await using command = new OutpostProcess(words, this.env, this.folder);
    const code = await command.exit(200_000);
    return { code, stdout: command.stdout, stderr: command.stderr };
  }

  /**
   * Starts an agent.
   *
   * @param env `DATA_DIR` of an earlier agent goes on with its outbox
   * @param through what it is started by, such as a network namespace
   */
  agent(key: string, env: Readonly<Record<string, string>> = {}, through: readonly string[] = []): AgentProcess {
    const folder = mkdtempSync(join(this.folder, "agent-"));
    const own = {
      API_KEY: key,
      API_URL: this.base,
      AGENT_HEALTH_PORT: "0",
      AGENT_HEALTH_HOST: "127.0.0.1",
      DATA_DIR: folder,
      SHUTDOWN_GRACE_SECONDS: "15",
      LOG_LEVEL: "DEBUG",
      SERVICE_SECRET_PLANTED: this.#secret.value,
    };
    this.#agentKeys.add(key);
    const agent = new AgentProcess({ ...own, ...env }, folder, through);
    this.#agents.push(agent);
    return agent;
  }

  /** Of the account, with the role OWNER. */
  get ownerKey(): string {
    return this.#key;
  }

  /** A file, still to be read. */
  fetch(path: string): Promise<Response> {
    return fetch(`${this.base}${path}`, { headers: { authorization: `Bearer ${this.#key}` }, signal: AbortSignal.timeout(60_000) });
  }

  /** @throws for every answer that is no success */
  async api<T>(method: string, path: string, body?: object): Promise<T> {
    const reply = await fetch(`${this.base}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(40_000),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  /** Makes a private location. @returns a key for its agents */
  async location(slugName: string): Promise<string> {
    const made = await this.api<{ keys: { rawKey: string }[] }>("POST", "/v1/private-locations", { name: slugName, slugName });
    return made.keys[0]?.rawKey ?? "";
  }

  /** An API check that runs only when triggered, without retries, and may take long, unless `body` says otherwise. @returns its id */
  async check(url: string, privateLocations: readonly string[], body: object = {}): Promise<string> {
    const request = { method: "GET", url, assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200" }] };
    const rest = { runParallel: true, frequency: 1440, retryStrategy: null, degradedResponseTime: 20_000 };
    const check = { name: url, privateLocations, ...rest, request, ...body };
    return (await this.api<{ id: string }>("POST", "/v1/checks/api", check)).id;
  }

  /** Ends its schedule. */
  pause(checkId: string): Promise<unknown> {
    return this.api("PUT", `/v1/checks/api/${checkId}`, { activated: false });
  }

  async trigger(...checkId: readonly string[]): Promise<CheckSession[]> {
    return (await this.api<{ sessions: CheckSession[] }>("POST", "/v2/check-sessions/trigger", { target: { checkId } })).sessions;
  }

  session(id: string): Promise<CheckSessionWithResults> {
    return this.api("GET", `/v2/check-sessions/${id}`);
  }

  /** Waits for the session's end. */
  ended({ checkSessionId }: CheckSession, limitMs = 40_000): Promise<CheckSessionWithResults> {
    return until(
      `the end of session ${checkSessionId}`,
      async () => {
        const session = await this.session(checkSessionId);
        return session.stoppedAt !== null && session;
      },
      limitMs,
    );
  }

  /** All results of a check, newest first, page by page. */
  async results(checkId: string, resultType = "ALL"): Promise<CheckResult[]> {
    const all: CheckResult[] = [];
    for (let nextId: string | null = ""; nextId !== null; ) {
      const cursor: string = nextId === "" ? "" : `&nextId=${encodeURIComponent(nextId)}`;
      const page: { entries: CheckResult[]; nextId: string | null } = await this.api(
        "GET",
        `/v2/check-results/${checkId}?resultType=${resultType}&limit=100${cursor}`,
      );
      all.push(...page.entries);
      nextId = page.nextId;
    }
    return all;
  }

  /** Slots of a check that never became a run, newest first: the first hundred. */
  gaps(checkId: string): Promise<CheckGap[]> {
    return this.api("GET", `/v1/checks/${checkId}/gaps?limit=100`);
  }

  /** @throws when a key or the planted secret stands in a log, or in a file of an agent */
  async [Symbol.asyncDispose](): Promise<void> {
    const processes = [...this.#agents, this.controlPlane];
    await Promise.all(processes.map((child) => child[Symbol.asyncDispose]()));
    const logs = processes.map(({ stdout, stderr }, index) => ({ place: `log ${index}`, bytes: Buffer.from(stdout + stderr) }));
    const files = this.#agents.flatMap(({ folder }) => filesBelow(folder, "agent"));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }); // an agent that is killed may still write
    const keys = [this.#key, ...this.#agentKeys].map((key) => issuedCanary("key", key));
    const found = searchFor([this.#secret, ...keys], quick)([...logs, ...files]);
    if (found.length > 0)
      throw new Error(`secrets got out: ${found.map(({ canary, place, path }) => `${canary.name} in ${place}: ${path}`).join("; ")}`);
  }
}
