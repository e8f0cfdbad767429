import { expect, it } from "vitest";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const floodMs = 30_000;
/** Each waits for its answer: so many that one waits for the answers of all others. */
const readers = 400;
const periodMs = 10_000;

it("400 clients that read without a pause cost no run, and it is well again after them (E-06)", async () => {
  await using target = await ledgerTarget();
  await using site = await Site.start();
  const agent = await site.agent(await site.location("north")).ready();
  const fromMs = Date.now();
  const every = { frequency: 0, frequencyOffset: 10 };
  const checks = await Promise.all(Array.from({ length: 10 }, (_, index) => site.check(target.url(`check-${index}`), ["north"], every)));
  await until("first runs", () => target.requests() >= checks.length);
  const paths = checks.flatMap((id) => [`/v2/check-results/${id}?resultType=ALL&limit=100`, `/v1/checks/${id}`, "/v1/checks?limit=100"]);
  const ends = await endsOf(site, paths);
  const status = async (): Promise<number | undefined> => (await site.fetch("/-/readiness").catch(() => undefined))?.status;
  await until("a control plane that is ready", async () => (await status()) === 200, 30_000);
  await until("an agent that is ready", async () => (await agent.probe("/-/readiness"))?.status === 200, 30_000);
  expect([...ends.keys()]).toEqual(["200"]);
  expect(ends.get("200")).toBeGreaterThan(readers);

  const toMs = Date.now();
  await Promise.all(checks.map((id) => site.pause(id)));
  const scheduled = checks.map((checkId) => ({ checkId, periodMs, locations: ["north"], fromMs, toMs }));
  const results = [...(await expectNothingLost(site, { sessions: [], scheduled }, 60_000)).values()].flat();
  expect(results.filter(({ resultType }) => resultType === "FINAL").length).toBeGreaterThan(checks.length);
}, 180_000);

/** Many clients that ask again as soon as they have their answer. @returns how often each status or failure was met */
async function endsOf(site: Site, paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const endMs = performance.now() + floodMs;
  const ends = new Map<string, number>();
  const read = async (client: number): Promise<void> => {
    for (let turn = client; performance.now() < endMs; turn += 1) {
      const end = await site.fetch(paths[turn % paths.length] ?? "").then(
        async (reply) => {
          await reply.arrayBuffer();
          return String(reply.status);
        },
        (error: unknown) => String(error),
      );
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, client) => read(client)));
  return ends;
}
