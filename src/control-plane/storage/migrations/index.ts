import { initial } from "./0001-initial.ts";
import { resultAssets } from "./0002-result-assets.ts";
import { marks } from "./0003-marks.ts";
import { scriptRuntime } from "./0004-script-runtime.ts";
import { documents } from "./0005-documents.ts";
import { rollups } from "./0006-rollups.ts";
import { checkGroups } from "./0007-check-groups.ts";
import { heartbeats } from "./0008-heartbeats.ts";
import { failuresAndTestSessions } from "./0009-failures-and-test-sessions.ts";
import { access } from "./0010-access.ts";
import { alerting } from "./0011-alerting.ts";
import { openDocuments } from "./0012-open-documents.ts";
import { checkCounters } from "./0013-check-counters.ts";
import { detailPacks } from "./0014-detail-packs.ts";
import { agentErrors } from "./0015-agent-errors.ts";
import { artifacts } from "./0016-artifacts.ts";
import { alertStates } from "./0017-alert-states.ts";
import { alertDeliveries } from "./0018-alert-deliveries.ts";
import { certificateNotices } from "./0019-certificate-notices.ts";
import { locationSilences } from "./0020-location-silences.ts";
import { subscriberMails } from "./0021-subscriber-mails.ts";
import { people } from "./0022-people.ts";
import { alertRetention } from "./0023-alert-retention.ts";
import { missedRuns } from "./0024-missed-runs.ts";
import { passwordResets } from "./0025-password-resets.ts";
import { maintenanceMails } from "./0026-maintenance-mails.ts";
import { checkRevisions } from "./0027-check-revisions.ts";
import { agentPlatform } from "./0028-agent-platform.ts";
import { trials } from "./0029-trials.ts";
import { limitedKeys } from "./0040-limited-keys.ts";
import { keyPlaces } from "./0041-key-places.ts";
import { locationHosts } from "./0042-location-hosts.ts";
import { secondFactors } from "./0043-second-factors.ts";
import { pageDomains } from "./0046-page-domains.ts";
import { removedAccounts } from "./0047-removed-accounts.ts";
import { hashedPingTokens } from "./0050-hashed-ping-tokens.ts";
import { scriptChecks } from "./0051-script-checks.ts";
import { pageFigures } from "./0052-page-figures.ts";
import { screenshotBaselines } from "./0053-screenshot-baselines.ts";
import { scriptRuns } from "./0054-script-runs.ts";
import { scheduleGaps } from "./0055-schedule-gaps.ts";
import { installationClock } from "./0056-installation-clock.ts";
import { givenUpAlerts } from "./0057-given-up-alerts.ts";
import { indexesOfLooks } from "./0058-indexes-of-looks.ts";
import { codeBundles } from "./0062-code-bundles.ts";
import { projects } from "./0070-projects.ts";
import { locationStandings } from "./0071-location-standings.ts";
import { alertEpisodes } from "./0072-alert-episodes.ts";
import { leasesOnBothClocks } from "./0073-leases-on-both-clocks.ts";
import { mutedUntil } from "./0074-muted-until.ts";
import { suiteRuns } from "./0075-suite-runs.ts";
import { rootCauses } from "./0076-root-causes.ts";
import { clients } from "./0077-clients.ts";
import { plans } from "./0078-plans.ts";
import { prompts } from "./0079-prompts.ts";
import { deployedCommits } from "./0081-deployed-commits.ts";
import { codeSnapshots } from "./0082-code-snapshots.ts";
import { causesAgain } from "./0083-causes-again.ts";
import { analysedChecks } from "./0084-analysed-checks.ts";
import { auditChanges } from "./0087-audit-changes.ts";
import { changesOfResources } from "./0088-changes-of-resources.ts";
import type { Migration } from "./migration.ts";

/** Every migration, in order. */
export const migrations: readonly Migration[] = [
  initial,
  resultAssets,
  marks,
  scriptRuntime,
  documents,
  rollups,
  checkGroups,
  heartbeats,
  failuresAndTestSessions,
  access,
  alerting,
  openDocuments,
  checkCounters,
  detailPacks,
  agentErrors,
  artifacts,
  alertStates,
  alertDeliveries,
  certificateNotices,
  locationSilences,
  subscriberMails,
  people,
  alertRetention,
  missedRuns,
  passwordResets,
  maintenanceMails,
  checkRevisions,
  agentPlatform,
  trials,
  limitedKeys,
  keyPlaces,
  locationHosts,
  secondFactors,
  pageDomains,
  removedAccounts,
  hashedPingTokens,
  scriptChecks,
  pageFigures,
  screenshotBaselines,
  scriptRuns,
  scheduleGaps,
  installationClock,
  givenUpAlerts,
  indexesOfLooks,
  codeBundles,
  projects,
  locationStandings,
  alertEpisodes,
  leasesOnBothClocks,
  mutedUntil,
  suiteRuns,
  rootCauses,
  clients,
  plans,
  prompts,
  deployedCommits,
  codeSnapshots,
  causesAgain,
  analysedChecks,
  auditChanges,
  changesOfResources,
];
