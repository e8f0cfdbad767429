import { describe, expect, it } from "vitest";
import type { BaselineAccess, Storage } from "../../../src/control-plane/storage/storage.ts";
import { agent, leaseOne, scene, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("plans of agentic checks on %s", (engine) => {
  async function held(storage: Storage, by: { readonly id: number }): Promise<BaselineAccess> {
    const { no, fence } = await leaseOne(storage, by as Awaited<ReturnType<typeof agent>>);
    return { agentSession: by.id, job: { no, fence } };
  }

  it("are kept one for each check, the newest", async () => {
    const { storage, agent: by, check } = await scene(await engines.open(engine));
    expect(await storage.plans.ofCheck(check.id)).toBeUndefined();
    const of = await held(storage, by);
    await storage.plans.keep(of, { key: "a", plan: "{}" }, t0);
    await storage.plans.keep(of, { key: "b", plan: '{"version":1}' }, t0 + 1);
    expect(await storage.plans.ofCheck(check.id)).toEqual({ key: "b", plan: '{"version":1}' });
  });

  it("are taken of nobody who does not hold a job of the check by its lease", async () => {
    const { storage, agent: by, berlin, check, account } = await scene(await engines.open(engine));
    const of = await held(storage, by);
    expect(await storage.plans.ownerOf(of)).toEqual({ accountId: account.id, checkUuid: check.uuid });
    const another = await agent(storage, berlin);
    for (const wrong of [
      { ...of, agentSession: another.id },
      { ...of, job: { ...of.job, fence: of.job.fence + 1 } },
      { ...of, job: { ...of.job, no: of.job.no + 1 } },
    ]) {
      await expect(storage.plans.keep(wrong, { key: "a", plan: "{}" }, t0)).rejects.toMatchObject({ code: "conflict" });
      await expect(storage.plans.ownerOf(wrong)).rejects.toMatchObject({ code: "conflict" });
    }
    expect(await storage.plans.ofCheck(check.id)).toBeUndefined();
  });

  it("go with their check", async () => {
    const { storage, agent: by, check, account } = await scene(await engines.open(engine));
    await storage.plans.keep(await held(storage, by), { key: "a", plan: "{}" }, t0);
    await storage.checks.remove(account.id, check.uuid, t0);
    expect(await storage.plans.ofCheck(check.id)).toBeUndefined();
  });
});
