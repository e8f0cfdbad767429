import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openNetwork, reachableLevels, SandboxUnderTest } from "./sandbox-under-test.ts";

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`where scripts may connect to is not tested at ${limitation}\n`);

const connect = (host: string, port: number): string => `
  const { once } = require("node:events");
  const socket = require("node:net").connect({ host: "${host}", port: ${port}, autoSelectFamily: false });
  await once(socket, "connect");
  socket.destroy();
  request.body = "connected";`;
const refused = /EPOLICY/;
const closed = { network: openNetwork({ allowCidrs: ["127.0.0.9"], denyCidrs: ["127.0.0.0/8"] }) };

describe.each(levels)("where scripts may connect to, at level %d", (level) => {
  const server = createServer((_request, response) => response.end("hello"));
  let port = 0;
  let tested: SandboxUnderTest;
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
    tested = await SandboxUnderTest.start({ highest: level });
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    server.close();
  });

  it("they reach what is not denied, and read from it", async () => {
    expect(await tested.said(connect("127.0.0.1", port))).toBe("connected");
    expect(await tested.said(`request.body = await (await fetch("http://127.0.0.1:${port}/")).text()`)).toBe("hello");
  });

  it.each(["169.254.169.254", "100.100.100.200", "::ffff:169.254.169.254", "fd00:ec2::254", "fe80::1"])(
    "not %s, where clouds keep their secrets",
    async (address) => {
      expect(await tested.said(connect(address, 80))).toMatch(refused);
    },
  );

  it("not what the operator denies, but what he allows within", async () => {
    expect(await tested.said(connect("127.0.0.1", port), closed)).toMatch(refused);
    expect(await tested.said(connect("localhost", port), closed)).toMatch(refused);
    expect(await tested.said(connect("127.0.0.9", port), closed)).toMatch(/ECONNREFUSED/);
  });

  it.each([
    ["its own split", 'String.prototype.split = () => ["127.0.0.9"];'],
    ["its own calls", "Function.prototype.call = function (...args) { return Reflect.apply(this, args[0], args.slice(1)); };"],
    ["its own lists", 'require("node:net").BlockList.prototype.check = () => false;'],
    ["another handle", 'Object.getPrototypeOf(require("node:net")._createServerHandle("127.0.0.1", 0, 4)).connect = () => 0;'],
  ])("with %s neither", async (_what, poison) => {
    expect(await tested.said(`${poison}\n${connect("127.0.0.1", port)}`, closed)).not.toBe("connected");
  });
});
