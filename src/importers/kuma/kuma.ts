import { AppError } from "#domain/app-error.ts";
import { type Imported, Importing, nameOf } from "../imported.ts";
import { frequencyFields } from "../limits.ts";
import { type Fields, fieldsOf, isFields, listOf, readYaml, textOf } from "../yaml-text.ts";
import type { MonitorCheck } from "./monitor.ts";
import { heartbeatOf, monitorChecks } from "./monitor-checks.ts";

const defaultIntervalSeconds = 60;

/**
 * One check per monitor of a backup, and one more for the certificate where Kuma tells of its expiry; push monitors become heartbeats.
 *
 * @throws {AppError} invalid_input when it is no backup
 */
export function importKuma(text: string): Imported {
  const importing = new Importing();
  const documents = readYaml(text).map(fieldsOf);
  const monitors = documents.flatMap(({ monitorList }) => (isFields(monitorList) ? Object.values(monitorList) : listOf(monitorList)));
  if (monitors.length === 0) throw new AppError("invalid_input", "the file has no monitorList: export a backup of Uptime Kuma as JSON");
  for (const { notificationList, proxyList } of documents) {
    if (listOf(notificationList).length > 0) importing.warn("notificationList", "left out: create alert channels");
    if (listOf(proxyList).length > 0) importing.warn("proxyList", "left out: a private location has a proxyUrl");
  }
  const all = monitors.map(fieldsOf);
  const names = new Map(all.map((monitor) => [monitor["id"], monitor]));
  for (const [index, monitor] of all.entries()) importMonitor(importing, monitor, groupNames(monitor, names), `monitorList[${index}]`);
  return importing;
}

function importMonitor(importing: Importing, monitor: Fields, groups: readonly string[], where: string): void {
  const type = textOf(monitor["type"]) ?? "";
  if (type === "group") return; // its name stands before those of its monitors
  const common = {
    name: nameOf([...groups, textOf(monitor["name"]) ?? where].join(": ")),
    tags: [...new Set([...groups.map((group) => group.slice(0, 255)), ...tagsOf(monitor)])],
    ...descriptionOf(monitor),
    ...(isOff(monitor["active"]) && { activated: false }),
  };
  if (type === "push") return importPush(importing, monitor, common, where);
  const runs = { ...runFields(importing, monitor, where), ...retryFields(monitor) };
  for (const { nameSuffix = "", ...check } of monitorChecks(importing, monitor, where)) {
    importing.add(where, { ...common, ...runs, ...check, name: nameOf(`${common.name}${nameSuffix}`) } as MonitorCheck & { name: string });
  }
}

function importPush(importing: Importing, monitor: Fields, common: { readonly name: string }, where: string): void {
  if (importing.add(where, { checkType: "HEARTBEAT", ...common, heartbeat: heartbeatOf(monitor) }))
    importing.warn(where, "becomes a heartbeat: its sender must call the new ping URL instead of Uptime Kuma");
}

/** Those that the monitor is in, the outermost first. A group that is in itself ends it. */
function groupNames(monitor: Fields, all: ReadonlyMap<unknown, Fields>): readonly string[] {
  const groups: string[] = [];
  const seen = new Set<Fields>([monitor]);
  for (let group = all.get(monitor["parent"]); group !== undefined && !seen.has(group); group = all.get(group["parent"])) {
    seen.add(group);
    groups.unshift(textOf(group["name"]) ?? "group");
  }
  return groups;
}

function tagsOf({ tags }: Fields): readonly string[] {
  return listOf(tags).flatMap((tag) => {
    const { name, value } = fieldsOf(tag);
    const [label, text] = [textOf(name), textOf(value) ?? ""];
    return label === undefined || label === "" ? [] : [(text === "" ? label : `${label}:${text}`).slice(0, 255)];
  });
}

function descriptionOf({ description }: Fields): object {
  const text = (textOf(description) ?? "").trim();
  return text === "" ? {} : { description: text.slice(0, 500).toWellFormed() };
}

/** Kuma writes 0 and 1. */
function isOff(value: unknown): boolean {
  return value === false || value === 0;
}

function runFields(importing: Importing, { interval }: Fields, where: string): object {
  const seconds = typeof interval === "number" && interval > 0 ? interval : defaultIntervalSeconds;
  return frequencyFields(importing, `${where}.interval`, `${seconds}s`, defaultIntervalSeconds * 1_000);
}

/** Kuma tries again after a while before it tells that something is down. */
function retryFields({ maxretries, retryInterval, interval }: Fields): object {
  if (typeof maxretries !== "number" || maxretries < 1) return { retryStrategy: null };
  const seconds = [retryInterval, interval].find((one) => typeof one === "number" && one >= 0);
  const baseBackoffSeconds = Math.min(600, Number(seconds ?? defaultIntervalSeconds));
  return { retryStrategy: { type: "FIXED", baseBackoffSeconds, maxRetries: Math.min(10, Math.floor(maxretries)) } };
}
