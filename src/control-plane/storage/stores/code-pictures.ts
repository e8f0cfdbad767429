import { codeSnapshotLimits } from "#contract/code-snapshots.ts";
import type { Engine } from "../engine.ts";
import { sessionOfJob } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import type { CodePicture, TestSessionDefinition, TestSessionRow, TrialCheck } from "../storage.ts";
import { keepSnapshot } from "./code-snapshots.ts";
import type { heldJob } from "./held-job.ts";

type HeldJob = Awaited<ReturnType<typeof heldJob>>;

interface JobPictures {
  readonly pictures: readonly { readonly id: number; readonly name: string; readonly storedAtMs: number }[];
  readonly isCodeNamed: boolean;
  /** The run is to take them anew. */
  readonly isUpdate: boolean;
}

const room = { snapshots: codeSnapshotLimits.accountSnapshots, bytes: codeSnapshotLimits.accountBytes } as const;

/** What the code of a job's check brings to compare screenshots with, by the names that a run looks for. What was not uploaded is left out. */
export async function codePictures(engine: Engine, job: HeldJob): Promise<JobPictures> {
  const { reads } = engine;
  const isUpdate = (await updatesSnapshots(reads, job.test_session)) && (await trialOf(reads, job)) !== undefined;
  if (isUpdate) return { pictures: [], isCodeNamed: true, isUpdate };
  const named = await snapshotsOf(reads, job);
  if (named.snapshots.length === 0) return { pictures: [], isCodeNamed: false, isUpdate };
  const keys = [...new Set(named.snapshots.map(({ key }) => key))];
  const rows = await reads
    .selectFrom("code_snapshots")
    .select(["id", "sha256", "stored_at"])
    .where("account_id", "=", named.accountId)
    .where(engine.isAny("sha256", keys))
    .execute();
  const byKey = new Map(rows.map((row) => [row.sha256, row]));
  const pictures = named.snapshots.flatMap(({ key, path }) => {
    const row = byKey.get(key);
    return row === undefined || !path.endsWith(".png") ? [] : [{ id: row.id, name: nameOf(path), storedAtMs: row.stored_at }];
  });
  return { pictures, isCodeNamed: true, isUpdate };
}

/** Projects name their browser in their pictures; a run here has one project, which has no name. */
function nameOf(path: string): string {
  return path.replace(/-chromium-linux(?=\.png$)/, "-linux");
}

async function snapshotsOf(
  db: Engine["reads"],
  job: HeldJob,
): Promise<{ readonly accountId: number; readonly snapshots: readonly CodePicture[] }> {
  const trial = await trialOf(db, job);
  if (trial !== undefined) return { accountId: await accountOf(db, job), snapshots: picturesIn(trial.definition) };
  const row = await db.selectFrom("checks").select(["account_id", "definition"]).where("id", "=", job.check_id).executeTakeFirst();
  return { accountId: row?.account_id ?? 0, snapshots: row === undefined ? [] : picturesIn(JSON.parse(row.definition)) };
}

function picturesIn(definition: { readonly [name: string]: unknown }): readonly CodePicture[] {
  const { snapshots } = definition;
  return Array.isArray(snapshots) ? (snapshots as readonly CodePicture[]) : []; // parsed when it was stored
}

async function trialOf(db: Pick<Trx, "selectFrom">, { no, test_session }: HeldJob): Promise<TrialCheck | undefined> {
  if (test_session === null) return undefined;
  const row = await db.selectFrom("trials").select("trial").where("session_no", "=", sessionOfJob(no)).executeTakeFirst();
  return row && (JSON.parse(row.trial) as TrialCheck);
}

async function accountOf(db: Pick<Trx, "selectFrom">, { no }: HeldJob): Promise<number> {
  const row = await db.selectFrom("sessions").select("account_id").where("no", "=", sessionOfJob(no)).executeTakeFirst();
  return row?.account_id ?? 0;
}

async function updatesSnapshots(db: Pick<Trx, "selectFrom">, testSession: number | null): Promise<boolean> {
  if (testSession === null) return false;
  const row = await db.selectFrom("test_sessions").select("definition").where("id", "=", testSession).executeTakeFirst();
  return row !== undefined && (JSON.parse(row.definition) as TestSessionDefinition).updatesSnapshots === true;
}

/** Of a run whose client asked for them; of any other nothing is kept. */
export async function keepCodePicture(
  engine: Engine,
  trx: Trx,
  job: HeldJob,
  { name, body }: { readonly name: string; readonly body: Uint8Array },
  nowMs: number,
): Promise<void> {
  if (!(await updatesSnapshots(trx, job.test_session))) return;
  const key = await keepSnapshot(engine, trx, await accountOf(trx, job), body, room, nowMs);
  const session = sessionOfJob(job.no);
  const row = await engine
    .lockRows(trx.selectFrom("trials").select(["session_no", "pictures"]).where("session_no", "=", session))
    .executeTakeFirst();
  if (row === undefined) return;
  const others = picturesOf(row.pictures).filter(({ path }) => path !== name);
  if (others.length >= codeSnapshotLimits.checkSnapshots) return;
  const pictures = JSON.stringify([...others, { path: name, key }]);
  await trx.updateTable("trials").set({ pictures }).where("session_no", "=", session).execute();
}

export async function picturesOfSession(
  { reads }: Engine,
  { id, runs }: TestSessionRow,
): Promise<ReadonlyMap<number, readonly CodePicture[]>> {
  const rows = await reads.selectFrom("trials").select(["session_no", "pictures"]).where("test_session", "=", id).execute();
  const bySession = new Map(rows.map((row) => [row.session_no, picturesOf(row.pictures)]));
  return new Map(runs.map(({ jobNo }) => [jobNo, bySession.get(sessionOfJob(jobNo)) ?? []]));
}

function picturesOf(json: string | null): readonly CodePicture[] {
  return json === null ? [] : (JSON.parse(json) as readonly CodePicture[]); // written by us
}
