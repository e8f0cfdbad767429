import { afterAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../support/engines.ts";
import { alertingSite, down } from "./alerting-site.ts";
import { firstOwner } from "./console/people.ts";
import { eventually } from "./control-plane-under-test.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("a check that is muted for an hour on $name", { timeout: 120_000 }, (engine) => {
  it("alerts nobody until then, and then what still fails, without anybody's doing", async () => {
    await using site = await alertingSite(await engine.databaseUrl());
    const owner = await firstOwner(site);
    const [over, lasting, unmuted] = [await site.make(), await site.make(), await site.make()];
    await owner.get("/checks");
    for (const id of [over, lasting, unmuted]) await owner.post(`/checks/${id}/mute-for`, { hours: "1" });
    for (const id of [over, lasting, unmuted]) await site.run(id, down);
    await site.run(over);
    await owner.post(`/checks/${unmuted}/unmute`);
    await eventually(async () => (await site.types(unmuted)).length > 0);
    expect([await site.types(over), await site.types(lasting)]).toEqual([[], []]);
    await site.skip(61);
    await eventually(async () => (await site.types(lasting)).length > 0);
    expect([await site.types(over), await site.types(lasting)]).toEqual([[], ["ALERT_FAILURE"]]);
  });
});
