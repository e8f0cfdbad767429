import { type OpenMetricsContentType, openMetricsContentType, prometheusContentType, Registry } from "prom-client";

/** What is read at /metrics. */
export interface Exposition {
  readonly type: string;
  readonly body: string;
}

/** Metrics of it may have exemplars, which prom-client allows only where the registry is of OpenMetrics; `exposition` writes both forms of it. */
export function createRegistry(): Registry {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(openMetricsContentType);
  return registry as unknown as Registry; // its types bind a registry to one form
}

/**
 * What these registries hold, as OpenMetrics 1.0 for whoever asks for that and else as Prometheus' own text. Both come of the one form, since prom-client
 * renames counters for good once it has written OpenMetrics.
 *
 * @param accept the header; empty where there was none
 */
export async function exposition(registries: readonly Registry[], accept: string): Promise<Exposition> {
  const texts = await Promise.all(registries.map((registry) => registry.metrics()));
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => line !== "" && line !== "# EOF");
  for (const [index, line] of lines.entries()) if (line.endsWith(" Nan")) lines[index] = `${line.slice(0, -1)}N`; // neither form has it so
  if (accept.includes("application/openmetrics-text")) return { type: openMetricsContentType, body: [...lines, "# EOF", ""].join("\n") };
  return { type: prometheusContentType, body: [...plainLines(lines), ""].join("\n") };
}

/** Counters are called as their samples are, and nothing has exemplars. */
function plainLines(lines: readonly string[]): string[] {
  const counters = new Set(lines.flatMap((line) => /^# TYPE (\S+) counter$/.exec(line)?.[1] ?? []));
  return lines.map((line) => {
    const [, before, name = "", after = ""] = /^(# (?:HELP|TYPE) )(\S+)(.*)$/.exec(line) ?? [];
    if (before === undefined) return line.replace(/ # \{[^}]*\} \S+ \S+$/, "");
    return counters.has(name) ? `${before}${name}_total${after}` : line;
  });
}
