import { describe, expect, it } from "vitest";
import { conclusion, type Hops, type Trace, traceText } from "../../../src/agent/evidence/trace-text.ts";
import type { HopAnswer } from "../../../src/agent/net/trace/hop-answer.ts";

const subject = { host: "api.test", address: "10.0.0.2", port: 443, ownAddresses: new Set(["10.0.0.9"]) };
const router = (from: string): HopAnswer => ({ from, rttMs: 0.25, is: "router", says: "" });
const target = (says: string): HopAnswer => ({ from: "10.0.0.2", rttMs: 1.5, is: "target", says });
const no = (from: string | null, says = "host unreachable"): HopAnswer => ({ from, rttMs: 1, is: "unreachable", says });
const unsent = (says: string): HopAnswer => ({ from: null, rttMs: null, is: "unsent", says });
const by = (method: Trace["method"], ...hops: Hops): Trace => ({ method, hops, trouble: null });
const silent = Array<null>(28).fill(null);

describe("conclusion", () => {
  it.each<[string, readonly [Trace, ...Trace[]]]>([
    ["reached 10.0.0.2 in 1 hop: port 443 is open now", [by("tcp", target("open"))]],
    ["reached 10.0.0.2 in 3 hops: port 443 is closed", [by("tcp", router("10.1.0.1"), null, target("refused"))]],
    ["hop 1 (10.1.0.1) says: host unreachable", [by("tcp", router("10.1.0.1"), no("10.1.0.1"))]],
    ["hop 1 (10.1.0.1) says: host unreachable", [by("tcp", no("10.1.0.1"))]],
    ["hop 2 (10.1.0.2) says: host unreachable", [by("tcp", router("10.1.0.1"), no("10.1.0.2"))]],
    ["a router on the way (10.1.0.7) says: host unreachable", [by("tcp", null, null, no("10.1.0.7"))]],
    ["reached 10.0.0.2 in 2 hops, which says: port unreachable", [by("tcp", router("10.1.0.1"), no("10.0.0.2", "port unreachable"))]],
    ["this host itself says: host unreachable; nobody answers for the next hop, or there is no route", [by("tcp", no("10.0.0.9"))]],
    ["somebody on the way says: host unreachable", [by("tcp", no(null))]],
    ["this host did not send: ENETUNREACH", [by("tcp", unsent("ENETUNREACH"))]],
    ["silence from the first hop on", [by("tcp", null, null, ...silent)]],
    ["silence after hop 2 (10.1.0.2)", [by("tcp", router("10.1.0.1"), router("10.1.0.2"), ...silent)]],
    [
      "silence after hop 1 (10.1.0.1); UDP and ICMP reach 10.0.0.2 in 2 hops, so TCP to port 443 is filtered",
      [by("tcp", router("10.1.0.1"), ...silent), by("udp", null, target("port unreachable")), by("icmp", null, target("answers"))],
    ],
    [
      "silence after hop 1 (10.1.0.1); UDP gets as far as hop 2 (10.1.0.2); ICMP is told by 10.1.0.1: network unreachable",
      [
        by("tcp", router("10.1.0.1"), ...silent),
        by("udp", null, router("10.1.0.2"), ...silent),
        by("icmp", no("10.1.0.1", "network unreachable")),
      ],
    ],
    ["no path was seen: not possible here: socket: EMFILE", [{ method: "tcp", hops: [], trouble: "not possible here: socket: EMFILE" }]],
  ])("%s", (expected, traces) => {
    expect(conclusion(subject, traces)).toBe(expected);
  });
});

describe("traceText", () => {
  it("tells each hop as traceroute does, silence at the end in one line, and the conclusion last", () => {
    const text = traceText(subject, [by("tcp", router("10.1.0.1"), null, router("10.1.0.3"), ...Array<null>(27).fill(null))]);
    expect(text).toBe(
      [
        "traceroute to api.test (10.0.0.2), TCP SYN to port 443, 30 hops at most",
        " 1  10.1.0.1  0.250 ms",
        " 2  *",
        " 3  10.1.0.3  0.250 ms",
        " 4-30  *",
        "",
        "silence after hop 3 (10.1.0.3)",
        "",
      ].join("\n"),
    );
  });

  it("says of a method that is not allowed how to allow it, and what it did not send", () => {
    const text = traceText({ ...subject, host: "10.0.0.2" }, [
      by("tcp", unsent("EPERM")),
      { method: "icmp", hops: [], trouble: "not allowed here: set it" },
    ]);
    expect(text).toContain("traceroute to 10.0.0.2, TCP SYN to port 443, 30 hops at most\n 1  not sent: EPERM\n");
    expect(text).toContain("ICMP echo, 30 hops at most\nnot allowed here: set it\n");
  });
});
