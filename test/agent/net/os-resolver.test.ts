import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { networkNamespace, noNamespaces } from "../../support/namespace.ts";

if (noNamespaces !== null) process.stdout.write(`tests of getaddrinfo without a name server are skipped: ${noNamespaces}\n`);

describe.skipIf(noNamespaces !== null)("the host's resolver without a server that answers", () => {
  it("stops neither file access nor names that it knows while 200 names wait, and tells each in time that nobody answered", async () => {
    await using namespace = await networkNamespace();
    // `ip netns exec` puts this folder over /etc.
    const etc = join("/etc/netns", namespace.name);
    mkdirSync(etc, { recursive: true });
    try {
      writeFileSync(join(etc, "resolv.conf"), "nameserver 127.0.0.1\n");
      writeFileSync(join(etc, "hosts"), "127.0.0.1 localhost\n");
      const child = join(import.meta.dirname, "os-resolver-child.ts");
      const flags = ["--disable-warning=ExperimentalWarning", "--conditions=source"];
      const { stdout } = await namespace.run(process.execPath, [...flags, child, "4", "2000"], { env: { UV_THREADPOOL_SIZE: "8" } });
      const seen = JSON.parse(stdout) as { readMs: number; known: string[]; knownMs: number; codes: string[] };
      expect(seen).toMatchObject({ known: ["127.0.0.1"], codes: ["ETIMEDOUT"] });
      // Well below the 5 s after which getaddrinfo gives a thread back.
      expect(seen.readMs).toBeLessThan(2_000);
      expect(seen.knownMs).toBeLessThan(1_900);
    } finally {
      rmSync(etc, { recursive: true });
    }
  });
});
