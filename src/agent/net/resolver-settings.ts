import { isIP } from "node:net";
import { rereadFile } from "./reread-file.ts";

/** What resolv.conf(5) says that matters to us. */
export interface ResolverSettings {
  readonly servers: readonly string[];
  readonly search: readonly string[];
  /** A name with fewer dots is tried with the search domains first. */
  readonly ndots: number;
  /** How long one server may take before the next is asked (ms); null where nothing is said. */
  readonly timeoutMs: number | null;
  /** How often all servers are asked. */
  readonly attempts: number;
  /** Each look-up begins with another server. */
  readonly rotates: boolean;
  /** `use-vc`: asks over TCP. */
  readonly usesTcp: boolean;
}

/** The settings at `path`, read again when the file changed. */
export function resolverSettingsFile(path: string): () => ResolverSettings {
  return rereadFile(path, parseResolvConf);
}

/** The last `search` or `domain` line counts; without a name server the local one is meant (resolv.conf(5)). */
export function parseResolvConf(text: string): ResolverSettings {
  const servers: string[] = [];
  let search: string[] = [];
  const options: string[] = [];
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    const [first = ""] = values;
    if (keyword === "nameserver" && isIP(first) !== 0) servers.push(first);
    else if (keyword === "search" || keyword === "domain") search = values.map((domain) => domain.toLowerCase().replace(/\.$/, ""));
    else if (keyword === "options") options.push(...values);
  }
  return {
    servers: servers.length > 0 ? servers.slice(0, 3) : ["127.0.0.1"],
    search: search.filter((domain) => domain !== ""),
    ...optionsOf(options),
  };
}

/** Within bounds of ours: what an operator wrote may be a slip. */
function optionsOf(options: readonly string[]): Pick<ResolverSettings, "ndots" | "timeoutMs" | "attempts" | "rotates" | "usesTcp"> {
  const timeoutSeconds = numberOf("timeout", options);
  return {
    ndots: Math.min(15, numberOf("ndots", options) ?? 1),
    timeoutMs: timeoutSeconds === undefined ? null : Math.max(1, timeoutSeconds) * 1_000,
    attempts: Math.max(1, Math.min(5, numberOf("attempts", options) ?? 2)),
    rotates: options.includes("rotate"),
    usesTcp: options.includes("use-vc") || options.includes("usevc"),
  };
}

/** The last one counts. */
function numberOf(option: string, options: readonly string[]): number | undefined {
  const value = options.findLast((text) => text.startsWith(`${option}:`))?.slice(option.length + 1);
  return value !== undefined && /^\d{1,5}$/.test(value) ? Number(value) : undefined;
}

/** The names to ask for, in order. A final dot means: exactly this name. */
export function candidateNames(name: string, { search, ndots }: Pick<ResolverSettings, "search" | "ndots">): string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const dots = name.split(".").length - 1;
  const expanded = search.map((domain) => `${name}.${domain}`);
  return dots >= ndots ? [name, ...expanded] : [...expanded, name];
}
