import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { networkNamespace, noNamespaces } from "../../../support/namespace.ts";
import type { Codes } from "./metadata-child.ts";

/** Every way that we know of to write an address where clouds keep their secrets. */
const spellings = [
  "http://169.254.169.254/latest/meta-data/",
  "http://169.254.169.254:80/",
  "https://169.254.169.254/",
  "http://2852039166/",
  "http://0xa9fea9fe/",
  "http://0xA9.0xFE.0xA9.0xFE/",
  "http://0251.0376.0251.0376/",
  "http://025177524776/",
  "http://0251.254.0xa9.254/",
  "http://169.254.43518/",
  "http://169.16689662/",
  "http://169.254.169.254./",
  "http://%31%36%39.254.169.254/",
  "http://１６９.２５４.１６９.２５４/",
  "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/",
  "http://169。254。169。254/",
  "http://example.com@169.254.169.254/",
  "http:\\\\169.254.169.254\\",
  "http://[::ffff:169.254.169.254]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
  "http://[::169.254.169.254]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[64:ff9b:1::a9fe:a9fe]/",
  "http://[2002:a9fe:a9fe::]/",
  "http://[2002:a9fe:a9fe:1::99]/",
  "http://[fe80::a9fe:a9fe]/",
  "http://[fd00:ec2::254]/",
  "http://[fd20:ce::254]/",
  "http://169.254.170.2/v2/credentials",
  "http://100.100.100.200/",
  "http://168.63.129.16/",
  "http://192.0.0.192/",
  "http://0.0.0.0/",
  "http://[::]/",
  "http://metadata.google.internal/",
  "http://METADATA.google.internal./",
  "http://metadata/",
  "http://instance-data/",
  "http://169.254.169.254.rebound.test/",
  "https://169.254.169.254.rebound.test/",
  "http://both.169.254.169.254.rebound.test/",
  "http://0-0-0-0-0-ffff-a9fe-a9fe.rebound.test/",
  "http://64-ff9b-0-0-0-0-a9fe-a9fe.rebound.test/",
  "http://fd00-ec2-0-0-0-0-0-254.rebound.test/",
  "http://both.fe80-0-0-0-0-0-0-1.rebound.test/",
];

const rules = `table inet watch {
  counter tried { }
  chain out { type filter hook output priority 0; oifname != "lo" meta l4proto { tcp, udp } counter name tried; }
}`;

const node = ["--disable-warning=ExperimentalWarning", "--conditions=source", join(import.meta.dirname, "metadata-child.ts")];

describe("a check of a metadata address (H-09)", () => {
  it("is EPOLICY in every spelling, directly and by redirect, and no packet leaves", async (context) => {
    if (noNamespaces !== null) return context.skip(`skipped: ${noNamespaces}`);
    await using namespace = await networkNamespace();
    await namespace.nft(rules);
    const codesOf = async (urls: readonly string[]): Promise<Codes> => {
      const { stdout, stderr } = await namespace.run(process.execPath, [...node, JSON.stringify(urls)], { limitMs: 60_000 });
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout) as Codes;
    };
    const denied = { directly: "EPOLICY", byRedirect: "EPOLICY" };
    expect(await codesOf(spellings)).toEqual(Object.fromEntries(spellings.map((url) => [url, denied])));
    expect((await namespace.counters())["tried"]?.packets).toBe(0);

    // The counter does count: what the policy allows goes out.
    const allowed = `http://${namespace.outside.ipv4}:1/`;
    expect(await codesOf([allowed])).toEqual({ [allowed]: { directly: "ECONNREFUSED", byRedirect: "ECONNREFUSED" } });
    expect((await namespace.counters())["tried"]?.packets).toBeGreaterThan(0);
  });
});
