import { version as ours } from "#daemon/version.ts";
import { oneLine } from "#domain/alerting/plain-text.ts";
import { compareVersions } from "#domain/version-order.ts";
import type { StoreExamination } from "../storage/examine-store.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "agents";
/** An agent of a location tells of itself every few seconds. */
const silentMs = 5 * 60_000;
const named = 10;

/** Agents by their versions (docs/operations/upgrade.md, who works with whom), and locations that nobody is at. */
export function examineAgents({ agents, locations }: Pick<StoreExamination, "agents" | "locations">, nowMs: number): Examined {
  const findings: Finding[] = [];
  const ofOrder = (order: number) => agents.filter(({ version }) => Math.sign(compareVersions(version, ours)) === order);
  const [older, newer] = [ofOrder(-1), ofOrder(1)];
  if (newer.length > 0) {
    const next = "upgrade the control plane; they work only while the protocol is the same";
    findings.push({ about, verdict: "warn", text: `newer than this control plane (${ours}): ${listOf(newer)}`, next });
  }
  if (older.length > 0) {
    const next = "upgrade them, one after another; one minor version behind is the way of every upgrade, and no state to stay in";
    findings.push({ about, verdict: "warn", text: `older than this control plane (${ours}): ${listOf(older)}`, next });
  }
  const silent = locations.filter(({ lastSeenAtMs }) => lastSeenAtMs === null || nowMs - lastSeenAtMs > silentMs);
  if (silent.length > 0) {
    const told = silent.map(({ location, lastSeenAtMs }) => `${oneLine(location, 60)} (${sinceText(lastSeenAtMs, nowMs)})`);
    findings.push({ about, verdict: "warn", text: `no agent is at ${cutOff(told)}`, next: "where its agent should run: outpost doctor" });
  }
  if (findings.length > 0) return { findings };
  const text =
    locations.length === 0 ? "there is no private location yet" : `${agents.length} in the last 24 hours, all of version ${ours}`;
  return { findings: [{ about, verdict: "ok", text }] };
}

function listOf(agents: StoreExamination["agents"]): string {
  const counts = new Map<string, number>();
  for (const { version, location } of agents) {
    const name = `${oneLine(version, 40)} at ${oneLine(location, 60)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return cutOff([...counts].map(([name, count]) => (count === 1 ? name : `${count} of ${name}`)));
}

function cutOff(names: readonly string[]): string {
  const rest = names.length - named;
  return `${names.slice(0, named).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function sinceText(lastSeenAtMs: number | null, nowMs: number): string {
  if (lastSeenAtMs === null) return "never";
  const minutes = Math.round((nowMs - lastSeenAtMs) / 60_000);
  return minutes < 120 ? `last contact ${minutes} min ago` : `last contact ${Math.round(minutes / 60)} h ago`;
}
