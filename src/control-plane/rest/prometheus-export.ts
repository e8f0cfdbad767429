import { traitsOf } from "#contract/checks/traits.ts";
import { exportPrometheusMetrics } from "#contract/prometheus-export.ts";
import { mutedNow } from "#domain/muted-for.ts";
import { aggregate } from "#domain/statistics/aggregate.ts";
import { type CheckFigureDeps, durationColumns, durationOf, figuresOf } from "../figures/check-figures.ts";
import type { AccountCaller, Handler } from "../http/handler.ts";
import { handler } from "../http/handler.ts";
import { notFound } from "../kinds/not-found.ts";
import type { RunFigures } from "../storage/analytics-store.ts";
import type { AccountStore, CheckIndexStore, IndexedCheck } from "../storage/storage.ts";
import { labelText, MetricFamily } from "./prometheus-text.ts";

export interface PrometheusExportDeps extends CheckFigureDeps {
  readonly accounts: Pick<AccountStore, "byId">;
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly nowMs: () => number;
}

/** Several scrapers, and one that asks too often, cost what one does. */
const freshMs = 15_000;
const windowMs = 3_600_000;

export function prometheusExportHandlers(deps: PrometheusExportDeps): readonly Handler[] {
  const pages = new Map<number, { readonly text: Promise<string>; readonly endsAtMs: number }>();
  return [
    handler(exportPrometheusMetrics, async ({ params: { accountId } }, { caller }) => {
      const account = await accountOf(deps, caller, accountId);
      const now = deps.nowMs();
      for (const [id, { endsAtMs }] of pages) if (endsAtMs <= now) pages.delete(id);
      const known = pages.get(account.id);
      if (known !== undefined) return known.text;
      const text = exportOf(deps, account.id, now);
      pages.set(account.id, { text, endsAtMs: now + freshMs });
      text.catch(() => pages.delete(account.id));
      return text;
    }),
  ];
}

/** Of a user key, too: the path names the account as well as the header does. */
async function accountOf({ accounts }: PrometheusExportDeps, { accountId }: AccountCaller, id: string) {
  const account = await accounts.byId(accountId);
  if (account?.uuid !== id.toLowerCase()) throw notFound("account", id);
  return account;
}

async function exportOf(deps: PrometheusExportDeps, accountId: number, nowMs: number): Promise<string> {
  const checks = await deps.checkIndex.ofAccount(accountId);
  const families = newFamilies();
  for (const check of checks) addState(families, check, nowMs);
  const figures = await figuresOf(deps, checks, { fromMs: nowMs - windowMs, toMs: nowMs }, durationColumns);
  for (const check of checks) addFigures(families, check, figures.get(check.id));
  return Object.values(families)
    .map((family) => family.text())
    .join("");
}

function newFamilies() {
  const gauge = (name: string, help: string) => new MetricFamily("gauge", `outpost_check_${name}`, help);
  const counter = (name: string, help: string) => new MetricFamily("counter", `outpost_check_${name}_total`, help);
  return {
    info: gauge("info", "Always 1; the labels tell of the check"),
    up: gauge("up", "0 when the check fails, after its latest result; 1 when it passes or is degraded"),
    degraded: gauge("degraded", "1 when the check is degraded, after its latest result"),
    lastRun: gauge("last_run_timestamp_seconds", "When the latest result's run started"),
    ssl: gauge("ssl_days_remaining", "Days until the certificate expires, negative after"),
    results: counter("results", "Results of runs that ended, by outcome"),
    seconds: counter("response_time_seconds", "Response times of all results, added up"),
    availability: gauge("availability_ratio", "Share of the last hour's runs that did not fail, 0 to 1"),
    time: gauge("response_time_seconds", "Quantiles of the last hour's response times"),
  };
}
type Families = ReturnType<typeof newFamilies>;

function ownLabels({ uuid, name, type }: IndexedCheck) {
  return { check_id: uuid, check_name: name, check_type: type };
}

/** Of a deactivated check only that it is there: what it last was is not how it is. */
function addState(families: Families, check: IndexedCheck, nowMs: number): void {
  const { activated, groupName, tags, latest, totals } = check;
  const told = {
    activated: String(activated),
    muted: String(mutedNow(check, nowMs) !== null),
    group_name: groupName ?? "",
    tags: tags.length > 0 ? `,${tags.join()},` : "",
  };
  families.info.add(labelText({ ...ownLabels(check), ...told }), 1);
  if (!activated || latest === null) return;
  const labels = labelText(ownLabels(check));
  families.up.add(labels, Number(latest.status !== "failing"));
  families.degraded.add(labels, Number(latest.status === "degraded"));
  families.lastRun.add(labels, latest.startedAtMs / 1000);
  if (latest.sslDaysRemaining !== null) families.ssl.add(labels, latest.sslDaysRemaining);
  for (const outcome of ["passed", "degraded", "failed"] as const) families.results.add(`${labels},outcome="${outcome}"`, totals[outcome]);
  if (traitsOf(check.type).duration !== null) families.seconds.add(labels, totals.responseTimeMs / 1000);
}

const quantiles = { "0.5": "p50", "0.95": "p95", "0.99": "p99" } as const;

function addFigures(families: Families, check: IndexedCheck, figures: RunFigures | undefined): void {
  if (figures === undefined) return;
  const labels = labelText(ownLabels(check));
  if (figures.runs > 0) families.availability.add(labels, figures.passed / figures.runs);
  const times = durationOf(check.type, figures);
  for (const [quantile, by] of Object.entries(quantiles)) {
    const ms = aggregate(times, by);
    if (ms !== null) families.time.add(`${labels},quantile="${quantile}"`, ms / 1000);
  }
}
