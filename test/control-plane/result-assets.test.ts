import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import type { EvidenceFile, LeasedJob } from "#contract/agent-protocol.ts";
import { type CheckType, checkTypes } from "#contract/checks/index.ts";
import { smallest } from "../contract/bodies.ts";
import { checkDetails } from "../support/check-details.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { FakeAgent, reportOf } from "./fake-agent.ts";

const types = Object.keys(checkTypes) as CheckType[];
const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

const file = (name: string, bytes: Buffer, type: EvidenceFile["type"] = "log"): EvidenceFile => ({
  name,
  type,
  contentType: type === "pcap" ? "application/vnd.tcpdump.pcap" : "text/plain; charset=utf-8",
  data: bytes.toString("base64"),
});

interface Site extends ControlPlaneUnderTest {
  readonly agent: FakeAgent;
  /** A leased job of a new check. */
  readonly job: (type?: CheckType) => Promise<LeasedJob>;
  /** The results of a job's check, attempts too. */
  readonly results: (job: LeasedJob) => Promise<{ id: string; [field: string]: unknown }[]>;
}

describe.each(engines.list)("what results carry on $name", (engine) => {
  async function running(): Promise<Site> {
    const url = await engine.databaseUrl();
    const plane = await controlPlaneUnderTest({
      ...(url !== undefined && { DATABASE_URL: url }),
      PUBLIC_URL: "https://outpost.example/base",
    });
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), {
      checkTypes: types,
      runtimes: ["2026.04"],
      sandboxLevel: 2,
    });
    return {
      ...plane,
      agent,
      job: async (type: CheckType = "TCP") => {
        const body = { name: `a ${type}`, locations: ["eu-west-1"], frequency: 1440, ...smallest[type] };
        const { id } = (await plane.call("POST", "/v1/checks", { body: { checkType: type, ...body } })).body;
        await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
        const [job] = await agent.lease();
        if (job === undefined) throw new Error("no job");
        return job;
      },
      results: async ({ payload }) => (await plane.call("GET", `/v2/check-results/${payload.checkId}?resultType=ALL`)).body.entries,
    };
  }

  it("is the member of its check type, and nothing else", async () => {
    await using site = await running();
    for (const type of types) {
      const job = await site.job(type);
      expect(await site.agent.report(reportOf(job))).toMatchObject([{ outcome: "accepted" }]);
      const [result] = await site.results(job);
      const { resultMember } = checkTypes[type];
      expect(result).toMatchObject({ [resultMember]: checkDetails[type], assets: [] });
      const members = Object.entries(result ?? {}).filter(([name, value]) => name.endsWith("CheckResult") && value !== null);
      expect(members.map(([name]) => name)).toEqual([resultMember]);
      const { body: alone } = await site.call("GET", `/v1/check-results/${job.payload.checkId}/${result?.id}`);
      // What became of the path since the run before is told of one result alone.
      const { pathChange = null, ...seen } = alone[resultMember];
      expect({ pathChange, ...alone, [resultMember]: seen }).toEqual({ pathChange: null, ...result });
      const fields = `/v2/check-results/${job.payload.checkId}?fields=${resultMember},errorMessage`;
      expect((await site.call("GET", fields)).body.entries).toEqual([{ [resultMember]: result?.[resultMember], errorMessage: null }]);
    }
    const days = (await site.call("GET", "/v1/check-statuses")).body.map(
      (status: { sslDaysRemaining: unknown }) => status.sslDaysRemaining,
    );
    const others = Object.keys(checkTypes).length - 2; // an API check over TLS and an SSL check have a certificate
    expect(days.toSorted()).toEqual([-3, 42, ...Array.from({ length: others }, () => null)]);
  });

  it("leaves out a detail that is of another type or out of its bounds, and keeps the verdict", async () => {
    await using site = await running();
    const bloated = {
      ...checkDetails.ICMP,
      response: { ...checkDetails.ICMP.response, pingResults: Array.from({ length: 51 }, () => ping) },
    };
    for (const [type, detail] of [
      ["DNS", checkDetails.TCP],
      ["ICMP", bloated],
      ["TCP", "text"],
      ["SSL", []],
    ] as const) {
      const job = await site.job(type);
      expect(await site.agent.report(reportOf(job, { detail, hasFailures: true }))).toMatchObject([{ outcome: "accepted" }]);
      expect(await site.results(job)).toMatchObject([{ hasFailures: true, [checkTypes[type].resultMember]: null }]);
    }
  });

  it("lists its files and gives them back byte by byte", async () => {
    await using site = await running();
    const job = await site.job();
    const [capture, trace] = [randomBytes(262_144), Buffer.from("<script>alert(1)</script>\n")];
    const evidence = [file("capture.pcap", capture, "pcap"), file("traceroute.txt", trace)];
    await site.agent.report(reportOf(job, { hasFailures: true, evidence }));
    const [result] = await site.results(job);
    const folder = `/v1/check-results/${job.payload.checkId}/${result?.id}/assets`;
    const pcapUrl = `https://outpost.example/base${folder}/capture.pcap`;
    expect(result).toMatchObject({
      assets: [
        { type: "pcap", name: "capture.pcap", url: pcapUrl, contentType: "application/vnd.tcpdump.pcap" },
        { type: "log", name: "traceroute.txt", contentType: "text/plain; charset=utf-8" },
      ],
      tcpCheckResult: { pcapDataUrl: pcapUrl },
    });
    const manifest = (await site.call("GET", folder)).body;
    const expected = result?.["assets"] as readonly object[];
    const source = { type: "check-result", checkId: job.payload.checkId, checkName: "a TCP", checkType: "TCP", resultId: result?.id };
    expect(manifest).toMatchObject({ truncated: false, entriesReturned: 2, entriesTotal: 2 });
    expect(manifest.assets).toEqual(expected.map((asset) => ({ ...asset, source })));
    for (const [query, names] of [
      ["type=pcap", ["capture.pcap"]],
      ["type=log&type=file", ["traceroute.txt"]],
      ["name=TRACE", ["traceroute.txt"]],
      ["name=*.p?ap", ["capture.pcap"]],
      ["name=nothing", []],
    ] as const) {
      expect((await site.call("GET", `${folder}?${query}`)).body.assets.map(({ name }: { name: string }) => name)).toEqual(names);
    }
    for (const [name, bytes] of [
      ["capture.pcap", capture],
      ["traceroute.txt", trace],
    ] as const) {
      const answer = await fetch(`${site.base}${folder}/${name}`, { headers: { authorization: `Bearer ${site.ownerKey}` } });
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-disposition": `attachment; filename="${name}"`,
        "content-type": evidence.find((one) => one.name === name)?.contentType,
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
      });
    }
  });

  it("is nobody else's: without the account, the key or the right id there is nothing", async () => {
    await using site = await running();
    const [job, other] = [await site.job(), await site.job()];
    await site.agent.report(reportOf(job, { evidence: [file("a.log", Buffer.from("a"))] }), reportOf(other));
    const [result] = await site.results(job);
    const folder = `/v1/check-results/${job.payload.checkId}/${result?.id}/assets`;
    const foreign = await site.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await site.keyFor("OWNER", foreign.id);
    const statusOf = async (path: string, by?: string): Promise<number> =>
      (await site.call("GET", path, by === undefined ? {} : { key: by })).status;
    for (const path of [folder, `${folder}/a.log`]) {
      expect(await statusOf(path)).toBe(200);
      expect(await statusOf(path, key)).toBe(404);
      expect(await statusOf(path, "sv_wrong")).toBe(401);
    }
    expect(await statusOf(`/v1/check-results/${other.payload.checkId}/${result?.id}/assets`)).toBe(404);
    expect(await statusOf(`/v1/check-results/${other.payload.checkId}/${result?.id}/assets/a.log`)).toBe(404);
    for (const name of ["b.log", "A.LOG", "..%2fa.log", "a.log%00", "%E2%82%AC", "x".repeat(101)]) {
      expect([400, 404]).toContain(await statusOf(`${folder}/${name}`));
    }
    expect(await statusOf(`${folder}?name=${"x".repeat(201)}`)).toBe(400);
    expect(await statusOf(`${folder}?type=virus`)).toBe(400);
  });

  it("is stored once: not again for a duplicate, not at all for what came too late", async () => {
    await using site = await running();
    const job = await site.job();
    const report = reportOf(job, { evidence: [file("a.log", Buffer.from("a"))] });
    expect(await site.agent.report(report, report)).toMatchObject([{ outcome: "accepted" }, { outcome: "duplicate" }]);
    expect(await site.agent.report(report)).toMatchObject([{ outcome: "duplicate" }]);
    const late = { ...report, attempt: 2, evidence: [file("late.log", Buffer.from("late"))] };
    expect(await site.agent.report(late)).toMatchObject([{ outcome: "superseded" }]);
    const results = await site.results(job);
    expect(results).toMatchObject([{ assets: [{ name: "a.log" }] }]);
    expect(await site.agent.put(report)).toMatchObject({ status: 200 });
  });

  it("belongs to the attempt that found it", async () => {
    await using site = await running();
    const job = await site.job();
    const attempt = (number: number) => ({ attempt: number, hasFailures: true, evidence: [file(`${number}.log`, Buffer.from("x"))] });
    await site.agent.report(reportOf(job, { ...attempt(1), resultType: "ATTEMPT" }));
    await site.agent.report(reportOf(job, { ...attempt(2), startedAt: job.leasedAt + 20, stoppedAt: job.leasedAt + 30 }));
    expect(await site.results(job)).toMatchObject([
      { resultType: "FINAL", assets: [{ name: "2.log" }] },
      { resultType: "ATTEMPT", assets: [{ name: "1.log" }] },
    ]);
  });

  it("leaves out hostile files and keeps the result with the good ones", async () => {
    await using site = await running();
    const job = await site.job();
    const good = file("good.log", Buffer.from("good"));
    const evidence: unknown[] = [
      good,
      { ...good, data: "b3RoZXI=" },
      { ...good, name: "../../etc/passwd" },
      { ...good, name: 'a"b.log' },
      { ...good, name: "a\r\nset-cookie: x" },
      { ...good, name: "page.html", contentType: "text/html\r\nset-cookie: x=1" },
      { ...good, name: "video.log", type: "video" },
      { ...good, name: "no-base64.log", data: "***" },
    ];
    expect(await site.agent.report({ ...reportOf(job), evidence })).toMatchObject([{ outcome: "accepted" }]);
    expect(await site.results(job)).toMatchObject([{ assets: [{ name: "good.log" }] }]);
    expect(site.logLines.some((line) => line.includes('"leftOut":7') && line.includes("dropped evidence of a result"))).toBe(true);
    for (const whole of ["text", 7, { length: 1e9 }, null]) {
      const next = await site.job();
      expect(await site.agent.report({ ...reportOf(next), evidence: whole })).toMatchObject([{ outcome: "accepted" }]);
      expect(await site.results(next)).toMatchObject([{ assets: [] }]);
    }
  });

  it("is no more than 512 KB and 8 files of one attempt", async () => {
    await using site = await running();
    const [big, many] = [await site.job(), await site.job()];
    const quarters = ["a", "b", "c"].map((name) => file(`${name}.log`, randomBytes(262_144)));
    const over = file("over.log", randomBytes(262_145));
    await site.agent.report(reportOf(big, { evidence: [over, ...quarters, file("d.log", Buffer.alloc(0))] }));
    expect(await site.results(big)).toMatchObject([{ assets: [{ name: "a.log" }, { name: "b.log" }, { name: "d.log" }] }]);
    await site.agent.report(reportOf(many, { evidence: Array.from({ length: 9 }, (_, index) => file(`${index}.log`, Buffer.from("x"))) }));
    expect((await site.results(many))[0]?.["assets"]).toHaveLength(8);
  });
});

const ping = { sequence: 1, type: 0, code: 0, success: true, rtt: 1, ttl: 64 };
