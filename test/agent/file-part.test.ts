import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createContact } from "../../src/agent/contact/contact.ts";
import { createControlPlaneClient } from "../../src/agent/contact/control-plane-client.ts";
import { createRetryingClient } from "../../src/agent/contact/retrying-client.ts";
import { systemClock } from "../../src/agent/host/clock.ts";
import { protocolVersion } from "../../src/contract/agent-protocol.ts";
import { Secret } from "../../src/daemon/secret.ts";
import { logOf, quickTiming } from "./agent-under-test.ts";

type Answer = (response: ServerResponse) => unknown;

const file = Buffer.from("0123456789");
const part: Answer = (response) => response.writeHead(206, { "content-range": "bytes 4-7/10" }).end(file.subarray(4, 8));
const whole: Answer = (response) => response.writeHead(200, { "content-type": "application/gzip" }).end(file);
const page: Answer = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Please log in</p>");
const json404 =
  (body: object): Answer =>
  (response) =>
    response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(body));
const session = {
  sessionToken: "token",
  serverTime: new Date().toISOString(),
  sessionSeconds: 3_600,
  heartbeatSeconds: 10,
  leaseSeconds: 30,
  pollWaitSeconds: 2,
  location: { id: "fake-location", name: "Fake" },
  limits: { resultBytes: 1_000_000, batchResults: 200, artifactBytes: 0 },
};

/** Reads bytes from a control plane that gives these answers, the last one for ever. */
async function read(answers: readonly Answer[], from = 4, to = 7) {
  const left = [...answers];
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.url !== "/file") return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(session));
    asked.push(request.headers.range);
    (left.length > 1 ? left.shift() : left[0])?.(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { log } = logOf();
  const client = createRetryingClient({
    client: createControlPlaneClient(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), null, []),
    readKey: () => new Secret("key"),
    introduction: () => ({
      agentId: randomUUID(),
      name: "test",
      version: "0",
      protocol: protocolVersion,
      checkTypes: [],
      runtimes: [],
      sandboxLevel: 0,
      capabilities: {},
    }),
    contact: createContact(log, systemClock, () => undefined),
    clock: systemClock,
    random: () => 0.5,
    timing: quickTiming,
    log,
    scrub: (text) => text,
    packsBodies: false,
  });
  try {
    const options = { signal: new AbortController().signal, limitMs: 2_000 };
    const found = await client.bytes("readBundle", "/file", { from, to }, options).then(
      ({ bytes, size }) => `${bytes} of ${size}`,
      (error: Error) => error.message,
    );
    return { found, asked };
  } finally {
    await client.close();
    server.close();
  }
}

describe("a part of a file of the control plane", () => {
  it("is what was asked for", async () => {
    expect(await read([part])).toEqual({ found: "4567 of 10", asked: ["bytes=4-7"] });
    const last: Answer = (response) => response.writeHead(206, { "content-range": "bytes 8-9/10" }).end("89");
    expect((await read([last], 8, 11)).found).toBe("89 of 10");
    expect((await read([whole], 0, 3)).found).toBe("0123456789 of 10");
  });

  it.each<[string, Answer, number?, number?]>([
    ["another part", (response) => response.writeHead(206, { "content-range": "bytes 0-3/10" }).end("0123")],
    ["a shorter part", (response) => response.writeHead(206, { "content-range": "bytes 4-6/10" }).end("456")],
    ["other bytes than its header says", (response) => response.writeHead(206, { "content-range": "bytes 4-7/10" }).end("456")],
    ["a part without a range", (response) => response.writeHead(206).end("4567")],
    ["the whole where a later part was asked for", whole],
    ["nothing", (response) => response.writeHead(204).end()],
    ["a proxy's page", page],
    ["a page of 404", (response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not Found</h1>")],
    ["a gateway's own 404", json404({ message: "no Route matched with those values" })],
  ])("is asked for again after %s", async (_what, answer) => {
    expect(await read([answer, part])).toEqual({ found: "4567 of 10", asked: ["bytes=4-7", "bytes=4-7"] });
  });

  it("is no page from the beginning either, and what stays wrong is an error in the end", async () => {
    const { found, asked } = await read([page], 0, 3);
    expect([found, asked.length]).toEqual(["200 with other bytes than bytes 0 to 3", 5]);
  });

  it("that the control plane does not have is not asked for again", async () => {
    const { found, asked } = await read([json404({ statusCode: 404, error: "Not Found", message: "the account has no such code bundle" })]);
    expect([found, asked.length]).toEqual(["404 the control plane does not have the code bundle any more: upload it again", 1]);
  });
});
