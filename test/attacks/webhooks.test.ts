import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { attack } from "./attack.ts";

/** A service of this machine that tells a secret to whoever asks. */
async function internalService() {
  let asked = 0;
  const server = createServer((_request, answer) => {
    asked += 1;
    answer.end("the-internal-secret");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { port, asked: () => asked, [Symbol.asyncDispose]: async () => void (await once(server.close(), "close")) };
}

describe("webhooks of users (E-04)", () => {
  attack(
    "B4",
    "a webhook to this machine and to link-local addresses, in every spelling",
    async (held) => {
      await using service = await internalService();
      await using plane = await controlPlaneUnderTest({ WEBHOOK_EGRESS: "" }); // as if it were not set
      const hosts = ["127.0.0.1", "localhost", "127.1", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]"];
      const never = ["169.254.169.254", "[fe80::1]", "10.0.0.1", "192.168.0.1", "[fd00::1]", "100.64.0.1"];
      for (const host of [...hosts, ...never]) {
        const { status, answer } = await tested(plane, `http://${host}:${service.port}/`);
        expect([host, status, answer]).toEqual([host, 200, expect.stringContaining("egress policy")]);
      }
      expect(service.asked()).toBe(0);
      held("WEBHOOK_EGRESS is the internet alone by default", `${hosts.length + never.length} addresses, 0 requests`);
    },
    60_000,
  );

  attack(
    "B4",
    "reading an internal service by the answer of a webhook that may reach it",
    async (held) => {
      await using service = await internalService();
      await using plane = await controlPlaneUnderTest({ WEBHOOK_EGRESS: "127.0.0.1" });
      const { answer } = await tested(plane, `http://127.0.0.1:${service.port}/`);
      expect(service.asked()).toBe(1);
      expect(answer).not.toContain("secret");
      expect(answer).toContain("200");
      held("the status is told, the body is not");
    },
    60_000,
  );
});

/** What the test of a channel with this address tells. */
async function tested(plane: ControlPlaneUnderTest, url: string): Promise<{ readonly status: number; readonly answer: string }> {
  const made = await plane.call("POST", "/v1/alert-channels", { body: { type: "WEBHOOK", config: { name: "x", url, method: "POST" } } });
  if (made.status >= 300) return { status: made.status, answer: made.text };
  const { status, body } = await plane.call("POST", `/v1/alert-channels/${made.body.id}/test`, { body: {} });
  return { status, answer: body.notificationResult };
}
