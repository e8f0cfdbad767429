import { AppError } from "#domain/app-error.ts";
import { durationMs } from "../durations.ts";
import { type Imported, Importing, nameOf } from "../imported.ts";
import { frequencyFields } from "../limits.ts";
import { type Fields, fieldsOf, isFields, readYaml, textOf } from "../yaml-text.ts";
import { dnsCheckOf } from "./dns.ts";
import { grpcCheckOf } from "./grpc.ts";
import { httpCheckOf } from "./http.ts";
import { icmpCheckOf } from "./icmp.ts";
import type { Prober } from "./prober.ts";
import { type ProbeTarget, probeTargets } from "./targets.ts";
import { tcpCheckOf } from "./tcp.ts";

const probers: Readonly<Record<string, Prober>> = {
  http: httpCheckOf,
  tcp: tcpCheckOf,
  dns: dnsCheckOf,
  icmp: icmpCheckOf,
  grpc: grpcCheckOf,
};

/**
 * One check per target that a Prometheus job sends to a module. The file holds `modules` of blackbox_exporter and `scrape_configs` of
 * Prometheus, together or as two documents.
 *
 * @throws {AppError} invalid_input when it holds no modules
 */
export function importBlackbox(text: string): Imported {
  const importing = new Importing();
  const documents = readYaml(text).map(fieldsOf);
  const modules = Object.assign({}, ...documents.map((document) => fieldsOf(document["modules"]))) as Fields;
  if (Object.keys(modules).length === 0) throw new AppError("invalid_input", "the file has no modules of blackbox_exporter");
  const used = new Set<string>();
  for (const target of documents.flatMap((document) => probeTargets(importing, document, Object.keys(modules)))) {
    used.add(target.module);
    importTarget(importing, modules, target);
  }
  for (const name of Object.keys(modules).filter((module) => !used.has(module))) {
    importing.warn(`modules.${name}`, "no target of a Prometheus job in this file uses it, so there is nothing to check");
  }
  return importing;
}

function importTarget(importing: Importing, modules: Fields, target: ProbeTarget): void {
  const module = fieldsOf(Object.hasOwn(modules, target.module) ? modules[target.module] : undefined);
  const proberName = textOf(module["prober"]) ?? "";
  const prober = Object.hasOwn(probers, proberName) ? probers[proberName] : undefined;
  if (prober === undefined) {
    importing.warn(`modules.${target.module}.prober`, "left out: only http, tcp, dns, icmp and grpc become checks");
    return;
  }
  const where = `modules.${target.module}.${proberName}`;
  if (module[proberName] !== undefined && module[proberName] !== null && !isFields(module[proberName])) {
    importing.warn(where, "its settings are no object, so the prober's defaults are used");
  }
  const timeoutMs = durationMs(module["timeout"]);
  const settings = { name: target.module, where, settings: fieldsOf(module[proberName]), timeoutMs };
  const check = prober(importing, settings, target.address, target.where);
  if (check === undefined) return;
  importing.add(target.where, {
    ...check,
    name: nameOf(
      `${target.module} ${target.address
        .replace(/^[a-z]+:\/\//i, "")
        .replace(/^[^/?#@]*@/, "")
        .replace(/[?#].*$/s, "")}`,
    ),
    tags: target.tags,
    ...frequencyFields(importing, `scrape_configs of ${target.job}`, target.interval, 60_000),
  });
}
