import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { isSuite } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { Engine, PlacedDetail } from "../../engine.ts";
import { jobNo, maxJobsOfSession, resultId } from "../../numbers.ts";
import type { ResultTable, Tables } from "../../schema.ts";
import type { Page, ResultFilter, ResultRow, SessionRow } from "../../storage.ts";
import type { LocationCodes } from "../location-codes.ts";
import { assetsOf } from "./assets.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { detailParts, flag, resultRow, resultTypes } from "./result-rows.ts";
import { otherErrorGroups } from "./suite-runs.ts";

/** How long after a run's start a result of it can still start: uploads are taken for so long. */
export const lateUploadMs = 25 * 3_600_000;

/** Reads results of one check, always newest first. */
export class ResultLists {
  readonly #engine: Engine;
  readonly #codes: LocationCodes;

  constructor(engine: Engine, codes: LocationCodes) {
    this.#engine = engine;
    this.#codes = codes;
  }

  async list(filter: ResultFilter & { readonly cursor?: string }): Promise<{ items: readonly ResultRow[]; nextCursor: string | null }> {
    const after = filter.cursor === undefined ? undefined : decodeCursor(filter.cursor);
    let query = (await this.#matching(filter)).selectAll();
    if (after) query = query.where(sql<SqlBool>`(started_at_us, id) < (${after.startedAtUs}, ${after.id})`);
    const rows = await query
      .orderBy("started_at_us", "desc")
      .orderBy("id", "desc")
      .limit(filter.limit + 1)
      .execute();
    const page = rows.slice(0, filter.limit);
    const last = page.at(-1);
    return {
      items: await this.#complete(page, filter.withDetails),
      nextCursor: rows.length > filter.limit && last ? encodeCursor({ startedAtUs: last.started_at_us, id: last.id }) : null,
    };
  }

  async page(filter: ResultFilter & { readonly page: number }): Promise<Page<ResultRow>> {
    const query = await this.#matching(filter);
    const [rows, { total }] = await Promise.all([
      query
        .selectAll()
        .orderBy("started_at_us", "desc")
        .orderBy("id", "desc")
        .limit(filter.limit)
        .offset((filter.page - 1) * filter.limit)
        .execute(),
      query.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
    ]);
    return { items: await this.#complete(rows, filter.withDetails), total };
  }

  /** @param runAtMs of the run, which the result's UUID tells: its results started from then on */
  async byNumber(checkId: number, runAtMs: number, id: number): Promise<ResultRow | undefined> {
    const rows = await this.#ofRun(checkId, runAtMs, id, id, true);
    return rows[0];
  }

  /** Without details: a session may have thousands of attempts. */
  ofSession(session: SessionRow): Promise<readonly ResultRow[]> {
    return this.#ofRun(
      session.checkId,
      session.runAtMs,
      resultId(jobNo(session.no, 0), 0),
      resultId(jobNo(session.no, maxJobsOfSession), 0) - 1,
      false,
    );
  }

  #ofRun(checkId: number, runAtMs: number, firstId: number, lastId: number, withDetails: boolean): Promise<readonly ResultRow[]> {
    return this.ofRuns([checkId], runAtMs, [firstId, lastId], withDetails);
  }

  /** Of runs that began at the same time. @param keys see `resultsKey` */
  async ofRuns(
    keys: readonly number[],
    runAtMs: number,
    [firstId, lastId]: readonly [number, number],
    withDetails: boolean,
  ): Promise<readonly ResultRow[]> {
    const rows = await this.#engine.reads
      .selectFrom("results")
      .selectAll()
      .where(this.#engine.isAny("check_id", keys))
      .where("started_at_us", ">=", runAtMs * 1_000)
      .where("started_at_us", "<=", (runAtMs + lateUploadMs) * 1_000)
      .where("id", ">=", firstId)
      .where("id", "<=", lastId)
      .orderBy("started_at_us", "desc")
      .orderBy("id", "desc")
      .execute();
    return this.#complete(rows, withDetails);
  }

  async #matching(filter: ResultFilter) {
    const locations = filter.locationCode === undefined ? undefined : await this.#codes.withCode(filter.locationCode);
    return this.#engine.reads
      .selectFrom("results")
      .where("check_id", "=", filter.checkId)
      .where(
        "type",
        "in",
        filter.resultTypes.map((type) => resultTypes.indexOf(type)),
      )
      .where((eb) => eb.and(this.#optional(eb, filter, locations)));
  }

  #optional(
    eb: ExpressionBuilder<Tables, "results">,
    filter: ResultFilter,
    locations: readonly number[] | undefined,
  ): readonly Expression<SqlBool>[] {
    const all: Expression<SqlBool>[] = [];
    if (filter.fromMs !== undefined) all.push(eb("started_at_us", ">=", Math.ceil(filter.fromMs * 1_000)));
    if (filter.toMs !== undefined) all.push(eb("started_at_us", "<", Math.ceil(filter.toMs * 1_000)));
    if (locations) all.push(this.#engine.isAny("location_id", locations));
    if (filter.hasFailures !== undefined) all.push(sql`(flags & ${sql.lit(flag.failures)}) = ${filter.hasFailures ? flag.failures : 0}`);
    return all;
  }

  async #typesOf(checkIds: readonly number[]): Promise<ReadonlyMap<number, CheckTypeName>> {
    const rows = await this.#engine.reads.selectFrom("checks").select(["id", "type"]).where(this.#engine.isAny("id", checkIds)).execute();
    return new Map(rows.map((row) => [row.id, row.type]));
  }

  /** Details come by a second query: joined to partitions, the first one took a thousand times as long. */
  async #complete(rows: readonly Selectable<ResultTable>[], withDetails: boolean): Promise<readonly ResultRow[]> {
    if (rows.length === 0) return [];
    const times = rows.map((row) => row.started_at_us);
    const [fromUs, toUs] = [Math.min(...times), Math.max(...times)];
    const withAssets = rows.filter((row) => (row.flags & flag.assets) !== 0).map((row) => row.id);
    const [types, codes, details, assets] = await Promise.all([
      this.#typesOf([...new Set(rows.map((row) => Math.abs(row.check_id)))]),
      this.#codes.of(rows.map((row) => row.location_id)),
      withDetails ? this.#engine.details(rows.map(placeOfDetail), fromUs, toUs) : new Map<number, Buffer>(),
      assetsOf(this.#engine, withAssets, fromUs, toUs),
    ]);
    const ofSuites = rows.filter((row) => isSuite(types.get(row.check_id) ?? "API") && row.error_group !== null);
    const others = await otherErrorGroups(this.#engine, ofSuites, fromUs, toUs);
    return rows.map((row, index) =>
      resultRow(row, {
        otherErrorGroups: others.get(row.id) ?? [],
        type: types.get(Math.abs(row.check_id)) ?? "API",
        locationCode: codes[index] ?? "",
        stored: detailParts(details.get(row.id)),
        assets: assets.get(row.id) ?? [],
      }),
    );
  }
}

function placeOfDetail({ id, check_id: checkId, detail_pack: pack }: Selectable<ResultTable>): PlacedDetail {
  return { id, checkId, pack: pack ?? id };
}
