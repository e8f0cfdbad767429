import type { CheckGap } from "#contract/check-gaps.ts";
import { listGapsOfCheck } from "#contract/check-gaps.ts";
import type { CheckResult } from "#contract/check-results.ts";
import { listCheckResultsV2 } from "#contract/check-results.ts";
import type { Operation } from "#contract/operation.ts";
import { nextDueMs } from "#domain/schedule.ts";
import { type Handler, WrittenJson } from "../../src/control-plane/http/handler.ts";
import { checkGapHandlers } from "../../src/control-plane/rest/check-gaps.ts";
import { checkResultHandlers } from "../../src/control-plane/rest/check-results.ts";
import { Interruptions } from "../../src/control-plane/scheduler/interruptions.ts";
import { planFiring } from "../../src/control-plane/scheduler/plan-firing.ts";
import type { AccountRow, AgentSessionRow, CheckRow, LocationRow, Storage } from "../../src/control-plane/storage/storage.ts";
import { account, agent, check, definition, lease, location, reaping, report, t0 } from "../control-plane/storage/fixture-data.ts";
import { type Era, problemsOfSlots, toldSlots } from "./slot-oracle.ts";

/** What befalls an installation. Seconds, unless it says otherwise. */
export type Event =
  | { readonly kind: "lives" | "is_down" | "has_no_store" | "has_no_agents"; readonly seconds: number }
  | { readonly kind: "clock_steps"; readonly seconds: number }
  | { readonly kind: "new_period"; readonly periodMs: number; readonly phaseMs: number }
  | { readonly kind: "saved_again" | "switched" }
  | { readonly kind: "maintenance"; readonly inSeconds: number; readonly seconds: number };

const turnMs = 5_000;

/** A check at two places lives through a history on a real store; REST alone is asked what became of its slots. */
export class SlotHistory {
  readonly #storage: Storage;
  readonly #owner: AccountRow;
  readonly #agents: readonly AgentSessionRow[];
  readonly #random: () => number;
  readonly #runParallel: boolean;
  readonly #check: CheckRow;
  readonly #ask: <T>(operation: Operation, input: object) => Promise<T>;
  #interruptions: Interruptions;
  #wallMs = t0;
  #monotonicMs = 0;
  #latestMs = t0;
  #schedule: { periodMs: number; phaseMs: number } | null;
  #sinceMs = t0;
  readonly #eras: Era[] = [];
  readonly #pauses: { readonly fromMs: number; readonly toMs: number }[] = [];

  private constructor(storage: Storage, owner: AccountRow, agents: readonly AgentSessionRow[], of: CheckRow, random: () => number) {
    this.#storage = storage;
    this.#owner = owner;
    this.#agents = agents;
    this.#check = of;
    this.#random = random;
    this.#runParallel = of.definition.runParallel;
    this.#schedule = { periodMs: 10_000, phaseMs: 3_000 };
    this.#interruptions = new Interruptions(this.#clocks());
    this.#ask = asker(storage, owner);
  }

  static async begin(storage: Storage, runParallel: boolean, random: () => number): Promise<SlotHistory> {
    const owner = await account(storage);
    const places: LocationRow[] = [];
    for (const code of ["berlin", "paris"]) places.push(await location(storage, owner.id, code));
    const schedule = { periodMs: 10_000, phaseMs: 3_000 };
    const of = await check(
      storage,
      owner.id,
      places.map(({ id }) => id),
      { runParallel },
      { ...schedule, nextDueMs: nextDueMs({ ...schedule, afterMs: t0 }) },
    );
    const agents = await Promise.all(places.map((place) => agent(storage, place)));
    return new SlotHistory(storage, owner, agents, of, random);
  }

  async befall(event: Event): Promise<void> {
    if (event.kind === "clock_steps") return this.#move(event.seconds * 1_000, 0);
    if ("inSeconds" in event) return this.#maintain(event.inSeconds * 1_000, event.seconds * 1_000);
    if (!("seconds" in event)) return this.#edit(event);
    if (event.kind === "is_down") {
      this.#move(event.seconds * 1_000);
      this.#interruptions = new Interruptions(this.#clocks());
      return;
    }
    for (let left = event.seconds * 1_000; left > 0; left -= turnMs) await this.#turn(event.kind);
  }

  /** All that was begun ends. @returns what is wrong with the slots, by what REST tells */
  async end(): Promise<readonly string[]> {
    await this.#turn("lives");
    await this.#edit({ kind: "switched" }, true);
    for (let nowMs = this.#latestMs, left = 1; left > 0; nowMs += 600_000) {
      await this.#storage.jobs.reap(nowMs, reaping);
      const depths = await this.#storage.jobs.queueDepths(Number.MAX_SAFE_INTEGER);
      left = depths.reduce((sum, { queued, leased }) => sum + queued + leased, 0);
    }
    const told = toldSlots(await this.#results(), await this.#gaps());
    const wrong = problemsOfSlots(told, { eras: this.#eras, pauses: this.#pauses, runParallel: this.#runParallel });
    await this.#storage.checks.remove(this.#owner.id, this.#check.uuid, this.#latestMs);
    return wrong;
  }

  #clocks() {
    return { nowMs: () => this.#wallMs, monotonicMs: () => this.#monotonicMs };
  }

  #move(wallMs: number, monotonicMs = wallMs): void {
    this.#wallMs += wallMs;
    this.#monotonicMs += monotonicMs;
    if (this.#wallMs > this.#latestMs) this.#latestMs = this.#wallMs;
  }

  async #turn(kind: "lives" | "has_no_store" | "has_no_agents"): Promise<void> {
    this.#move(turnMs);
    const nowMs = this.#interruptions.begin();
    if (kind === "has_no_store") {
      this.#interruptions.failed();
      return;
    }
    await this.#storage.schedule.fireDue(nowMs, 100, (due) => planFiring(due, nowMs, this.#interruptions.known()));
    this.#interruptions.worked(true);
    if (kind === "lives") for (const by of this.#agents) await this.#work(by);
    await this.#storage.jobs.reap(nowMs, reaping);
  }

  /** Takes what is there, and loses some of it. */
  async #work(by: AgentSessionRow): Promise<void> {
    const jobs = await lease(this.#storage, by, this.#wallMs);
    const reports = jobs.filter(() => this.#random() < 0.9).map((job) => report(job));
    if (reports.length > 0) await this.#storage.results.ingest(by, reports, this.#wallMs);
  }

  /** Time that is lived again has its slots already: nothing is said of what an edit makes of them, so none is made then. */
  async #edit(event: Extract<Event, { kind: "new_period" | "saved_again" | "switched" }>, isLast = false): Promise<void> {
    if (this.#wallMs < this.#latestMs && !isLast) return;
    const before = this.#schedule;
    const after =
      event.kind === "switched"
        ? before === null && !isLast
          ? { periodMs: 20_000, phaseMs: 7_000 }
          : null
        : event.kind === "new_period" && before !== null
          ? { periodMs: event.periodMs, phaseMs: event.phaseMs }
          : before;
    const nowMs = this.#latestMs;
    const planned = after ?? { periodMs: 10_000, phaseMs: 0 };
    await this.#storage.checks.update(this.#owner.id, this.#check.uuid, {
      definition: definition({ runParallel: this.#runParallel, activated: after !== null }),
      locationIds: this.#check.locationIds,
      schedule: { ...planned, nextDueMs: after === null ? null : nextDueMs({ ...planned, afterMs: nowMs }) },
      nowMs,
    });
    if (before !== null) this.#eras.push({ ...before, fromMs: this.#sinceMs, toMs: nowMs });
    this.#schedule = after;
    this.#sinceMs = nowMs;
  }

  async #maintain(inMs: number, lastsMs: number): Promise<void> {
    const [fromMs, toMs] = [this.#latestMs + inMs, this.#latestMs + inMs + lastsMs];
    this.#pauses.push({ fromMs, toMs });
    await this.#storage.documents.create({
      accountId: this.#owner.id,
      kind: "maintenance-window",
      definition: {
        startsAt: new Date(fromMs).toISOString(),
        endsAt: new Date(toMs).toISOString(),
        repeatInterval: null,
        repeatUnit: null,
        repeatEndsAt: null,
        timezone: null,
        tags: [],
        pauseAllChecks: true,
        silenceAlertsTags: [],
        silenceAllAlerts: false,
        plan: 0,
        plannedAtMs: this.#latestMs,
      },
      nowMs: this.#wallMs,
    });
  }

  async #results(): Promise<readonly CheckResult[]> {
    const all: CheckResult[] = [];
    for (let nextId: string | null | undefined; nextId !== null; ) {
      const query = { limit: 100, resultType: "ALL", ...(nextId !== undefined && { nextId }) };
      const answer: { entries: readonly CheckResult[]; nextId: string | null } = await this.#ask(listCheckResultsV2, {
        params: { checkId: this.#check.uuid },
        query,
      });
      all.push(...answer.entries);
      nextId = answer.nextId;
    }
    return all.filter(({ resultType }) => resultType !== "ATTEMPT");
  }

  async #gaps(): Promise<readonly CheckGap[]> {
    const query = { page: 1, limit: 1_000 };
    const { items } = await this.#ask<{ items: readonly CheckGap[] }>(listGapsOfCheck, { params: { id: this.#check.uuid }, query });
    return items;
  }
}

/** REST's own handlers, as the server calls them. */
function asker(storage: Storage, owner: AccountRow): <T>(operation: Operation, input: object) => Promise<T> {
  const handlers: readonly Handler[] = [
    ...checkResultHandlers({ ...storage, blobs: null, publicUrl: () => "http://127.0.0.1" }),
    ...checkGapHandlers(storage),
  ];
  return async <T>(operation: Operation, input: object): Promise<T> => {
    const found = handlers.find((one) => one.operation.id === operation.id);
    const answer = await found?.handle(input as never, { caller: { account: owner } } as never);
    return (answer instanceof WrittenJson ? JSON.parse(Buffer.concat(answer.pieces).toString()) : answer) as T;
  };
}
