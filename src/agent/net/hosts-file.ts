import { isIP } from "node:net";
import { rereadFile } from "./reread-file.ts";

/** Lower-case name to its addresses by family. */
export type HostsFile = ReadonlyMap<string, { readonly 4: string[]; readonly 6: string[] }>;

/** The hosts file at `path`, read again when it changed (orchestrators rewrite it while we run). */
export function hostsFile(path: string): () => HostsFile {
  return rereadFile(path, parseHosts);
}

/** Reads the format of hosts(5). Lines that make no sense are skipped, as the system does. */
export function parseHosts(text: string): HostsFile {
  const hosts = new Map<string, { 4: string[]; 6: string[] }>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const version = isIP(address);
    if (version !== 4 && version !== 6) continue;
    for (const name of names) {
      const entry = hosts.get(name.toLowerCase()) ?? { 4: [], 6: [] };
      if (!entry[version].includes(address)) entry[version].push(address);
      hosts.set(name.toLowerCase(), entry);
    }
  }
  return hosts;
}
