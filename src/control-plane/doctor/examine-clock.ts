import { noticeableSkewMs } from "#contract/agent-protocol.ts";
import type { ClockReading, Finding } from "./finding.ts";

const about = "system clock";

/** The reading of a Date header; none where there is none. */
export function clockOf(whose: string, date: string | string[] | undefined): readonly ClockReading[] {
  const theirsMs = Date.parse(String(date ?? ""));
  return Number.isNaN(theirsMs) ? [] : [{ whose, aheadMs: Date.now() - theirsMs }];
}

/** This machine's clock against those that were met on the way. */
export function clockFinding(readings: readonly ClockReading[]): Finding {
  if (readings.length === 0) return { about, verdict: "ok", text: "there was no other clock to compare with" };
  const off = readings.filter(({ aheadMs }) => Math.abs(aheadMs) >= noticeableSkewMs);
  if (off.length === 0) return { about, verdict: "ok", text: `it agrees with ${readings.map(({ whose }) => whose).join(" and ")}` };
  const told = off.map(({ whose, aheadMs }) => `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? "ahead of" : "behind"} ${whose}`);
  const next = "start a time service (chrony, systemd-timesyncd) on both; sign-ins by OpenID and S3 fail with a clock that is wrong";
  return { about, verdict: "warn", text: `this machine's clock is ${told.join(" and ")}`, next };
}
