import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { EgressProxy } from "../../src/agent/egress/egress-proxy.ts";
import { createEgressPolicy } from "../../src/agent/net/egress-policy.ts";
import type { ScriptRuntime } from "../../src/agent/sandbox/launch.ts";
import type { SandboxLevel } from "../../src/agent/sandbox/sandbox.ts";
import { scriptLimits } from "../../src/agent/sandbox/script-limits.ts";
import { runtimeIn, saidAlone } from "../agent/sandbox/one-child.ts";
import { openNetwork, reachableLevels, SandboxUnderTest } from "../agent/sandbox/sandbox-under-test.ts";
import { embeddings } from "../support/ipv4-embeddings.ts";
import { type ScriptRuntime as InstalledRuntime, makeScriptRuntime } from "../support/script-runtime.ts";
import { attack } from "./attack.ts";

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`egress of scripts is not attacked at ${limitation}\n`);
const kernels = levels.filter((level): level is 2 | 3 => level > 1);

/** What scripts must not reach; `reached` counts who did. */
let canary: Server;
let reached = 0;
let port = 0;
let installed: InstalledRuntime;
let runtime: ScriptRuntime;
beforeAll(async () => {
  canary = createServer((socket) => {
    reached += 1;
    socket.on("error", () => {}).end("canary");
  }).listen(0, "127.0.0.1");
  await once(canary, "listening");
  ({ port } = canary.address() as AddressInfo);
  installed = await makeScriptRuntime();
  runtime = await runtimeIn(installed);
});
afterAll(async () => {
  canary.close();
  await installed[Symbol.asyncDispose]();
});

const closed = { network: openNetwork({ denyCidrs: ["127.0.0.0/8", "::1"] }) };
const connected = (host: string, to: number): string => `
  request.body = await new Promise((resolve) => {
    const socket = require("node:net").connect({ host: ${JSON.stringify(host)}, port: ${to} });
    socket.on("connect", () => resolve("CONNECTED")).on("error", (error) => resolve(error.code));
  });`;

/** Scripts that take apart what Node.js has put up. */
const undoings: readonly (readonly [what: string, code: string])[] = [
  [
    "patches the prototype behind net.BlockList",
    `const list = new (require("node:net").BlockList)();
     const handle = Object.getOwnPropertySymbols(list).map((symbol) => list[symbol]).find((one) => one && typeof one.check === "function" && one !== list);
     for (const name of ["check", "checkString"]) Object.getPrototypeOf(handle)[name] = () => false;`,
  ],
  [
    "replaces Array and String methods",
    `Array.isArray = () => false; String.prototype.split = () => []; RegExp.prototype.exec = () => null;`,
  ],
  ["replaces WeakMap's methods", `WeakMap.prototype.get = () => ({ host: "127.0.0.1", port: 1 }); WeakMap.prototype.has = () => true;`],
  [
    "puts the old connect back",
    `const net = require("node:net"); delete net.Socket.prototype.connect; try { delete Object.getPrototypeOf(new net.Socket()).connect } catch {}`,
  ],
];

describe.each(levels)("at level %d", (level) => {
  let tested: SandboxUnderTest;
  beforeAll(async () => {
    tested = await SandboxUnderTest.start({ highest: level });
  });
  afterAll(() => tested[Symbol.asyncDispose]());

  for (const [what, code] of undoings) {
    attack("B1", `a script at level ${level} that ${what}`, async (held) => {
      const before = reached;
      expect(await tested.said(`${code}\n${connected("127.0.0.1", port)}`, closed)).not.toBe("CONNECTED");
      expect(reached).toBe(before);
      held("the policy is judged in the agent");
    });
  }

  attack("B1", `Node.js's own sockets without our code, at level ${level}`, async (held) => {
    expect(tested.sandbox.egressWall).toBe("kernel");
    const before = reached;
    const said = await saidAlone(runtime, { level: level as Exclude<SandboxLevel, 0>, isRaw: true }, connected("127.0.0.1", port), {});
    expect(said).toBe("EACCES");
    const datagram = `request.body = await new Promise((resolve) => require("node:dgram").createSocket("udp4").on("error", (error) => resolve(error.code)).send("x", ${port}, "127.0.0.1", (error) => resolve(error ? error.code : "SENT")))`;
    expect(await saidAlone(runtime, { level: level as Exclude<SandboxLevel, 0>, isRaw: true }, datagram, {})).toBe("EACCES");
    expect(reached).toBe(before);
    held("Landlock lets the process connect to its proxy's port alone");
  });

  attack("B2", `the agent's own health port, at level ${level}`, async (held) => {
    const network = openNetwork({ ownPorts: [port] });
    for (const host of ["127.0.0.1", "localhost", "::ffff:127.0.0.1", "127.1.2.3"]) {
      expect(await tested.said(connected(host, port), { network })).toBe("EPOLICY");
    }
    held("the checks' own policy");
  });

  attack("B2", `every form of a metadata address, at level ${level}`, async (held) => {
    const hosts = [...embeddings.map(({ write }) => write("169.254.169.254")), "2852039166", "0xa9fea9fe", "metadata.google.internal"];
    const code = `const said = [];
      for (const host of ${JSON.stringify(hosts)}) said.push(await new Promise((resolve) => {
        require("node:net").connect({ host, port: 80 }).on("connect", () => resolve("CONNECTED")).on("error", (error) => resolve(error.code));
      }));
      request.body = said.join()`;
    const said = (await tested.said(code)).split(",");
    expect(said.slice(0, embeddings.length)).toEqual(embeddings.map(() => "EPOLICY"));
    expect(said).not.toContain("CONNECTED");
    held("the table of translations", `${hosts.length} spellings`);
  });

  attack("B2", `a name that leads elsewhere when it is dialled, at level ${level} (a variation)`, async (held) => {
    let asked = 0;
    const resolver = { resolve: () => Promise.resolve([asked++ < 2 ? "127.0.0.9" : "127.0.0.1"]) };
    const network = { ...openNetwork({ denyCidrs: ["127.0.0.1"] }), resolver };
    const before = reached;
    const code = `const { address } = await require("node:dns").promises.lookup("rebound.test");
      ${connected("rebound.test", port)}
      request.body = address + " " + request.body;`;
    expect(await tested.said(code, { network })).toBe("127.0.0.9 EPOLICY");
    expect(reached).toBe(before);
    held("each connection is judged by the address that is dialled");
  });

  attack("B2", `a way past the location's proxy, at level ${level}`, async (held) => {
    const seen: string[] = [];
    const proxy = createHttpServer().on("connect", (request, client) => {
      seen.push(request.url ?? "");
      const onward = connect(port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
      onward.pipe(client).pipe(onward);
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const network = { ...openNetwork(), proxyUrl };
    expect(await tested.said(connected("only-there.test", port), { network })).toBe("CONNECTED");
    expect(await tested.said(connected("127.0.0.1", port), { network })).toBe("CONNECTED");
    expect(await tested.said(connected("169.254.169.254", 80), { network })).toBe("EPOLICY");
    expect(seen).toEqual([`only-there.test:${port}`, `127.0.0.1:${port}`]);
    proxy.close();
    held("the agent's proxy sends them on to the location's");
  });

  attack("B5", `memory of sockets that nobody reads, at level ${level}`, async (held) => {
    const deaf = createServer((socket) => socket.on("error", () => {}).pause()).listen(0, "127.0.0.1");
    await once(deaf, "listening");
    const limits = { ...scriptLimits, memoryBytes: 40 * 1024 * 1024 };
    await using small = await SandboxUnderTest.start({ highest: level, limits });
    const code = `const chunk = Buffer.alloc(8 * 1024 * 1024); const net = require("node:net");
      for (let n = 0; n < 32; n++) net.connect(${(deaf.address() as AddressInfo).port}, "127.0.0.1", function () { this.write(chunk); }).on("error", () => {});
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      request.body = "HELD " + Math.round(process.memoryUsage().rss / 1e6);`;
    expect(await small.said(code)).toMatch(/took more memory than a script may have \(40 MB\)/);
    deaf.close();
    held("what is queued on its connections counts as its memory", "limit 40 MB");
  });
});

attack("B5", "a script that keeps the agent busy with data", async (held) => {
  const chunk = Buffer.alloc(1024 * 1024);
  const source = createServer((socket) => {
    const pour = (): void => {
      while (socket.write(chunk)) sent += chunk.length;
    };
    socket.on("error", () => {}).on("drain", pour);
    pour();
  }).listen(0, "127.0.0.1");
  let sent = 0;
  await once(source, "listening");
  await using tested = await SandboxUnderTest.start({ highest: 2 });
  const code = `let got = 0; for (let n = 0; n < 8; n++) require("node:net").connect(${(source.address() as AddressInfo).port}, "127.0.0.1").on("data", (data) => { got += data.length; }).on("error", () => {});
    await new Promise((resolve) => setTimeout(resolve, 2_000)); request.body = String(got);`;
  const megabytes = Number(await tested.said(code)) / 1024 / 1024;
  source.close();
  expect(megabytes).toBeGreaterThan(8);
  expect(megabytes).toBeLessThan(8 + 32 * 4); // a busy machine may be late by as long again
  held("32 MB a second for a run", `${megabytes.toFixed(0)} MB in 2 s`);
});

describe.each(kernels)("by system calls, at level %d", (level) => {
  attack("B1", `ways to connect that Landlock does not see, at level ${level}`, async (held) => {
    const before = reached;
    const code = `const ffi = require("node:ffi");
      const { functions: c } = ffi.dlopen(null, { __errno_location: { arguments: [], return: "pointer" }, syscall: { arguments: ["i64", "u64", "u64", "u64", "u64", "u64", "u64"], return: "i64" } });
      const call = (number, ...args) => { const all = [...args, 0, 0, 0, 0, 0, 0].slice(0, 6).map(BigInt); const result = c.syscall(BigInt(number), ...all); return result < 0n ? -ffi.getInt32(c.__errno_location(), 0) : Number(result); };
      const address = Buffer.alloc(16); address.writeUInt16LE(2, 0); address.writeUInt16BE(${port}, 2); address.set([127, 0, 0, 1], 4);
      const six = Buffer.alloc(28); six.writeUInt16LE(10, 0); six.writeUInt16BE(${port}, 2); six.set([255, 255, 127, 0, 0, 1], 18);
      const [at, atSix, data] = [address, six, Buffer.from("x")].map((bytes) => ffi.getRawPointer(bytes));
      const tcp = () => call(41, 2, 1, 0);
      const tried = [call(42, tcp(), at, 16), call(42, call(41, 10, 1, 0), atSix, 28), call(44, tcp(), data, 1, 0x20000000, at, 16), call(44, tcp(), data, 1, 0x20004000, at, 16)];
      for (const protocol of [262, 132, 33]) { const socket = call(41, 2, 1, protocol); tried.push(socket < 0 ? socket : call(42, socket, at, 16)); }
      const bound = tcp(); tried.push(call(49, bound, at, 16), call(50, tcp(), 1));
      request.body = JSON.stringify(tried);`;
    const tried = JSON.parse(await saidAlone(runtime, { level, isRaw: true }, code, {})) as number[];
    expect(tried.filter((result) => result >= 0)).toEqual([]);
    expect(reached).toBe(before);
    held("the filter of system calls leaves plain TCP alone, which Landlock sees", `${tried.length} ways`);
  });
});

/** A process whose kernel has no Landlock, and in it a script. */
async function onOldKernel(code: string): Promise<string> {
  const settings = JSON.stringify({ wanted: "auto", highest: 2, lacksLandlock: true, code, denyCidrs: ["127.0.0.0/8", "::1"] });
  const child = join(import.meta.dirname, "../agent/sandbox/sandbox-child.ts");
  const args = ["--disable-warning=ExperimentalWarning", "--conditions=source", child, settings];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: "/usr/bin:/bin" } });
  const told = JSON.parse(stdout) as { readonly egressWall: string; readonly said?: string; readonly failure?: string };
  expect(told.egressWall).toBe("process");
  return told.said ?? told.failure ?? "";
}

describe.skipIf(process.arch !== "x64" || !levels.includes(2))("where the kernel has no rules for TCP", () => {
  const more: readonly (readonly [what: string, code: string])[] = [
    [
      "looks for the system's own connect",
      `const net = require("node:net"); const own = net.connect({ host: "127.0.0.1", port: 1 }).on("error", () => {})._handle;
       for (let at = own; at !== null; at = Object.getPrototypeOf(at)) for (const name of ["connect", "connect6"]) { try { delete at[name]; } catch {} try { at[name] = () => 0; } catch {} }
       const seen = []; const instance = Object.getOwnPropertyDescriptor(Function.prototype, Symbol.hasInstance);
       Reflect.apply = () => true; Function.prototype.apply = () => 0; Function.prototype.call = () => 0;`,
    ],
    [
      "turns the tunnel's own socket elsewhere",
      `const net = require("node:net"); const events = require("node:events"); const once = events.prototype.once;
       events.prototype.once = function (...args) { if (this.constructor.name === "Tunnel") { try { this.connect({ host: "127.0.0.1", port: THE_PORT }); } catch {} } return Reflect.apply(once, this, args); };`,
    ],
  ];
  for (const [what, code] of [...undoings, ...more]) {
    attack("B1", `a script on an old kernel that ${what}`, async (held) => {
      const before = reached;
      const told = code.replace("THE_PORT", String(port));
      expect(await onOldKernel(`${told}\n${connected("127.0.0.1", port)}`)).not.toBe("CONNECTED");
      expect(reached).toBe(before);
      held("primitives that were kept, and prototypes that are locked");
    });
  }
});

attack("B1", "another local program that finds the proxy of a run", async (held) => {
  const proxy = await EgressProxy.open();
  proxy.serve({
    ...openNetwork(),
    trust: () => {
      throw new Error("not asked for");
    },
  });
  const before = reached;
  for (const password of [
    "",
    "Proxy-Authorization: Basic cnVuOg==\r\n",
    `Proxy-Authorization: ${proxy.authorization.slice(0, -2)}AA\r\n`,
  ]) {
    const socket = connect(proxy.port, "127.0.0.1");
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${password}\r\n`);
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 407 /);
    socket.destroy();
  }
  expect(reached).toBe(before);
  proxy.close();
  held("a password of 192 bits for each process");
});

attack("B2", "a script holds the connections of the proxy of another run, and cuts its network", async (held) => {
  const other = await EgressProxy.open();
  const settings = { allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [], isOwnPort: EgressProxy.isOpenAt } as const;
  for (const allowCidrs of [[], ["127.0.0.0/8"]]) {
    const policy = createEgressPolicy({ ...settings, allowCidrs });
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
      expect(() => policy.check(address, other.port, "target")).toThrow(/the agent's own port/);
    expect(() => policy.check("127.0.0.1", other.port - 1, "target")).not.toThrow();
  }
  other.close();
  await expect.poll(() => EgressProxy.isOpenAt(other.port)).toBe(false);
  held("proxies of scripts are own ports of the agent, as long as they are open");
});
