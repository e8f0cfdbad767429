import { partsOf, uuidFrom } from "#domain/ids.ts";
import { attemptOfResult, jobOfResult, resultId, sessionOfJob } from "../storage/numbers.ts";

/**
 * The UUIDs under which clients know rows: the row's number, the time of its run, and what it names. Clients keep
 * them, so slots are only ever added.
 */
const slots = {
  session: 1,
  job: 2,
  result: 3,
  sequence: 4,
  errorGroup: 5,
  testSession: 6,
  testResult: 7,
  alert: 20,
  notification: 21,
  maintenance: 22,
  heartbeatEvent: 23,
  testErrorGroup: 24,
} as const;

interface OfRun {
  /** Epoch ms of the run that it belongs to. */
  readonly runAtMs: number;
}

export function sessionUuid({ no, runAtMs }: OfRun & { readonly no: number }): string {
  return uuidFrom(slots.session, runAtMs, no);
}

export function jobUuid({ no, runAtMs }: OfRun & { readonly no: number }): string {
  return uuidFrom(slots.job, runAtMs, no);
}

export function resultUuid({ jobNo, attempt, runAtMs }: OfRun & { readonly jobNo: number; readonly attempt: number }): string {
  return uuidFrom(slots.result, runAtMs, resultId(jobNo, attempt));
}

/** The same of a result's own number. */
export function resultUuidOf({ id, runAtMs }: OfRun & { readonly id: number }): string {
  return uuidFrom(slots.result, runAtMs, id);
}

/** Shared by all attempts of a job, wherever they ran. */
export function sequenceUuid({ jobNo, runAtMs }: OfRun & { readonly jobNo: number }): string {
  return uuidFrom(slots.sequence, runAtMs, jobNo);
}

export function alertUuid({ id, createdAtMs }: { readonly id: number; readonly createdAtMs: number }): string {
  return uuidFrom(slots.alert, createdAtMs, id);
}

/** Undefined for what is no alert's id. */
export function alertIdOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.alert);
}

export function notificationUuid({ id, sentAtMs }: { readonly id: number; readonly sentAtMs: number }): string {
  return uuidFrom(slots.notification, sentAtMs, id);
}

/** The n-th time of a maintenance window by its `plan`-th plan. */
export interface MaintenanceNumbers {
  readonly windowId: number;
  /** Below 2^16. */
  readonly plan: number;
  readonly index: number;
}

const indexes = 2 ** 32;

/** A maintenance needs no row until somebody changes it, so its id says which one it is. */
export function maintenanceUuid({ windowId, plan, index }: MaintenanceNumbers): string {
  return uuidFrom(slots.maintenance, plan * indexes + index, windowId);
}

/** Undefined for what is no maintenance's id. */
export function maintenanceNumbersOf(uuid: string): MaintenanceNumbers | undefined {
  const parts = partsOf(uuid);
  if (parts?.slot !== slots.maintenance) return undefined;
  return { windowId: parts.n, plan: Math.floor(parts.ms / indexes), index: parts.ms % indexes };
}

/** Undefined for what is no session's id. */
export function sessionNoOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.session);
}

/** Undefined for what is no job's id. */
export function jobNoOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.job);
}

/** The job whose attempts a sequence id names; undefined for what is no sequence's id. */
export function jobNoOfSequence(uuid: string): number | undefined {
  return numberOf(uuid, slots.sequence);
}

/** The session of that job. */
export function sessionNoOfSequence(uuid: string): number | undefined {
  const no = jobNoOfSequence(uuid);
  return no === undefined ? undefined : sessionOfJob(no);
}

/** Carries no time: results name their group by its number alone. */
export function errorGroupUuid(id: number): string {
  return uuidFrom(slots.errorGroup, 0, id);
}

/** Undefined for what is no error group's id. */
export function errorGroupIdOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.errorGroup);
}

export function testErrorGroupUuid(id: number): string {
  return uuidFrom(slots.testErrorGroup, 0, id);
}

/** Undefined for what is no id of an error group of test sessions. */
export function testErrorGroupIdOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.testErrorGroup);
}

export function heartbeatEventUuid({ id, atMs }: { readonly id: number; readonly atMs: number }): string {
  return uuidFrom(slots.heartbeatEvent, atMs, id);
}

/** Undefined for what is no heartbeat event's id. */
export function heartbeatEventIdOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.heartbeatEvent);
}

export function testSessionUuid({ id, startedAtMs }: { readonly id: number; readonly startedAtMs: number }): string {
  return uuidFrom(slots.testSession, startedAtMs, id);
}

/** Undefined for what is no test session's id. */
export function testSessionIdOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.testSession);
}

/** Of a job of a test session, before and after it ran; retried attempts have a `resultUuid` each. */
export function testResultUuid({ jobNo, runAtMs }: OfRun & { readonly jobNo: number }): string {
  return uuidFrom(slots.testResult, runAtMs, jobNo);
}

/** What the id of a test session's result names: a job, or one of its attempts. Undefined for what is no such id. */
export function testResultOf(uuid: string): { readonly jobNo: number; readonly attempt: number | null } | undefined {
  const job = numberOf(uuid, slots.testResult);
  if (job !== undefined) return { jobNo: job, attempt: null };
  const result = numberOf(uuid, slots.result);
  return result === undefined ? undefined : { jobNo: jobOfResult(result), attempt: attemptOfResult(result) };
}

function numberOf(uuid: string, slot: number): number | undefined {
  const parts = partsOf(uuid);
  return parts?.slot === slot ? parts.n : undefined;
}

/** As rows have theirs, in lower case. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}
