import { randomUUID } from "node:crypto";
import type { DeploymentResult } from "#contract/projects.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError } from "#domain/app-error.ts";
import { errorAnswer } from "../http/errors.ts";
import type { DeploymentEnd, DeploymentRow, ProjectStore, Storage } from "../storage/storage.ts";

export interface DeploymentDeps extends Pick<Storage, "together"> {
  readonly projects: ProjectStore;
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** What a deployment does within its transaction. @param step between two objects: throws where it was cancelled */
export type DeploymentWork = (step: (done: number) => void, signal: AbortSignal) => Promise<DeploymentResult>;

/** Whatever is not done by then is given up; a process that dies leaves its deployment so long. */
const longestMs = 300_000;
/** How soon what another process does is seen. */
const lookMs = 500;

interface AtWork {
  progress: number;
  readonly cancel: AbortController;
  readonly ended: Promise<void>;
}

/** Deployments of this process, and a way to wait for those of any. */
export class Deployments implements Service {
  readonly name = "deployments";
  readonly #deps: DeploymentDeps;
  readonly #atWork = new Map<string, AtWork>();

  constructor(deps: DeploymentDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    await this.#deps.projects.failStale(this.#deps.nowMs());
  }

  async stop(): Promise<void> {
    for (const { cancel } of this.#atWork.values()) cancel.abort(stopping());
    await Promise.all([...this.#atWork.values()].map(({ ended }) => ended));
  }

  /**
   * Begins one; of a project one goes on at a time.
   *
   * @throws {AppError} conflict with the `deploymentId` of the one that goes on
   */
  async begin(
    accountId: number,
    logicalId: string,
    work: DeploymentWork,
    afterwards: (result: DeploymentResult) => Promise<void>,
  ): Promise<DeploymentRow> {
    const { projects, nowMs } = this.#deps;
    const now = nowMs();
    await projects.failStale(now);
    const uuid = randomUUID();
    if (!(await projects.beginDeployment({ uuid, accountId, logicalId, createdAtMs: now, endsByMs: now + longestMs + 30_000 }))) {
      throw await this.#inTheWay(accountId, logicalId);
    }
    const cancel = new AbortController();
    const mine: AtWork = { progress: 0, cancel, ended: this.#run(accountId, uuid, cancel.signal, work, afterwards) };
    this.#atWork.set(uuid, mine);
    void mine.ended.finally(() => this.#atWork.delete(uuid));
    const row = await projects.deployment(accountId, uuid);
    if (row === undefined) throw new Error("the deployment is gone before its answer");
    return row;
  }

  async #inTheWay(accountId: number, logicalId: string): Promise<AppError> {
    const running = await this.#deps.projects.running(accountId, logicalId);
    if (running === undefined) return new AppError("try_again", "Another deployment of this project has just ended; ask again");
    const attributes = { deploymentId: running.uuid };
    return new AppError("conflict", `Another deployment of the project "${logicalId}" is at it`, { attributes });
  }

  async #run(
    accountId: number,
    uuid: string,
    signal: AbortSignal,
    work: DeploymentWork,
    afterwards: (result: DeploymentResult) => Promise<void>,
  ): Promise<void> {
    const { together, projects, nowMs, log } = this.#deps;
    await Promise.resolve(); // `begin` knows it first
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
    const step = (done: number): void => {
      const mine = this.#atWork.get(uuid);
      if (mine !== undefined) mine.progress = Math.floor(done * 100);
      bounded.throwIfAborted();
    };
    const watching = new AbortController();
    void this.#watchForCancel(accountId, uuid, watching.signal);
    let result: DeploymentResult | undefined;
    try {
      result = await together(async () => {
        const done = await work(step, bounded);
        bounded.throwIfAborted();
        const end: DeploymentEnd = { status: "SUCCEEDED", error: null, result: done, endedAtMs: nowMs() };
        if (!(await projects.endDeployment(accountId, uuid, end))) throw cancelled();
        return done;
      });
    } catch (error) {
      const isCancelled = error instanceof AppError && error.code === "cancelled";
      const { status, body } = errorAnswer(error);
      if (status >= 500 && !isCancelled) log.error({ err: error, deployment: uuid }, "a deployment failed");
      const told = isCancelled
        ? { code: "CANCELLED", message: error.message }
        : { code: codeOf(error, bounded), message: messageOf(error, body.message) };
      const end: DeploymentEnd = { status: isCancelled ? "CANCELLED" : "FAILED", error: told, result: null, endedAtMs: nowMs() };
      await projects
        .endDeployment(accountId, uuid, end)
        .catch((cause: unknown) => log.error({ err: cause }, "could not store the end of a deployment"));
    } finally {
      watching.abort();
    }
    if (result !== undefined)
      await afterwards(result).catch((error: unknown) => log.error({ err: error }, "could not run the checks of a deployment"));
  }

  /** With several processes the one that is asked to cancel may be another one. */
  async #watchForCancel(accountId: number, uuid: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(lookMs, signal);
      if (signal.aborted) return;
      const row = await this.#deps.projects.deployment(accountId, uuid).catch(() => undefined); // the next look finds it
      if (row?.cancelRequestedAtMs != null) this.#atWork.get(uuid)?.cancel.abort(cancelled());
    }
  }

  async cancel(accountId: number, uuid: string): Promise<boolean> {
    this.#atWork.get(uuid)?.cancel.abort(cancelled());
    return this.#deps.projects.requestCancel(accountId, uuid, this.#deps.nowMs());
  }

  /** In percent; of another process's nothing is known. */
  progress(uuid: string): number {
    return this.#atWork.get(uuid)?.progress ?? 0;
  }

  /** The deployment once it has ended, or as it is when the time is over. */
  async waited(accountId: number, uuid: string, maxWaitMs: number, signal: AbortSignal): Promise<DeploymentRow | undefined> {
    const until = performance.now() + maxWaitMs;
    for (;;) {
      const row = await this.#deps.projects.deployment(accountId, uuid);
      if (row === undefined || row.endedAtMs !== null || performance.now() >= until || signal.aborted) return row;
      const ended = this.#atWork.get(uuid)?.ended;
      await Promise.race([
        sleep(Math.min(lookMs, Math.max(1, until - performance.now())), signal),
        ...(ended === undefined ? [] : [ended]),
      ]);
    }
  }
}

function cancelled(): AppError {
  return new AppError("cancelled", "The deployment was cancelled; nothing was changed");
}

function stopping(): AppError {
  return new AppError("cancelled", "The control plane stops; nothing was changed");
}

function codeOf(error: unknown, bounded: AbortSignal): string {
  if (bounded.aborted && !(error instanceof AppError)) return "DEADLINE_EXCEEDED";
  return error instanceof AppError ? error.code.toUpperCase() : "INTERNAL_ERROR";
}

function messageOf(error: unknown, told: string): string {
  return error instanceof Error && error.name === "TimeoutError"
    ? `It was not done within ${longestMs / 1000} seconds; nothing was changed`
    : told;
}
