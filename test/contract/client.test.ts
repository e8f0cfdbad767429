import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../src/contract/client.ts";
import { ApiError, ConnectionError } from "../../src/contract/client-error.ts";
import { operations } from "../../src/contract/operations.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { bundleOf, sha256Of } from "../support/code-bundle.ts";

const request = { method: "GET", url: "http://127.0.0.1/" } as const;

describe("the client", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const client = (apiKey = plane.ownerKey) => createClient({ baseUrl: plane.base, apiKey });

  it("has a method for every operation", () => {
    expect(Object.keys(client()).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  it("creates, reads, lists with the total, changes and removes", async () => {
    const api = client();
    const made = await api.createApiCheck({ body: { name: "Door", locations: ["eu-west-1"], request } });
    await api.createApiCheck({ body: { name: "Window", locations: ["eu-west-1"], request, tags: ["glass"] } });
    const { items, total } = await api.listChecksV1({ query: { limit: 1 } });
    expect([items.length, total]).toEqual([1, 2]);
    expect((await api.listChecksV1({ query: { tag: ["glass"] } })).items.map(({ name }) => name)).toEqual(["Window"]);
    await api.updateApiCheck({ params: { id: made.id }, body: { muted: true } });
    expect((await api.getCheckV1({ params: { id: made.id } })).muted).toBe(true);
    expect(await api.deleteCheck({ params: { id: made.id } })).toBeUndefined();
  });

  it("tells what the server told about an error", async () => {
    const failure = await client()
      .createApiCheck({ body: { name: "", request } })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ statusCode: 400, error: "Bad Request", attributes: { issues: [{ path: "name" }] } });
    await expect(client("sv_wrong").getOwnAccount()).rejects.toMatchObject({ statusCode: 401, message: "Bad Token" });
  });

  it("names the account that a user key acts for", async () => {
    const apiKey = await plane.keyFor("OWNER", plane.account.id, "user");
    await expect(createClient({ baseUrl: plane.base, apiKey }).getOwnAccount()).rejects.toMatchObject({ statusCode: 400 });
    const named = createClient({ baseUrl: `${plane.base}/`, apiKey, accountId: plane.account.uuid });
    expect((await named.getOwnAccount()).id).toBe(plane.account.uuid);
  });

  it("packs what is large", async () => {
    const description = "a".repeat(400);
    const headers = Array.from({ length: 100 }, (_, index) => ({ key: `x-header-${index}`, value: "v".repeat(100) }));
    const made = await client().createApiCheck({
      body: { name: "Large", description, locations: ["eu-west-1"], request: { ...request, headers } },
    });
    expect(made.description).toBe(description);
    const sent = await received(async (baseUrl) =>
      createClient({ baseUrl }).createApiCheck({ body: { name: "Large", request: { ...request, headers } } }),
    );
    expect(sent.headers["content-encoding"]).toBe("gzip");
    expect(sent.bytes.length).toBeLessThan(2_000);
    expect(JSON.parse(gunzipSync(sent.bytes).toString())).toMatchObject({ name: "Large", request: { headers } });
  });

  it("sends bytes as they come, with their number", async () => {
    const bytes = bundleOf([
      { path: "shop.spec.ts", body: "x".repeat(200_000) },
      { path: "film.webm", body: randomBytes(300_000) },
    ]);
    const taken: number[] = [];
    const chunks = function* (): Generator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 65_536) {
        taken.push(at);
        yield bytes.subarray(at, at + 65_536);
      }
    };
    const sha256 = sha256Of(bytes);
    const stored = await client().createCodeBundle({ query: { sha256 }, bytes: { size: bytes.length, chunks } });
    expect([stored.sha256, stored.bytes, taken.length]).toEqual([sha256, bytes.length, Math.ceil(bytes.length / 65_536)]);
    const others = client().createCodeBundle({ query: { sha256: "0".repeat(64) }, bytes: { size: bytes.length, chunks } });
    await expect(others).rejects.toMatchObject({ statusCode: 400 });
  });

  it("asks again when it asked too often, unless the deadline comes first", async () => {
    const answers = [tooMany("0.01"), tooMany("0.02"), Response.json([])];
    let asked = 0;
    const counted = (list: Response[]) => ({
      baseUrl: plane.base,
      fetch: async () => {
        asked += 1;
        return list.shift() ?? Response.error();
      },
    });
    expect(await createClient(counted(answers)).listAccounts()).toEqual([]);
    expect(asked).toBe(3);
    await expect(createClient(counted([tooMany("60")])).listAccounts({}, { timeoutMs: 30_000 })).rejects.toMatchObject({ statusCode: 429 });
  });

  it("ends with its signal and at its deadline, also in a wait", async () => {
    const stop = new AbortController();
    const client = createClient({ baseUrl: plane.base, fetch: async () => tooMany("30") });
    const call = client.listAccounts({}, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(createClient({ baseUrl, timeoutMs: 50 }).listAccounts()).rejects.toMatchObject({ name: "TimeoutError" });
    silent.closeAllConnections();
    silent.close();
    await expect(createClient({ baseUrl }).listAccounts()).rejects.toThrow(ConnectionError);
  });

  it("does not follow where somebody else would lead its key", async () => {
    const moved = new Response(null, { status: 301, headers: { location: "https://elsewhere.example/" } });
    const client = createClient({ baseUrl: plane.base, fetch: async () => moved });
    await expect(client.listAccounts()).rejects.toMatchObject({ statusCode: 301, message: expect.stringContaining("elsewhere.example") });
  });
});

function tooMany(retryAfter: string): Response {
  const body = { statusCode: 429, error: "Too Many Requests", message: "More than 2 requests in 60 seconds" };
  return Response.json(body, { status: 429, headers: { "retry-after": retryAfter } });
}

interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** What arrives at a server that answers nothing of use. */
async function received(send: (baseUrl: string) => Promise<unknown>): Promise<Received> {
  return new Promise((resolve, reject) => {
    const server = createServer((incoming, answer) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        answer.end("{}");
        server.close();
        resolve({ headers: incoming.headers, bytes: Buffer.concat(chunks) });
      });
    });
    server.listen(0, "127.0.0.1", () => {
      send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).catch(reject);
    });
  });
}
