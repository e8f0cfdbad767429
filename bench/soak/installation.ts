import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clockBy } from "../../test/support/faketime.ts";
import { type FlakyProxy, flakyProxy } from "../../test/support/flaky-proxy.ts";
import { freePort } from "../../test/support/free-ports.ts";
import { type HttpServer, httpServer } from "../../test/support/http-servers/http-server.ts";
import { type SetUpSite, setUpControlPlane } from "../support/control-plane.ts";
import { type Rest, restOf } from "../support/rest.ts";
import { createWebhook } from "../support/webhooks.ts";
import { Acknowledged } from "./acknowledged.ts";
import { Disk } from "./disk.ts";
import { fillHistory, pastChecks } from "./history.ts";
import { Living } from "./living.ts";
import { type AlertReceiver, alertReceiver } from "./receiver.ts";
import { postgresStore, type Store, sqliteStore } from "./store.ts";

export const periodMs = 10_000;
const places = ["berlin", "paris"] as const;
/** Of those that follow from the number, one in so many fails for a minute each two minutes. */
const flapsOneIn = 20;
export const flaps = (number: number): boolean => number % flapsOneIn === 0;

interface Parts {
  readonly store: Store;
  readonly storeDisk: Disk;
  readonly agentDisk: Disk;
  readonly target: HttpServer;
  readonly receiver: AlertReceiver;
  readonly site: SetUpSite;
  readonly folder: string;
}

/** Control planes on one store, two agents at each of two locations, each with its own way to them. */
export class Installation implements AsyncDisposable {
  readonly store: Store;
  readonly storeDisk: Disk;
  readonly agentDisk: Disk;
  readonly receiver: AlertReceiver;
  readonly checkIds: readonly string[];
  readonly acknowledged = new Acknowledged();
  readonly controlPlanes: Living[] = [];
  readonly agents: Living[] = [];
  readonly ways: FlakyProxy[] = [];
  readonly #parts: Parts;
  readonly #ports = new Map<Living, number>();
  #turn = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.store = parts.store;
    this.storeDisk = parts.storeDisk;
    this.agentDisk = parts.agentDisk;
    this.receiver = parts.receiver;
    this.checkIds = parts.site.checkIds;
  }

  static async start(engine: "sqlite" | "postgres", folder: string, checks: number): Promise<Installation> {
    const storeDisk = new Disk(join(folder, "store"), 3_000);
    const agentDisk = new Disk(join(folder, "agents"), 200);
    const dataDir = join(storeDisk.folder, "data");
    const store = engine === "sqlite" ? sqliteStore(dataDir) : await postgresStore(join(storeDisk.folder, "postgres"));
    const target = await flappingTarget();
    const receiver = await alertReceiver();
    const url = (number: number): string => `${target.url}/${flaps(number) ? "flaps" : "works"}/${number}`;
    const made = await setUpControlPlane(dataDir, {
      checks: checks + pastChecks,
      url: target.url,
      env: store.env,
      locations: places,
      change: (number) => ({
        ...settingsOf(number),
        activated: number < checks,
        request: { method: "GET", url: url(number), assertions: [isOk] },
      }),
    });
    const site = { ...made, checkIds: made.checkIds.slice(0, checks) };
    console.log(`${await fillHistory(dataDir, store.env["DATABASE_URL"], site.checkIds)} results of the two days before`);
    const installation = new Installation({ store, storeDisk, agentDisk, target, receiver, site, folder });
    for (const who of ["control-planes", "agents"] as const) installation.setClock(who, 0);
    for (let n = 0; n < (engine === "sqlite" ? 1 : 3); n += 1) await installation.#addControlPlane(n, dataDir);
    await createWebhook(
      installation.rest(),
      receiver.url,
      site.checkIds.filter((_, number) => flaps(number)),
    );
    for (let n = 0; n < 4; n += 1) await installation.#addAgent(n, site.locationKeys[n % places.length] ?? "");
    return installation;
  }

  /** Steps their wall clock to so much off this machine's; monotonic time goes on. */
  setClock(who: "control-planes" | "agents", offMs: number): void {
    writeFileSync(this.#clock(who), `${offMs < 0 ? "-" : "+"}${Math.abs(offMs) / 1_000}`);
  }

  /** Asks one of the control planes that serve. */
  rest(): Rest {
    return (...words) => restOf(`http://127.0.0.1:${this.#servingPort()}`, this.#parts.site.apiKey)(...words);
  }

  #clock(who: "control-planes" | "agents"): string {
    return join(this.#parts.folder, `clock-of-${who}`);
  }

  /** As a balancer that sees who serves. */
  #servingPort(): number {
    const serving = this.controlPlanes.filter(({ isServing }) => isServing);
    const candidates = serving.length > 0 ? serving : this.controlPlanes;
    this.#turn += 1;
    return this.#ports.get(candidates[this.#turn % candidates.length] as Living) ?? 0;
  }

  async #addControlPlane(n: number, dataDir: string): Promise<void> {
    const port = await freePort();
    const env = {
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: "WARN",
      WEBHOOK_EGRESS: "127.0.0.0/8",
      RATE_LIMIT_STANDARD: "1000000/60",
      RATE_LIMIT_RESULTS: "1000000/60",
      RATE_LIMIT_ALERT_NOTIFICATIONS: "1000000/60",
      ...this.store.env,
      ...clockBy(this.#clock("control-planes"), 1),
    };
    const health = `http://127.0.0.1:${port}/-/readiness`;
    const living = new Living("control-plane", `control plane ${n}`, env, health, this.#parts.folder);
    this.#ports.set(living, port);
    this.controlPlanes.push(living);
    living.start();
    await living.ready();
  }

  async #addAgent(n: number, key: string): Promise<void> {
    const [port, way] = [await freePort(), await flakyProxy(() => this.#servingPort())];
    way.onReply((path, part) => this.acknowledged.read(path, part));
    const env = {
      API_KEY: key,
      API_URL: way.url,
      AGENT_HEALTH_PORT: String(port),
      DATA_DIR: join(this.agentDisk.folder, String(n)),
      JOB_CONCURRENCY: "50",
      LOG_LEVEL: "WARN",
      ...clockBy(this.#clock("agents"), 1),
    };
    const living = new Living("agent", `agent ${n}`, env, `http://127.0.0.1:${port}/-/readiness`, this.#parts.folder);
    this.ways.push(way);
    this.agents.push(living);
    living.start();
    await living.ready();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.agents, ...this.controlPlanes].map((living) => living.end("SIGTERM")));
    for (const way of this.ways) await way[Symbol.asyncDispose]();
    await this.#parts.target[Symbol.asyncDispose]();
    await this.receiver[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    this.storeDisk.remove();
    this.agentDisk.remove();
  }
}

const isOk = { source: "STATUS_CODE", comparison: "EQUALS", target: "200" } as const;

/** Those that flap are at one location, and tell at once; of the others one in ten is at both in turn. */
function settingsOf(number: number) {
  const inTurn = number % 10 === 1;
  const privateLocations = inTurn ? [...places] : [places[number % 3 === 0 ? 0 : 1]];
  if (!flaps(number)) return { privateLocations, runParallel: false };
  return {
    privateLocations,
    runParallel: false,
    retryStrategy: null,
    useGlobalAlertSettings: false,
    alertSettings: { escalationType: "RUN_BASED", runBasedEscalation: { failedRunThreshold: 1 }, confirmation: "NONE" },
  } as const;
}

/** Counts the requests of each path in a header: in their order by true time. */
async function flappingTarget(): Promise<HttpServer> {
  const counts = new Map<string, number>();
  return httpServer((request, response) => {
    const path = request.url ?? "";
    const nth = (counts.get(path) ?? 0) + 1;
    counts.set(path, nth);
    const [, what, number] = path.split("/");
    const isDown = what === "flaps" && Math.floor(performance.now() / 60_000 + Number(number) / 100) % 2 === 1;
    response.writeHead(isDown ? 500 : 200, { "content-type": "text/plain", "x-nth": String(nth) }).end("counted");
  });
}
