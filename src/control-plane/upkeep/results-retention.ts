import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type {
  AgentErrorStore,
  AnalysisStore,
  AuditStore,
  CheckAlertStore,
  InvitationStore,
  PasswordResetStore,
  ResultStore,
  SignInStore,
} from "../storage/storage.ts";

const batchSize = 5_000;
const idleMs = 10 * 60_000;
/** Between batches, so that pruning never holds up ingest. */
const breathMs = 250;

/**
 * Removes results, alerts and analyses of failures that are older than RESULTS_KEEP_DAYS, details and files of results past DETAILS_KEEP_DAYS, entries of the audit log
 * past AUDIT_KEEP_DAYS, errors of agents past ERROR_EVENTS_KEEP_DAYS, and sign-ins, invitations and links to new passwords that expired, in small batches.
 */
export function createResultsRetention(deps: {
  readonly results: Pick<ResultStore, "prune">;
  readonly keepMs: number;
  readonly detailsKeepMs: number;
  readonly checkAlerts: Pick<CheckAlertStore, "prune">;
  readonly analyses: Pick<AnalysisStore, "prune">;
  readonly audit: Pick<AuditStore, "prune">;
  readonly auditKeepMs: number;
  readonly agentErrors: Pick<AgentErrorStore, "prune">;
  readonly errorEventsKeepMs: number;
  readonly signIns: Pick<SignInStore, "prune">;
  readonly invitations: Pick<InvitationStore, "prune">;
  readonly passwordResets: Pick<PasswordResetStore, "prune">;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  async function turn(): Promise<number> {
    const { more } = await deps.results.prune(deps.nowMs() - deps.keepMs, batchSize, deps.nowMs() - deps.detailsKeepMs);
    const moreAlerts = await deps.checkAlerts.prune(deps.keepMs, deps.nowMs(), batchSize);
    const analysed = await deps.analyses.prune(deps.nowMs() - deps.keepMs, batchSize);
    const audited = await deps.audit.prune(deps.nowMs() - deps.auditKeepMs, batchSize);
    const forgotten = await deps.agentErrors.prune(deps.nowMs() - deps.errorEventsKeepMs, batchSize);
    const signedOut = await deps.signIns.prune(deps.nowMs(), batchSize);
    const uninvited = await deps.invitations.prune(deps.nowMs(), batchSize);
    const unused = await deps.passwordResets.prune(deps.nowMs(), batchSize);
    return more || moreAlerts || Math.max(analysed, audited, forgotten, signedOut, uninvited, unused) === batchSize ? breathMs : idleMs;
  }

  return loop("results retention", turn, (error) => {
    deps.log.error({ err: error }, "removing old results failed");
    return 60_000;
  });
}
