import { isIP } from "node:net";
import { rereadFile } from "./reread-file.ts";

/** What resolv.conf(5) says that matters to us. */
export interface ResolverSettings {
  readonly servers: readonly string[];
  readonly search: readonly string[];
  /** A name with fewer dots is tried with the search domains first. */
  readonly ndots: number;
}

/** The settings at `path`, read again when the file changed. */
export function resolverSettingsFile(path: string): () => ResolverSettings {
  return rereadFile(path, parseResolvConf);
}

/** The last `search` or `domain` line counts; without a name server the local one is meant (resolv.conf(5)). */
export function parseResolvConf(text: string): ResolverSettings {
  const servers: string[] = [];
  let search: string[] = [];
  let ndots = 1;
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    const [first = ""] = values;
    if (keyword === "nameserver" && isIP(first) !== 0) servers.push(first);
    else if (keyword === "search" || keyword === "domain") search = values.map((domain) => domain.toLowerCase().replace(/\.$/, ""));
    else if (keyword === "options") ndots = ndotsOf(values) ?? ndots;
  }
  return { servers: servers.length > 0 ? servers.slice(0, 3) : ["127.0.0.1"], search: search.filter((domain) => domain !== ""), ndots };
}

function ndotsOf(options: readonly string[]): number | undefined {
  const value = options.findLast((option) => /^ndots:\d+$/.test(option))?.slice("ndots:".length);
  return value === undefined ? undefined : Math.min(15, Number(value));
}

/** The names to ask for, in order. A final dot means: exactly this name. */
export function candidateNames(name: string, { search, ndots }: Pick<ResolverSettings, "search" | "ndots">): string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const dots = name.split(".").length - 1;
  const expanded = search.map((domain) => `${name}.${domain}`);
  return dots >= ndots ? [name, ...expanded] : [...expanded, name];
}
