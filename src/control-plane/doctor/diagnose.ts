import { withDeadline } from "#daemon/deadline.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { hasCode } from "#domain/app-error.ts";
import type { ControlPlaneConfig } from "../config.ts";
import { examineAgents } from "./examine-agents.ts";
import { examineArtifacts } from "./examine-artifacts.ts";
import { clockFinding } from "./examine-clock.ts";
import { examineDatabase } from "./examine-database.ts";
import { examineFolder } from "./examine-folder.ts";
import { examineKeys } from "./examine-keys.ts";
import { examineMail } from "./examine-mail.ts";
import { examineModel } from "./examine-model.ts";
import { examineOpenid } from "./examine-openid.ts";
import { examineProxies } from "./examine-proxies.ts";
import { examinePublicUrl } from "./examine-public-url.ts";
import { examineTelemetry } from "./examine-telemetry.ts";
import { examineTlsFiles } from "./examine-tls-files.ts";
import { type Examined, type Finding, type Subject, subjects } from "./finding.ts";

/** Longer than every part takes that has deadlines of its own. */
const partLimitMs = 30_000;
const storeLimitMs = 60_000;

/** Examines everything that a control plane with these settings stands on, beside a running one or without. Changes nothing but for probes that it removes. */
export async function diagnose(config: ControlPlaneConfig, signal: AbortSignal): Promise<readonly Finding[]> {
  const { channels, oidc, proxies, artifactStore, rootCauseModel } = config;
  const parts = await Promise.all([
    bounded("data folder", partLimitMs, signal, () => examineFolder(config)),
    bounded("database", storeLimitMs, signal, () => examineStore(config)),
    bounded("forward proxy", partLimitMs, signal, (limited) => examineProxies(config, limited)),
    bounded("TLS files", partLimitMs, signal, async () => examineTlsFiles(config)),
    bounded("public URL", partLimitMs, signal, (limited) => examinePublicUrl(config, limited)),
    bounded("mail", partLimitMs, signal, (limited) => examineMail(channels.smtp, limited)),
    bounded("OpenID", partLimitMs, signal, (limited) => examineOpenid(oidc, proxies, limited)),
    bounded("root-cause model", partLimitMs, signal, (limited) => examineModel(rootCauseModel, proxies, limited)),
    bounded("telemetry", partLimitMs, signal, (limited) => examineTelemetry(config, limited)),
    bounded("artifacts", partLimitMs, signal, () => examineArtifacts(artifactStore, proxies)),
  ]);
  const findings = [...parts.flatMap((part) => part.findings), clockFinding(parts.flatMap(({ clocks = [] }) => clocks))];
  return findings.toSorted((a, b) => subjects.indexOf(a.about) - subjects.indexOf(b.about));
}

/** The database, and what is held against it. */
async function examineStore(config: ControlPlaneConfig): Promise<Examined> {
  const database = await examineDatabase(config);
  const { store, isNew } = database;
  const keys = store !== null || isNew ? await examineKeys(config, store?.marks ?? null) : { findings: [] };
  const agents = store === null || store.schema !== store.neededSchema ? { findings: [] } : examineAgents(store, Date.now());
  return { findings: [...database.findings, ...keys.findings, ...agents.findings], clocks: database.clocks ?? [] };
}

async function bounded(
  about: Subject,
  limitMs: number,
  signal: AbortSignal,
  examine: (limited: AbortSignal) => Promise<Examined>,
): Promise<Examined> {
  try {
    return await withDeadline(signal, limitMs, about, (limited) => untilAborted(limited, examine(limited)));
  } catch (error) {
    signal.throwIfAborted();
    if (hasCode(error, "deadline_exceeded")) {
      const next = "something on the way answers nothing: look at its log, and the firewall";
      return { findings: [{ about, verdict: "fail", text: `it could not be examined within ${limitMs / 1000} s`, next }] };
    }
    // What nobody foresaw of one part keeps the others from nobody.
    const text = `it could not be examined: ${error instanceof Error ? error.message : String(error)}`;
    return { findings: [{ about, verdict: "fail", text, next: "put right what it says, then ask the doctor again" }] };
  }
}
