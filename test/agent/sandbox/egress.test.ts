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

  /** As Playwright does from 1.65 on; its first address is one at which nobody listens. */
  const lookedUp = (addresses: readonly string[], more = ""): string => `
    const { once } = require("node:events");
    const found = ${JSON.stringify(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))};
    const lookup = (name, { all }, done) => setImmediate(() => (all ? done(null, found) : done(null, found[0].address, found[0].family)));
    const socket = require("node:net").connect({ host: "shop.test", port: ${port}, lookup, ${more} });
    try {
      await once(socket, "connect");
      request.body = "connected to " + socket.remoteAddress;
    } catch (error) {
      request.body = error.code + " " + error.address;
    }
    socket.destroy();`;

  it("they try each address that a look-up of their own finds, as Node.js does", async () => {
    expect(await tested.said(lookedUp(["::1", "127.0.0.8", "127.0.0.1"], "autoSelectFamily: true"))).toBe("connected to 127.0.0.1");
    expect(await tested.said(lookedUp(["::1", "127.0.0.8"], "autoSelectFamily: true"))).toBe("ECONNREFUSED 127.0.0.8");
    expect(await tested.said(lookedUp(["::1", "127.0.0.1"], "autoSelectFamily: false"))).toBe("ECONNREFUSED ::1");
    expect(await tested.said(lookedUp(["169.254.169.254", "127.0.0.1"], "autoSelectFamily: true"), closed)).toMatch(refused);
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
