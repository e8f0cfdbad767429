import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FakeControlPlane, fakeJob } from "../support/fake-control-plane.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { OutpostProcess, until } from "../support/processes.ts";
import { noIPv6Filter, noOwnMounts, withOwnFolder, withoutIPv6 } from "../support/restricted.ts";
import { temporaryFolder } from "./agent-under-test.ts";
import { probedAgent } from "./probed-agent.ts";

const answering = () => httpServer((_, response) => response.end("ok"));

describe.skipIf(noOwnMounts !== null)("an agent as an unprivileged user whose outbox cannot be written (S-03)", () => {
  it.each<[string, string, string, string, string]>([
    ["that is read-only", "ro", ":", "data", "EROFS"],
    ["on a full disk", "size=64k,mode=777", 'head -c 65536 /dev/zero > "$D/ballast" || :', "data", "ENOSPC"],
    ["of another owner", "mode=755", ":", "data", "EACCES"],
    ["below a file", "mode=777", 'touch "$D/data"', "data/outbox", "ENOTDIR"],
  ])(
    "runs checks with a folder %s, keeps results in memory, and shows it",
    { timeout: 60_000 },
    async (_title, options, prepare, name, code) => {
      await using fake = await FakeControlPlane.start();
      await using target = await answering();
      using folder = temporaryFolder();
      chmodSync(folder.path, 0o755);
      const own = join(folder.path, "own");
      mkdirSync(own);
      const env = { API_URL: fake.url.href, DATA_DIR: join(own, name), EVIDENCE: "off" };
      await using under = await probedAgent(env, withOwnFolder(own, options, prepare));
      const line = await under.process.logged("outbox cannot write to its folder, results wait in memory");
      expect(String(line["reason"])).toContain(code);
      await until("a ready agent", async () => (await under.probe("/-/readiness")).status === 200);
      fake.enqueue(fakeJob(target.url));
      await fake.until(() => fake.reports.length === 1);
      expect(fake.reports[0]).toMatchObject({ resultType: "FINAL" });
      expect(await under.health()).toMatchObject({ outbox: { mode: "memory" } });
      expect((await under.probe("/metrics")).text).toContain("\nagent_outbox_on_disk 0\n");
      expect(under.warnings().filter(({ msg }) => msg.startsWith("outbox"))).toHaveLength(1);
    },
  );

  it("is told so by the doctor, with the folder and the reason", { timeout: 120_000 }, async () => {
    await using fake = await FakeControlPlane.start();
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o755);
    const own = join(folder.path, "own");
    mkdirSync(own);
    const env = { API_URL: fake.url.href, API_KEY: fake.key, DATA_DIR: own, AGENT_HEALTH_PORT: "0" };
    await using doctor = new OutpostProcess(["doctor"], env, folder.path, withOwnFolder(own, "ro", ":"));
    expect(await doctor.exit()).toBe(0);
    expect(doctor.stdout).toMatch(/! outbox +\S+ cannot be written \(EROFS\)\n +→ checks run all the same/);
  });
});
if (noOwnMounts !== null) process.stdout.write(`tests of outbox folders that cannot be written are skipped: ${noOwnMounts}\n`);

describe.skipIf(noIPv6Filter !== null)("a container without IPv6", () => {
  it("gets its probes on 0.0.0.0 and is told so; the healthcheck finds them", { timeout: 120_000 }, async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await probedAgent({ API_URL: fake.url.href, AGENT_HEALTH_HOST: "::" }, withoutIPv6);
    await until("a ready agent", async () => (await under.probe("/-/readiness")).status === 200);
    expect(under.warnings()).toMatchObject([
      { code: "EAFNOSUPPORT", msg: "no IPv6 here: the probes listen on 0.0.0.0 instead of AGENT_HEALTH_HOST ::" },
    ]);
    const [started] = under.process.logLines().filter(({ msg }) => msg === "agent started");
    const env = { API_URL: fake.url.href, AGENT_HEALTH_PORT: String(started?.["healthPort"]) };
    await using healthcheck = new OutpostProcess(["healthcheck"], env, "/", withoutIPv6);
    expect(await healthcheck.exit()).toBe(0);
  });
});
if (noIPv6Filter !== null) process.stdout.write(`the test without IPv6 is skipped: ${noIPv6Filter}\n`);

describe("few resources", () => {
  it("are warned of at the start, with what is needed", { timeout: 120_000 }, async () => {
    const few = ["sh", "-c", 'ulimit -n 100 && exec "$@"', "sh"];
    await using under = await probedAgent({ API_URL: "http://127.0.0.1:9" }, few);
    const line = await until("the warning", () => under.warnings().find(({ msg }) => msg.startsWith("few files may be open")));
    expect(line).toMatchObject({ given: 100, needed: 208 });
    using folder = temporaryFolder();
    const env = { API_URL: "http://127.0.0.1:9", API_KEY: "pl_0", AGENT_HEALTH_PORT: "0", DATA_DIR: folder.path };
    await using doctor = new OutpostProcess(["doctor"], env, folder.path, few);
    await doctor.exit();
    expect(doctor.stdout).toMatch(/! open files +100 may be open, and JOB_CONCURRENCY 10 needs about 208\n +→ raise the hard limit/);
  });
});

describe("the doctor beside a running agent", () => {
  it("does not call the agent's own port taken", { timeout: 120_000 }, async () => {
    await using fake = await FakeControlPlane.start();
    await using under = await probedAgent({ API_URL: fake.url.href });
    const [started] = under.process.logLines().filter(({ msg }) => msg === "agent started");
    const env = {
      API_URL: fake.url.href,
      API_KEY: fake.key,
      AGENT_HEALTH_PORT: String(started?.["healthPort"]),
      AGENT_HEALTH_HOST: "127.0.0.1",
    };
    using folder = temporaryFolder();
    await using doctor = new OutpostProcess(["doctor"], { ...env, DATA_DIR: folder.path }, folder.path);
    expect(await doctor.exit()).toBe(0);
    expect(doctor.stdout).toMatch(/✓ health port +an agent runs here and answers on port \d+\n/);
  });
});
