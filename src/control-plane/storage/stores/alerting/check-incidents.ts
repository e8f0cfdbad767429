import { randomUUID } from "node:crypto";
import { incidentStep, openedIncident, resolvedIncident } from "#domain/alerting/check-incident.ts";
import { type StatusPageIncidentDefinition, statusOf } from "#domain/incidents.ts";
import { heldUntilMs } from "#domain/maintenance-effects.ts";
import type { DocumentChange, DocumentRow } from "../../document-store.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { changeDocument, insertDocument } from "../documents.ts";
import { maintenanceEffects } from "../maintenance-effects.ts";
import type { NewAlert } from "./new-alert.ts";

export const incidentKind = "status-page-incident";

/**
 * Opens and resolves the incidents of checks, in the transaction that writes the alerts: what is told has its incident, whatever is
 * restarted and however many control planes there are. Until the recovery the incident has its check's name, so that there is one at most.
 *
 * @param alerts ascending by check, so that two transactions do not wait for each other
 */
export async function writeIncidents(engine: Engine, trx: Trx, alerts: readonly NewAlert[]): Promise<void> {
  const steps = alerts.filter(({ check, alert: { type } }) => {
    const step = incidentStep[type];
    return step === "resolve" || (step === "open" && check.triggerIncident !== null);
  });
  if (steps.length === 0) return;
  const taken = await takenNames(engine, trx, steps);
  const isSuppressed = await suppression(engine, trx, steps);
  for (const one of steps) {
    const name = nameOf(one);
    const isOpening = incidentStep[one.alert.type] === "open";
    if (isOpening && isSuppressed(one)) continue;
    const before = taken.has(name) ? await changeIncident(engine, trx, one, isOpening ? released : resolved(one)) : undefined;
    // Open until the recovery, whatever the check went through.
    if (isOpening && before?.name !== name) await openIncident(trx, one);
    if (isOpening) taken.add(name);
    else taken.delete(name);
  }
}

/** Whether a maintenance window keeps an alert from opening an incident. */
async function suppression(engine: Engine, trx: Trx, steps: readonly NewAlert[]): Promise<(one: NewAlert) => boolean> {
  const accountIds = [...new Set(steps.map(({ check }) => check.accountId))];
  const times = steps.map(({ alert }) => alert.atMs);
  const time = { fromMs: Math.min(...times), toMs: Math.max(...times) };
  const effects = await maintenanceEffects(engine, trx, "suppressesIncidents", accountIds, time);
  return ({ check: { accountId, tags, triggerIncident }, alert: { atMs } }) =>
    heldUntilMs(effects.get(accountId) ?? [], [...tags, triggerIncident?.serviceId.toLowerCase() ?? ""], atMs) !== null;
}

/** Numbers of checks are unique in the whole installation. */
export function incidentNameOf(checkId: number): string {
  return `check:${checkId}`;
}

function nameOf({ check }: NewAlert): string {
  return incidentNameOf(check.id);
}

async function takenNames(engine: Engine, trx: Trx, steps: readonly NewAlert[]): Promise<Set<string | null>> {
  const rows = await trx
    .selectFrom("documents")
    .select("name")
    .where(engine.isAny("account_id", [...new Set(steps.map(({ check }) => check.accountId))]))
    .where("kind", "=", incidentKind)
    .where(engine.isAny("name", steps.map(nameOf)))
    .execute();
  return new Set(rows.map(({ name }) => name));
}

type Change = (before: DocumentRow<StatusPageIncidentDefinition>) => DocumentChange<StatusPageIncidentDefinition>;

/** @returns undefined where people deleted it */
function changeIncident(engine: Engine, trx: Trx, one: NewAlert, change: Change) {
  return changeDocument(engine, trx, one.check.accountId, incidentKind, { name: nameOf(one) }, change, one.alert.atMs);
}

/** People resolved it while its check went on failing: what fails now is another incident. */
function released({ name, definition }: DocumentRow<StatusPageIncidentDefinition>): DocumentChange<StatusPageIncidentDefinition> {
  return { definition, name: statusOf(definition.updates) === "RESOLVED" ? null : name };
}

function resolved({ check, alert }: NewAlert): Change {
  return ({ definition }) => ({ definition: resolvedIncident(definition, check.name, randomUUID(), alert.atMs), name: null, open: false });
}

async function openIncident(trx: Trx, one: NewAlert): Promise<void> {
  const { check, alert } = one;
  if (check.triggerIncident === null) return;
  const definition = openedIncident(check.triggerIncident, check.name, randomUUID(), alert.atMs);
  await insertDocument(trx, {
    accountId: check.accountId,
    kind: incidentKind,
    name: nameOf(one),
    definition,
    open: true,
    nowMs: alert.atMs,
  });
}
