import type { Importing } from "../imported.ts";
import { type Fields, fieldsOf, isFields, listOf, otherFields, textOf, textsOf } from "../yaml-text.ts";

/** What a Prometheus job asks a module to probe. */
export interface ProbeTarget {
  readonly module: string;
  readonly address: string;
  readonly job: string;
  readonly tags: readonly string[];
  readonly interval: unknown;
  readonly where: string;
}

const discovery = /_sd_configs$/;

/** The static targets of jobs that call /probe. Other jobs scrape something else, so nothing is said of them. */
export function probeTargets(importing: Importing, document: Fields, modules: readonly string[]): ProbeTarget[] {
  const everyJob = fieldsOf(document["global"])["scrape_interval"];
  return listOf(document["scrape_configs"]).flatMap((job, index) => {
    if (!isFields(job)) return [];
    const [module] = textsOf(fieldsOf(job["params"])["module"]);
    const isProbe = (textOf(job["metrics_path"]) ?? "").endsWith("/probe");
    if (!isProbe && (module === undefined || !modules.includes(module))) return [];
    const where = `scrape_configs[${index}]`;
    for (const field of otherFields(job, []).filter((name) => discovery.test(name))) {
      importing.warn(`${where}.${field}`, "left out: only targets of static_configs stand in the file");
    }
    if (module === undefined || !modules.includes(module)) {
      importing.warn(
        `${where}.params.module`,
        module === undefined ? "left out: it names no module" : "left out: no such module is in the file",
      );
      return [];
    }
    return staticTargets(job, where).map((target) => ({
      ...target,
      module,
      job: textOf(job["job_name"]) ?? where,
      interval: job["scrape_interval"] ?? everyJob,
    }));
  });
}

function staticTargets(job: Fields, where: string): Pick<ProbeTarget, "address" | "tags" | "where">[] {
  return listOf(job["static_configs"]).flatMap((group, index) => {
    const { targets, labels } = fieldsOf(group);
    const tags = Object.entries(fieldsOf(labels)).flatMap(([name, value]) => tagOf(name, value));
    return textsOf(targets).map((address, target) => ({ address, tags, where: `${where}.static_configs[${index}].targets[${target}]` }));
  });
}

function tagOf(name: string, value: unknown): string[] {
  const text = textOf(value);
  // Labels that begin so are settings of Prometheus.
  return text === undefined || name.startsWith("__") ? [] : [`${name}:${text}`.slice(0, 255)];
}
