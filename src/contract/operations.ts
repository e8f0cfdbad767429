import { accountMemberOperations } from "./account-members.ts";
import { accountOperations } from "./accounts.ts";
import { agentArtifactOperations } from "./agent-artifacts.ts";
import { agentBaselineOperations } from "./agent-baselines.ts";
import { agentBundleOperations } from "./agent-bundles.ts";
import { agentPlanOperations } from "./agent-plans.ts";
import { agentOperations as agentProtocol } from "./agent-protocol.ts";
import { alertChannelOperations } from "./alert-channels.ts";
import { alertNotificationOperations } from "./alert-notifications.ts";
import { analyticsOperations } from "./analytics.ts";
import { apiKeyOperations } from "./api-keys.ts";
import { auditLogOperations } from "./audit-log.ts";
import { badgeOperations } from "./badges.ts";
import { changeOperations } from "./changes.ts";
import { checkAlertOperations } from "./check-alerts.ts";
import { checkCoverageOperations } from "./check-coverage.ts";
import { checkGapOperations } from "./check-gaps.ts";
import { checkGroupOperations } from "./check-groups.ts";
import { checkResultOperations } from "./check-results.ts";
import { checkSessionOperations } from "./check-sessions.ts";
import { checkStatusOperations } from "./check-statuses.ts";
import { checkOperations } from "./checks/operations.ts";
import { clientCertificateOperations } from "./client-certificates.ts";
import { codeBundleOperations } from "./code-bundles.ts";
import { codeSessionOperations } from "./code-sessions.ts";
import { codeSnapshotOperations } from "./code-snapshots.ts";
import { dashboardOperations } from "./dashboards.ts";
import { deploymentTriggerOperations } from "./deployment-triggers.ts";
import { entitlementOperations } from "./entitlements.ts";
import { errorGroupOperations } from "./error-groups.ts";
import { heartbeatOperations } from "./heartbeats.ts";
import { incidentOperations } from "./incidents.ts";
import { locationHostOperations } from "./location-hosts.ts";
import { locationOperations } from "./location-list.ts";
import { maintenanceWindowOperations } from "./maintenance-windows.ts";
import { maintenanceOperations } from "./maintenances.ts";
import { pageDomainOperations } from "./page-domains.ts";
import { privateLocationOperations } from "./private-locations.ts";
import { projectImportOperations } from "./project-imports.ts";
import { projectOperations } from "./projects.ts";
import { prometheusOperations } from "./prometheus-export.ts";
import { reportingOperations } from "./reporting.ts";
import { rootCauseAnalysisOperations } from "./root-cause-analyses.ts";
import { runtimeOperations } from "./runtimes.ts";
import { secretScanOperations } from "./secret-scans.ts";
import { snippetOperations } from "./snippets.ts";
import { staticAddressOperations } from "./static-addresses.ts";
import { statusPageIncidentOperations } from "./status-pages/incidents.ts";
import { statusPageOperations } from "./status-pages/pages.ts";
import { statusPageServiceOperations } from "./status-pages/services.ts";
import { statusPageSubscriptionOperations } from "./status-pages/subscriptions.ts";
import { suiteTestOperations } from "./suite-tests.ts";
import { testSessionErrorGroupOperations } from "./test-session-error-groups.ts";
import { testSessionOperations } from "./test-sessions.ts";
import { trialOperations } from "./trials.ts";
import { triggerOperations } from "./triggers.ts";
import { usageOperations } from "./usage.ts";
import { variableOperations } from "./variables.ts";

/** Every operation between agents and the control plane. */
export const agentOperations = [
  ...agentProtocol,
  ...agentArtifactOperations,
  ...agentBaselineOperations,
  ...agentPlanOperations,
  ...agentBundleOperations,
] as const;

/** Every operation of the REST API. */
export const operations = [
  ...accountOperations,
  ...accountMemberOperations,
  ...entitlementOperations,
  ...secretScanOperations,
  ...alertChannelOperations,
  ...alertNotificationOperations,
  ...apiKeyOperations,
  ...auditLogOperations,
  ...analyticsOperations,
  ...usageOperations,
  ...badgeOperations,
  ...changeOperations,
  ...checkOperations,
  ...checkCoverageOperations,
  ...checkGapOperations,
  ...checkGroupOperations,
  ...checkAlertOperations,
  ...checkResultOperations,
  ...suiteTestOperations,
  ...checkSessionOperations,
  ...checkStatusOperations,
  ...clientCertificateOperations,
  ...codeBundleOperations,
  ...codeSnapshotOperations,
  ...dashboardOperations,
  ...errorGroupOperations,
  ...rootCauseAnalysisOperations,
  ...heartbeatOperations,
  ...incidentOperations,
  ...locationOperations,
  ...staticAddressOperations,
  ...maintenanceWindowOperations,
  ...maintenanceOperations,
  ...pageDomainOperations,
  ...privateLocationOperations,
  ...locationHostOperations,
  ...projectOperations,
  ...projectImportOperations,
  ...prometheusOperations,
  ...reportingOperations,
  ...runtimeOperations,
  ...snippetOperations,
  ...statusPageIncidentOperations,
  ...statusPageOperations,
  ...statusPageServiceOperations,
  ...statusPageSubscriptionOperations,
  ...triggerOperations,
  ...deploymentTriggerOperations,
  ...variableOperations,
  ...testSessionOperations,
  ...codeSessionOperations,
  ...testSessionErrorGroupOperations,
  ...trialOperations,
] as const;
