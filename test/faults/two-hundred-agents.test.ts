import { expect, it } from "vitest";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { Site } from "../support/site.ts";

const count = 200;

it("200 agents start at once, and lose none of their runs when the control plane is killed under them (L-15)", async () => {
  await using site = await Site.start({ env: { LEASE_SECONDS: "15" } });
  const key = await site.location("north");
  const agents = await Promise.all(Array.from({ length: count }, () => FakeAgent.open(site.base, key)));
  const check = await site.check("http://target.example/", ["north"]);
  const sessions = (await Promise.all(Array.from({ length: count }, () => site.trigger(check)))).flat();
  const held = await Promise.all(agents.map((agent) => agent.lease(1, 5)));
  expect(held.flat()).toHaveLength(count);
  await Promise.all(agents.map((agent, index) => agent.heartbeat(held[index] ?? [])));

  process.kill(-site.controlPlane.pid, "SIGKILL");
  await site.controlPlane.exit();
  await site.startControlPlane();

  const kept = await Promise.all(agents.map((agent, index) => agent.heartbeat(held[index] ?? [])));
  expect(kept.flatMap(({ extended }) => extended)).toHaveLength(count);
  expect(kept.flatMap(({ lost, cancel }) => [...lost, ...cancel])).toEqual([]);
  const answers = await Promise.all(agents.map((agent, index) => agent.report(...(held[index] ?? []).map((job) => reportOf(job)))));
  expect(answers.flat().filter(({ outcome }) => outcome !== "accepted")).toEqual([]);
  await expectNothingLost(site, { sessions });
}, 120_000);
