import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Child, freePort } from "./processes.ts";

export const namedPath = "/usr/sbin/named";

/** BIND on loopback with one zone: `www.example.test` is 192.0.2.80. */
export async function startNamed(): Promise<AsyncDisposable & { readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-named-"));
  const port = await freePort();
  writeFileSync(
    join(folder, "zone"),
    "$TTL 60\n@ IN SOA ns hostmaster 1 60 60 60 60\n@ IN NS ns\nns IN A 127.0.0.1\nwww IN A 192.0.2.80\n",
  );
  writeFileSync(
    join(folder, "named.conf"),
    `options { directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; pid-file none; session-keyfile none; };
zone "example.test" { type primary; file "zone"; }; controls { };`,
  );
  const child = new Child(namedPath, ["-f", "-n", "1", "-c", join(folder, "named.conf")]);
  await pause(1_500);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
