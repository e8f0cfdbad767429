import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { findingsOf } from "../../../src/control-plane/doctor/doctor-main.ts";
import type { Finding, Subject } from "../../../src/control-plane/doctor/finding.ts";

/** A data folder of its own, which goes with it. */
export function dataFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "outpost-doctor-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Settings of a control plane that has nothing yet. */
export const usual = (dataDir: string): Record<string, string> => ({ DATA_DIR: dataDir, PORT: "0" });

export async function found(env: Record<string, string>): Promise<readonly Finding[]> {
  const findings = await findingsOf(env, new AbortController().signal);
  expect(JSON.stringify(findings)).not.toMatch(/passw0rd/);
  return findings;
}

/** The finding of `about` that is worst; each that is not good says what to do. */
export async function worst(about: Subject, env: Record<string, string>): Promise<Finding> {
  const findings = (await found(env)).filter((finding) => finding.about === about);
  for (const { verdict, next } of findings) if (verdict !== "ok") expect(next).toMatch(/\w{3,}/);
  const ranked = (["fail", "warn", "ok"] as const).flatMap((verdict) => findings.filter((finding) => finding.verdict === verdict));
  expect(ranked.length).toBeGreaterThan(0);
  return ranked[0] as Finding;
}
