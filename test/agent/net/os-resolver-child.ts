import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createOsResolver } from "../../../src/agent/net/os-resolver.ts";

/**
 * Runs where /etc/resolv.conf names 127.0.0.1: the server there never answers. Prints how long reading a file and a
 * name of the hosts file took while 200 names waited, and what became of those.
 */
const [seats = "3", limitMs = "500"] = process.argv.slice(2);
const silent = createSocket("udp4").bind(53, "127.0.0.1");
await once(silent, "listening");
const resolver = createOsResolver(Number(seats), Number(limitMs));
const { signal } = new AbortController();
await resolver.resolve("localhost", 4, signal);
const names = Array.from({ length: 200 }, (_, index) => resolver.resolve(`hole${index}.example`, 4, signal));
const codes = Promise.allSettled(names).then((all) =>
  all.map((each) => (each.status === "rejected" ? (each.reason as { code: string }).code : "")),
);
await new Promise((resolve) => setTimeout(resolve, 50));
const startedMs = performance.now();
await Promise.all(Array.from({ length: 4 }, () => readFile(import.meta.filename)));
const readMs = performance.now() - startedMs;
const known = await resolver.resolve("localhost", 4, signal);
const knownMs = performance.now() - startedMs - readMs;
const report = JSON.stringify({ readMs, known, knownMs, codes: [...new Set(await codes)] });
// An orderly exit would wait some 10 s more for the threads that getaddrinfo holds.
process.stdout.write(`${report}\n`, () => process.kill(process.pid, "SIGKILL"));
