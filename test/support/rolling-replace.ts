import { setTimeout as pause } from "node:timers/promises";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { Container } from "./containers.ts";
import { freePort } from "./free-ports.ts";
import { expectNothingLost } from "./oracle.ts";
import { until } from "./processes.ts";
import type { Site } from "./site.ts";

const periodSeconds = 10;

/** An agent of the image, beside a site's control plane. */
export class AgentContainer extends Container {
  readonly #readiness: string;

  private constructor(env: Readonly<Record<string, string>>, port: number) {
    super("agent-uptime", [], { env: { ...env, AGENT_HEALTH_PORT: String(port), AGENT_HEALTH_HOST: "127.0.0.1" } });
    this.#readiness = `http://127.0.0.1:${port}/-/readiness`;
  }

  static async start(env: Readonly<Record<string, string>>): Promise<AgentContainer> {
    return new AgentContainer(env, await freePort());
  }

  async ready(): Promise<this> {
    const answers = (): Promise<boolean> =>
      fetch(this.#readiness, { signal: AbortSignal.timeout(5_000) })
        .then(({ ok }) => ok)
        .catch(() => false);
    await until("a ready agent", answers, 60_000);
    return this;
  }
}

export interface Replaced {
  readonly finals: number;
  readonly missed: number;
  readonly exitCodes: readonly number[];
  /** From SIGTERM to the end of each agent, ms; podman's own time is in it. */
  readonly exitMs: readonly number[];
}

/**
 * Three agents run `checks` checks every ten seconds; each agent is replaced as a rolling update does it, a new one first.
 *
 * @throws where a run has no end, or more than one
 */
export async function replaceAgents(site: Site, url: string, checks: number): Promise<Replaced> {
  const env = { API_KEY: await site.location("rolling"), API_URL: site.base, JOB_CONCURRENCY: "50" };
  const start = async (): Promise<AgentContainer> => (await AgentContainer.start(env)).ready();
  const old = await Promise.all([start(), start(), start()]);
  const fresh: AgentContainer[] = [];
  try {
    const made: { checkId: string; fromMs: number }[] = [];
    for (let n = 0; n < checks; n += 1) {
      made.push({ checkId: await site.check(url, ["rolling"], { frequency: 0, frequencyOffset: periodSeconds }), fromMs: Date.now() });
    }
    await pause(periodSeconds * 1_000);
    const exits: { code: number; ms: number }[] = [];
    for (const agent of old) {
      fresh.push(await start());
      const sentMs = Date.now();
      agent.signal("SIGTERM");
      exits.push({ code: await agent.exited(), ms: Date.now() - sentMs });
    }
    await pause(periodSeconds * 1_000);
    const toMs = Date.now();
    const scheduled = made.map((check) => ({ ...check, toMs, periodMs: periodSeconds * 1_000, locations: ["rolling"] }));
    const results = await expectNothingLost(site, { scheduled }, 120_000);
    const ends = [...results.values()].flat().filter(({ resultType }: CheckResult) => resultType !== "ATTEMPT");
    const missed = ends.filter(({ resultType }) => resultType === "MISSED").length;
    return { finals: ends.length - missed, missed, exitCodes: exits.map(({ code }) => code), exitMs: exits.map(({ ms }) => ms) };
  } finally {
    for (const agent of [...old, ...fresh]) agent.remove();
  }
}
