import type { ChannelSenders } from "../alerting/channels/channel-sender.ts";
import type { BlobStore } from "../blob-store/blob-store.ts";
import type { Handler } from "../http/handler.ts";
import type { Sealing } from "../keys/sealing.ts";
import { documentKinds } from "../kinds/index.ts";
import type { Storage } from "../storage/storage.ts";
import { accountHandlers } from "./accounts.ts";
import { alertChannelHandlers } from "./alert-channels.ts";
import { analyticsHandlers } from "./analytics.ts";
import { heartbeatAnalyticsHandlers } from "./analytics-heartbeats.ts";
import { analyticsSummaryHandlers } from "./analytics-summary.ts";
import { type ApiKeyDeps, apiKeyHandlers } from "./api-keys.ts";
import { auditLogHandlers } from "./audit-log.ts";
import { badgeHandlers } from "./badges.ts";
import { checkAlertHandlers } from "./check-alerts.ts";
import { checkCoverageHandlers } from "./check-coverage.ts";
import { checkGapHandlers } from "./check-gaps.ts";
import { checkGroupHandlers } from "./check-groups.ts";
import { checkResultHandlers } from "./check-results.ts";
import { type CheckSessionDeps, checkSessionHandlers } from "./check-sessions.ts";
import { checkStatusHandlers } from "./check-statuses.ts";
import { type CheckHandlerDeps, checkHandlers } from "./checks.ts";
import { type CodeBundleDeps, codeBundleHandlers } from "./code-bundles.ts";
import { codeSessionHandlers } from "./code-sessions.ts";
import { codeSnapshotHandlers } from "./code-snapshots.ts";
import { dashboardHandlers } from "./dashboards.ts";
import { deploymentTriggerHandlers } from "./deployment-triggers.ts";
import { type EntitlementDeps, entitlementHandlers } from "./entitlements.ts";
import { errorGroupHandlers } from "./error-groups.ts";
import { givenUpHandlers } from "./given-up-alerts.ts";
import { heartbeatHandlers } from "./heartbeats.ts";
import { incidentHandlers } from "./incidents.ts";
import { kindHandlers } from "./kind-handlers.ts";
import { locationHostHandlers } from "./location-hosts.ts";
import { locationHandlers } from "./locations.ts";
import { maintenanceHandlers } from "./maintenances.ts";
import { memberHandlers } from "./members.ts";
import { type PageDomainHandlerDeps, pageDomainHandlers } from "./page-domains.ts";
import { type PrivateLocationDeps, privateLocationHandlers } from "./private-locations.ts";
import { withProjectBindings } from "./project-bindings.ts";
import { prometheusExportHandlers } from "./prometheus-export.ts";
import { reportingHandlers } from "./reporting.ts";
import { type AnalysisDeps, analysisHandlers } from "./root-cause-analyses.ts";
import { runtimeHandlers } from "./runtimes.ts";
import { secretScanHandlers } from "./secret-scans.ts";
import { type StaticAddressDeps, staticAddressHandlers } from "./static-addresses.ts";
import { incidentUpdateHandlers } from "./status-pages/incident-updates.ts";
import { statusPageHandlers } from "./status-pages/pages.ts";
import { statusPageSubscriptionHandlers } from "./status-pages/subscriptions.ts";
import { suiteTestHandlers } from "./suite-tests.ts";
import { testResultPartHandlers } from "./test-result-parts.ts";
import { testErrorGroupHandlers } from "./test-session-error-groups.ts";
import { testSessionHandlers } from "./test-sessions.ts";
import { trialHandlers } from "./trials.ts";
import { triggerHandlers } from "./triggers.ts";
import { usageHandlers } from "./usage.ts";

export interface ResourceDeps
  extends Pick<CheckSessionDeps, "waits" | "publicUrl">,
    Pick<CodeBundleDeps, "bundleUploads">,
    Pick<EntitlementDeps, "resultsKeepMs" | "rollupsKeepMs" | "canSendMail">,
    StaticAddressDeps,
    Pick<AnalysisDeps, "wakeAnalyses">,
    Pick<PageDomainHandlerDeps, "pageDomainsTrusted">,
    Pick<PrivateLocationDeps, "hashOf" | "nowMs" | "agentGoneMs"> {
  readonly storage: Storage;
  readonly forgetKey: ApiKeyDeps["forgetKey"];
  readonly pingBase: CheckHandlerDeps["pingBase"];
  readonly countRequest: CheckHandlerDeps["countRequest"];
  /** For the secrets in what users store. */
  readonly sealing: Sealing;
  /** Whoever may write also reads them. */
  readonly secretsReadable: boolean;
  /** Where large files of results are; null where none are kept. */
  readonly blobs: BlobStore | null;
  readonly senders: ChannelSenders;
  /** The provider with which members may sign in; null where there is none. */
  readonly oidc: object | null;
}

/** Every operation of the REST API: those that all kinds have, and each resource's own. */
export function resourceHandlers({ storage, ...deps }: ResourceDeps): readonly Handler[] {
  const kinds = Object.values(documentKinds).filter((kind) => kind !== null);
  const handlers = [
    ...kinds.flatMap((kind) => kindHandlers(kind, { ...deps, ...storage })),
    ...accountHandlers({ ...deps, storage, hasProvider: deps.oidc !== null }),
    ...memberHandlers({ ...deps, ...storage }),
    ...entitlementHandlers(deps),
    ...secretScanHandlers({ ...deps, ...storage }),
    ...staticAddressHandlers(deps),
    ...alertChannelHandlers({ ...deps, ...storage }),
    ...apiKeyHandlers({ ...deps, keys: storage.keys }),
    ...analyticsHandlers({ ...deps, checks: storage.checks, analytics: storage.analytics }),
    ...analyticsSummaryHandlers({ ...deps, ...storage }),
    ...usageHandlers({ ...deps, ...storage }),
    ...auditLogHandlers(storage.audit),
    ...badgeHandlers({ ...deps, ...storage }),
    ...checkHandlers({ ...deps, ...storage }),
    ...checkCoverageHandlers({ ...deps, ...storage }),
    ...checkGapHandlers(storage),
    ...checkGroupHandlers({ ...deps, ...storage }),
    ...checkResultHandlers({ ...deps, checks: storage.checks, results: storage.results }),
    ...suiteTestHandlers(storage),
    ...checkSessionHandlers({ ...deps, ...storage }),
    ...checkStatusHandlers(storage.checks),
    ...checkAlertHandlers(storage),
    ...givenUpHandlers({ ...deps, ...storage }),
    ...codeSessionHandlers({ ...deps, ...storage }),
    ...testResultPartHandlers({ ...deps, ...storage }),
    ...codeBundleHandlers({ ...deps, ...storage }),
    ...codeSnapshotHandlers({ ...deps, ...storage }),
    ...dashboardHandlers({ ...deps, ...storage }),
    ...errorGroupHandlers({ ...deps, ...storage }),
    ...analysisHandlers({ ...deps, ...storage }),
    ...heartbeatAnalyticsHandlers({ ...deps, checks: storage.checks, heartbeats: storage.heartbeats }),
    ...heartbeatHandlers({ ...deps, checks: storage.checks, heartbeats: storage.heartbeats }),
    ...incidentHandlers({ ...deps, documents: storage.documents }),
    ...locationHandlers(),
    ...locationHostHandlers(storage),
    ...maintenanceHandlers({ ...deps, documents: storage.documents }),
    ...pageDomainHandlers({ ...deps, ...storage }),
    ...privateLocationHandlers({ ...deps, ...storage }),
    ...prometheusExportHandlers({ ...deps, ...storage }),
    ...reportingHandlers({ ...deps, ...storage }),
    ...runtimeHandlers(),
    ...triggerHandlers({ ...deps, ...storage }),
    ...deploymentTriggerHandlers({ ...deps, ...storage }),
    ...statusPageHandlers({ ...deps, ...storage }),
    ...incidentUpdateHandlers({ ...deps, documents: storage.documents }),
    ...statusPageSubscriptionHandlers({ ...deps, ...storage }),
    ...testSessionHandlers({ ...deps, ...storage }),
    ...testErrorGroupHandlers({ ...deps, ...storage }),
    ...trialHandlers({ ...deps, ...storage }),
  ];
  return handlers.map((one) => withProjectBindings(storage, one));
}
