import type { CheckResult } from "../../../src/contract/check-results.ts";
import { type OutpostProcess, until } from "../processes.ts";
import type { AgentProcess, Site } from "../site.ts";
import type { Planted } from "./plant.ts";
import { filesBelow, type Trace } from "./search.ts";
import type { TellingTargets } from "./telling-targets.ts";

const probes = ["/health", "/metrics", "/-/readiness", "/-/liveness"] as const;

/** What happens to an account full of secrets: runs that fail, an outage, a killed agent, a crash. Keeps every trace on the way. */
export class Story {
  readonly sessions: string[] = [];
  readonly #site: Site;
  readonly #planted: Planted;
  readonly #targets: TellingTargets;
  readonly #env: Readonly<Record<string, string>>;
  readonly #processes: { readonly name: string; readonly process: OutpostProcess }[] = [];
  readonly #traces: Trace[] = [];
  #direct!: AgentProcess; // `runEverything` comes first
  #proxied!: AgentProcess;

  constructor(site: Site, planted: Planted, targets: TellingTargets, agentEnv: Readonly<Record<string, string>>) {
    this.#site = site;
    this.#planted = planted;
    this.#targets = targets;
    this.#env = agentEnv;
    this.#watch("control plane", site.controlPlane);
  }

  /** Each check runs and fails, is tried again, and leaves evidence and artifacts. */
  async runEverything(): Promise<void> {
    const { keys, checks, proxiedCheck } = this.#planted;
    this.#direct = this.#agent("agent", keys.direct);
    this.#proxied = this.#agent("proxied agent", keys.proxied);
    await Promise.all([this.#direct.ready(), this.#proxied.ready()]);
    await this.#run(...Object.values(checks), proxiedCheck);
    for (const id of [checks["long"], checks["gzip"], checks["zip"], checks["tar"]]) await this.#artifactOf(id ?? "");
    await this.#probe();
    this.#keepFiles("while it runs");
  }

  /** Results wait on the disk of an agent that is killed; the next one brings them. */
  async loseTheControlPlane(): Promise<void> {
    const { heldCheck, keys } = this.#planted;
    this.#targets.hold();
    const [session] = await this.#site.trigger(heldCheck);
    if (session === undefined) throw new Error("nothing was triggered");
    await until("the request", () => this.#targets.waiting() > 0);
    await this.#site.controlPlane.kill();
    this.#targets.release();
    await until("a result in the outbox", async () => (await this.#direct.health()).outbox.depth > 0);
    await this.#probe();
    this.#keepFiles("in an outage");
    await this.#direct.kill();
    this.#keepFiles("after a kill");
    await this.#site.startControlPlane();
    this.#watch("second control plane", this.#site.controlPlane);
    this.#direct = await this.#agent("second agent", keys.direct, { DATA_DIR: this.#direct.folder }).ready();
    this.sessions.push(session.checkSessionId);
    await this.#site.ended(session, 90_000);
  }

  /** A bug with every secret in its message ends an agent. */
  async crash(): Promise<void> {
    await this.#proxied.ready();
    this.#proxied.signal("SIGUSR2");
    await this.#proxied.exit();
    const { id } = (await this.#site.api<{ id: string; slugName: string }[]>("GET", "/v1/private-locations")).find(isProxied) ?? { id: "" };
    await until("the error event", async () => {
      const events = await this.#site.api<{ message: string }[]>("GET", `/v1/private-locations/${id}/error-events`);
      return events.some(({ message }) => message.includes("nobody thought of this"));
    });
    this.#keepFiles("after a crash");
  }

  async stopEverything(): Promise<void> {
    await this.#probe();
    this.#direct.signal("SIGTERM");
    await this.#direct.exit();
    this.#site.controlPlane.signal("SIGTERM");
    await this.#site.controlPlane.exit();
    this.#keepFiles("at the end");
  }

  traces(): Trace[] {
    const logs = this.#processes.map(({ name, process: { stdout, stderr } }) => ({
      place: `log of the ${name}`,
      bytes: Buffer.from(stdout + stderr),
    }));
    return [...logs, ...this.#traces];
  }

  async #run(...checkIds: readonly string[]): Promise<void> {
    const sessions = await this.#site.trigger(...checkIds);
    for (const session of sessions) {
      this.sessions.push(session.checkSessionId);
      await this.#site.ended(session, 120_000);
    }
  }

  async #artifactOf(checkId: string): Promise<void> {
    await until("an artifact", async () => {
      const results: CheckResult[] = await this.#site.results(checkId);
      return results.some(({ assets }) => (assets?.length ?? 0) > 0);
    });
  }

  async #probe(): Promise<void> {
    for (const path of probes) {
      const replies = await Promise.all([
        this.#direct.probe(path),
        this.#proxied.probe(path),
        fetch(this.#site.base + path).then(
          async (reply) => ({ text: await reply.text() }),
          () => undefined, // it is away just now
        ),
      ]);
      this.#traces.push({ place: path, bytes: Buffer.from(replies.map((reply) => reply?.text ?? "").join("\n")) });
    }
  }

  #agent(name: string, key: string, env: Readonly<Record<string, string>> = {}): AgentProcess {
    const agent = this.#site.agent(key, { ...this.#env, ...env });
    this.#watch(name, agent);
    return agent;
  }

  #watch(name: string, process: OutpostProcess): void {
    this.#processes.push({ name, process });
  }

  #keepFiles(when: string): void {
    for (const { folder } of [this.#direct, this.#proxied]) this.#traces.push(...filesBelow(folder, `files of an agent ${when}`));
  }
}

function isProxied({ slugName }: { readonly slugName: string }): boolean {
  return slugName === "proxied";
}
