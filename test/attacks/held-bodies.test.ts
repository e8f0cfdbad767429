import { readFileSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { call } from "../control-plane/call.ts";
import { browser } from "../control-plane/console/browser.ts";
import { FakeAgent } from "../control-plane/fake-agent.ts";
import { pause, until } from "../support/processes.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";

/** Requests whose bodies begin and never end, and how those were answered that were. */
class Unfinished {
  readonly #requests: ClientRequest[] = [];
  readonly statuses: number[] = [];

  begin(url: string, begin: string | Buffer, headers: Readonly<Record<string, string>>): void {
    const sent = request(url, { method: "POST", headers: { "transfer-encoding": "chunked", ...headers }, agent: false });
    sent
      .on("error", () => undefined)
      .on("response", (answer) => {
        this.statuses.push(answer.statusCode ?? 0);
        answer.resume();
      });
    sent.write(begin);
    this.#requests.push(sent);
  }

  [Symbol.dispose](): void {
    for (const sent of this.#requests) sent.destroy();
  }
}

const residentMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

describe("bodies that are held open", { timeout: 120_000 }, () => {
  let site: Site;
  let key: string;
  beforeAll(async () => {
    site = await Site.start({ env: { RATE_LIMIT_FORMS: "100000/60" } });
    key = await site.location("berlin");
  }, 120_000);
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
  });

  attack("A4", "fifty bodies that are refused in their middle, one after another, by the least of keys (a variation)", async (held) => {
    const { body } = await call(site.base, "POST", "/v1/api-keys", { key: site.ownerKey, body: { name: "Reader", role: "READ_ONLY" } });
    const bomb = Uint8Array.from(gzipSync(Buffer.alloc(3_000_000, 0x20)));
    const send = (bytes: Uint8Array<ArrayBuffer> | string, packed: boolean) =>
      fetch(`${site.base}/v1/analytics/checks`, {
        method: "POST",
        body: bytes,
        headers: {
          authorization: `Bearer ${body.rawKey}`,
          "content-type": "application/json",
          ...(packed && { "content-encoding": "gzip" }),
        },
      });
    const statuses: number[] = [];
    for (let n = 0; n < 50; n += 1) statuses.push((await send(bomb, true)).status);
    expect(new Set(statuses)).toEqual(new Set([413]));
    expect((await send("{}", false)).status).toBe(400); // what it sends is read again
    held("what a request held is given back for good when it is answered", "50 of 50 answered 413");
  });

  attack("A4", "1,500 requests of a kilobyte of gzip that never end, with a key", async (held) => {
    const { session } = await FakeAgent.open(site.base, key);
    const headers = { authorization: `Bearer ${session.sessionToken}`, "content-type": "application/json", "content-encoding": "gzip" };
    const packed = gzipSync(Buffer.alloc(1_048_576, 0x20)).subarray(0, -8);
    const before = residentMb(site.controlPlane.pid);
    using open = new Unfinished();
    for (let n = 0; n < 1_500; n += 1) open.begin(`${site.base}/agent/v1/results`, packed, headers);
    await until("refusals", () => open.statuses.length > 1_000);
    const grown = residentMb(site.controlPlane.pid) - before;
    expect(new Set(open.statuses)).toEqual(new Set([429]));
    expect(grown).toBeLessThan(250);
    expect((await fetch(`${site.base}/health`)).status).toBe(200);
    held("bytes held for a key are bounded, unpacked ones, too (429)", `${grown.toFixed(0)} MB more (limit 250)`);
  });

  attack("A4", "a thousand forms of strangers that never end (E-07)", async (held) => {
    const here = browser(site.base);
    await here.get("/sign-in");
    const cookie = [...here.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    using open = new Unfinished();
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
    for (let n = 0; n < 1_000; n += 1) open.begin(`${site.base}/sign-in`, "a".repeat(60_000), headers);
    await until("refusals", () => open.statuses.length > 500);
    expect(new Set(open.statuses)).toEqual(new Set([503]));
    // Who has a key is served meanwhile.
    expect(await site.location("munich")).not.toBe("");
    held("bytes held for all strangers are bounded (503)", `${1_000 - open.statuses.length} of 1,000 held`);
  });

  attack("A4", "a body of one byte now and then", async (held) => {
    const begun = performance.now();
    using open = new Unfinished();
    const { session } = await FakeAgent.open(site.base, key);
    open.begin(`${site.base}/agent/v1/results`, "{", {
      authorization: `Bearer ${session.sessionToken}`,
      "content-type": "application/json",
    });
    await until("an end", () => open.statuses.length > 0, 60_000);
    expect(open.statuses).toEqual([408]);
    const tookSeconds = (performance.now() - begun) / 1_000;
    expect(tookSeconds).toBeLessThan(40);
    held("a least rate (408)", `after ${tookSeconds.toFixed(0)} s`);
  });
});

describe("connections", () => {
  attack(
    "A4",
    "more connections than there may be from one address",
    async (held) => {
      await using site = await Site.start({ env: { MAX_CONNECTIONS_PER_ADDRESS: "20" } });
      const sockets: Socket[] = [];
      let closed = 0;
      for (let n = 0; n < 60; n += 1) {
        const socket = connect(site.port, "127.0.0.1").on("error", () => undefined);
        socket.once("close", () => (closed += 1));
        sockets.push(socket);
      }
      await until("closed connections", () => closed >= 40, 10_000);
      await pause(200);
      expect(closed).toBeLessThanOrEqual(41);
      for (const socket of sockets) socket.destroy();
      await until("room again", async () => (await fetch(`${site.base}/health`)).status === 200);
      expect(site.controlPlane.logLines().filter(({ msg }) => msg.includes("too many connections"))).toHaveLength(1);
      held("MAX_CONNECTIONS_PER_ADDRESS", `${closed} of 60 closed (20 allowed)`);
    },
    60_000,
  );
});
