import { describe, expect, it } from "vitest";
import type { BaselineAccess, Storage } from "../../../src/control-plane/storage/storage.ts";
import { agent, check, leaseOne, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const most = { bytes: 1_000, pictures: 3 };
const picture = (name: string, bytes = 3) => ({ browser: 156, name, body: Buffer.alloc(bytes, name) });

describe.each(engines.names)("baselines of screenshots on %s", (engine) => {
  async function held(storage: Storage, by: { readonly id: number }): Promise<BaselineAccess> {
    const { no, fence } = await leaseOne(storage, by as Awaited<ReturnType<typeof agent>>);
    return { agentSession: by.id, job: { no, fence } };
  }

  it("are read by whoever runs the check, as they were kept first", async () => {
    const { storage, agent: by } = await scene(await engines.open(engine));
    const of = await held(storage, by);
    expect(await storage.baselines.list(of)).toEqual({ baselines: [], isCodeNamed: false });
    await storage.baselines.keep(of, picture("a/b.png"), most, t0);
    await storage.baselines.keep(of, { ...picture("a/b.png"), body: Buffer.from("other") }, most, t0);
    await storage.baselines.keep(of, { ...picture("a/b.png"), browser: 157 }, most, t0);
    expect((await storage.baselines.list(of)).baselines).toEqual([
      { browser: 156, name: "a/b.png", writtenAt: t0 },
      { browser: 157, name: "a/b.png", writtenAt: t0 },
    ]);
    expect(Buffer.from(await storage.baselines.read(of, { browser: 156, name: "a/b.png" }))).toEqual(picture("a/b.png").body);
    await expect(storage.baselines.read(of, { browser: 155, name: "a/b.png" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("are nobody's who does not hold a job of the check by its lease", async () => {
    const { storage, agent: by, berlin, account: owner } = await scene(await engines.open(engine));
    const of = await held(storage, by);
    await storage.baselines.keep(of, picture("a.png"), most, t0);
    const another = await agent(storage, berlin);
    for (const wrong of [
      { ...of, agentSession: another.id },
      { ...of, job: { ...of.job, fence: of.job.fence + 1 } },
      { ...of, job: { ...of.job, no: of.job.no + 1 } },
    ]) {
      await expect(storage.baselines.list(wrong)).rejects.toMatchObject({ code: "conflict" });
      await expect(storage.baselines.read(wrong, { browser: 156, name: "a.png" })).rejects.toMatchObject({ code: "conflict" });
      await expect(storage.baselines.keep(wrong, picture("b.png"), most, t0)).rejects.toMatchObject({ code: "conflict" });
    }
    const other = await check(storage, owner.id, [berlin.id]);
    await start(storage, other, [berlin.id], t0);
    expect((await storage.baselines.list(await held(storage, by))).baselines).toEqual([]);
  });

  it("have room for so many bytes of a check", async () => {
    const { storage, agent: by } = await scene(await engines.open(engine));
    const of = await held(storage, by);
    await storage.baselines.keep(of, picture("a.png", 600), most, t0);
    await expect(storage.baselines.keep(of, picture("b.png", 401), most, t0)).rejects.toMatchObject({ code: "too_large" });
    await storage.baselines.keep(of, picture("b.png", 400), most, t0);
    expect((await storage.baselines.list(of)).baselines).toHaveLength(2);
  });

  it("are so many of a check, also where they are empty", async () => {
    const { storage, agent: by } = await scene(await engines.open(engine));
    const of = await held(storage, by);
    for (const name of ["a.png", "b.png", "c.png"]) await storage.baselines.keep(of, picture(name, 0), most, t0);
    await expect(storage.baselines.keep(of, picture("d.png", 0), most, t0)).rejects.toMatchObject({ code: "too_large" });
  });

  it("are forgotten when somebody says so, and go with their check", async () => {
    const { storage, agent: by, check: checked, account: owner, berlin } = await scene(await engines.open(engine));
    const of = await held(storage, by);
    await storage.baselines.keep(of, picture("a.png"), most, t0);
    await storage.baselines.forget([checked.id + 1]);
    expect((await storage.baselines.list(of)).baselines).toHaveLength(1);
    await storage.baselines.forget([checked.id]);
    expect((await storage.baselines.list(of)).baselines).toEqual([]);
    await storage.baselines.keep(of, picture("a.png"), most, t0);
    await storage.checks.remove(owner.id, checked.uuid, t0);
    const next = await check(storage, owner.id, [berlin.id]);
    await start(storage, next, [berlin.id], t0);
    expect((await storage.baselines.list(await held(storage, by))).baselines).toEqual([]);
  });
});
