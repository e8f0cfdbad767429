import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PacketRing } from "../../../src/agent/evidence/packet-ring.ts";
import { MessageReader } from "../../../src/agent/net/icmp/received-message.ts";
import { TraceSocket } from "../../../src/agent/net/trace/trace-socket.ts";

const closeOnExec = 0o2000000;

function sockets(): number[] {
  const numbers = readdirSync("/proc/self/fd").map(Number);
  return numbers.filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
    } catch {
      return false; // the folder's own
    }
  });
}

function isInherited(fd: number): boolean {
  const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1] ?? "";
  return (Number.parseInt(flags, 8) & closeOnExec) === 0;
}

describe.skipIf(process.platform !== "linux")("the descriptors of evidence", () => {
  it("of traceroute go to no child", () => {
    for (const method of ["tcp", "udp"] as const) {
      const socket = new TraceSocket(method, "127.0.0.1", 1, new MessageReader());
      expect(isInherited(socket.fd)).toBe(false);
      socket.close();
    }
  });

  it("of the capture, which hears every packet, go to no child, and are gone with it", (context) => {
    if (process.getuid?.() !== 0) context.skip("skipped: only root may capture");
    const before = new Set(sockets());
    const ring = new PacketRing();
    const opened = sockets().filter((fd) => !before.has(fd));
    expect(opened.map(isInherited)).toEqual([false]);
    ring.close();
    expect(sockets().filter((fd) => !before.has(fd))).toEqual([]);
  });
});
