import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "#daemon/logger.ts";
import { makeFolder } from "#daemon/make-folder.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { AgentClock } from "../host/clock.ts";
import type { OutboxFiles } from "../outbox/outbox-files.ts";
import { type OutboxFolder, openOutboxFolder } from "../outbox/outbox-folder.ts";
import type { ResultOutbox } from "../outbox/result-outbox.ts";
import type { FoundFile } from "../runners/check-runner.ts";
import type { scrubFile } from "../scrub/scrub-file.ts";
import { FairTurns } from "./fair-turns.ts";
import type { AttemptRef } from "./found-file.ts";
import { makeArtifact, type RawArtifact } from "./make-artifact.ts";
import { openRawFile } from "./raw-file.ts";
import { About, type ArtifactDrop, aboutName, artifactFolderName, isArtifactFolder, type SpooledArtifact } from "./spooled-artifact.ts";

export interface SpoolDeps {
  readonly files: OutboxFiles;
  readonly clock: AgentClock;
  readonly log: Logger;
  /** Of the outbox; the artifacts lie in one below it. */
  readonly folder: string;
  readonly agentId: string;
  /** 0: nothing is kept. */
  readonly limitBytes: number;
  readonly limitMs: number;
  readonly outbox: Pick<ResultOutbox, "lastSeq">;
  readonly scrub: typeof scrubFile;
  readonly onDrop: (reason: ArtifactDrop) => void;
}

const maintenanceMs = 5_000;
/** Files that wait for their scrubbing, of all checks and of one; each is an open file. */
const maxUnscrubbed = { inAll: 64, ofCheck: 16 } as const;

/**
 * Files of attempts on their way to the control plane: scrubbed and durable before they count as kept, bounded by size and age. What a dead
 * process of the same folder left is taken over. A job never waits for any of it, and nothing here can spoil its result.
 */
export class ArtifactSpool {
  readonly #deps: SpoolDeps;
  readonly #stopping = new AbortController();
  #folder: OutboxFolder | null = null;
  #waiting: SpooledArtifact[] = [];
  /** Under its way up; it is let go by its uploader only. */
  #held: SpooledArtifact | null = null;
  /** With the check that each is of. */
  readonly #unscrubbed = new Map<Promise<void>, string>();
  readonly #turns = new FairTurns();
  #timer: NodeJS.Timeout | undefined;
  #arrived = Promise.withResolvers<void>();

  constructor(deps: SpoolDeps) {
    this.#deps = deps;
  }

  /** Whether files are kept at all. */
  get isOn(): boolean {
    return this.#deps.limitBytes > 0;
  }

  /** Opens the folder, or warns: then what comes is let go until it can be opened. */
  async start(): Promise<void> {
    if (!this.isOn) return;
    await this.#maintain();
    this.#timer = setInterval(() => void this.#maintain(), maintenanceMs).unref();
  }

  /**
   * Takes files of an attempt whose report is in the outbox. Their bytes leave the memory soon; the rest happens in the background. Checks take
   * turns, so that the files of one, however costly, hold up those of others by one file.
   */
  keep(attempt: AttemptRef, checkId: string, files: readonly FoundFile[], secrets: readonly string[]): void {
    for (const { content, ...found } of files) {
      const { clock, outbox } = this.#deps;
      const raw = { attempt, found, secrets, reportSeq: outbox.lastSeq, madeAtMs: clock.wallMs() };
      if (this.#isBusy(checkId)) this.#drop("busy", raw);
      else {
        const taken = this.#take(raw, checkId, content).finally(() => this.#unscrubbed.delete(taken));
        this.#unscrubbed.set(taken, checkId);
      }
    }
  }

  #isBusy(checkId: string): boolean {
    const ofCheck = [...this.#unscrubbed.values()].filter((each) => each === checkId).length;
    return this.#unscrubbed.size >= maxUnscrubbed.inAll || ofCheck >= maxUnscrubbed.ofCheck;
  }

  async #take(raw: Omit<RawArtifact, "source">, checkId: string, content: FoundFile["content"]): Promise<void> {
    try {
      await this.#spool(raw, checkId, content, await this.#makingFolder());
    } catch (error) {
      this.#drop(reasonOf(error), raw, error);
    }
  }

  async #spool(raw: Omit<RawArtifact, "source">, checkId: string, content: FoundFile["content"], folder: string): Promise<void> {
    const signal = this.#stopping.signal;
    try {
      const bytes = Buffer.isBuffer(content) ? await openRawFile(folder, "raw") : null;
      try {
        if (bytes !== null) await writeFile(bytes.path, content as Buffer); // held open, so it is the file without a name
        const source = bytes === null ? (content as Exclude<FoundFile["content"], Buffer>) : { file: bytes.path };
        using _turn = await this.#turns.take(checkId);
        const about = await makeArtifact({ ...raw, source }, folder, this.#deps.scrub, signal);
        await this.#publish(about, folder);
      } finally {
        await bytes?.close();
        if (!Buffer.isBuffer(content) && "file" in content) await rm(content.file, { force: true });
      }
    } catch (error) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      if (!signal.aborted) this.#drop(reasonOf(error), raw, error);
    }
  }

  async #makingFolder(): Promise<string> {
    const folder = this.#folder;
    if (folder === null) throw Object.assign(new Error("the folder of artifacts cannot be used"), { code: "EIO" });
    const path = join(folder.path, `making-${randomUUID()}`);
    await makeFolder(path);
    return path;
  }

  async #publish(about: About, making: string): Promise<void> {
    const parent = this.#folder;
    if (parent === null) throw new Error("the folder of artifacts is gone");
    await this.#makeRoom(about.declaration.size);
    const folder = join(parent.path, artifactFolderName(about.madeAtMs, randomUUID()));
    await rename(making, folder);
    this.#add({ ...about, folder });
  }

  #add(artifact: SpooledArtifact): void {
    this.#waiting = [...this.#waiting, artifact].toSorted((a, b) => a.madeAtMs - b.madeAtMs);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers<void>();
  }

  /** @throws {AppError} too_large when it would not even fit alone */
  async #makeRoom(size: number): Promise<void> {
    const { limitBytes } = this.#deps;
    if (size > limitBytes) throw new AppError("too_large", `it has ${size} bytes; the spool holds ${limitBytes} (ARTIFACTS_MAX_MB)`);
    while (this.#bytes() + size > limitBytes) {
      const oldest = this.#waiting.find((one) => one !== this.#held);
      if (oldest === undefined) throw new AppError("unavailable", "the spool is full");
      await this.letGo(oldest, "overflow");
    }
  }

  /** All that wait, oldest first. */
  get waiting(): readonly SpooledArtifact[] {
    return this.#waiting;
  }

  /** Resolves when there is something to upload. */
  async arrival(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length === 0) await untilAborted(signal, this.#arrived.promise);
  }

  hold(artifact: SpooledArtifact | null): void {
    this.#held = artifact;
  }

  /** Forgets an artifact that was delivered. */
  async remove(artifact: SpooledArtifact): Promise<void> {
    this.#waiting = this.#waiting.filter((one) => one !== artifact);
    await rm(artifact.folder, { recursive: true, force: true });
  }

  /** Forgets one that will not be delivered. */
  async letGo(artifact: SpooledArtifact, reason: ArtifactDrop, cause?: unknown): Promise<void> {
    this.#drop(reason, { attempt: artifact.declaration, found: artifact.declaration }, cause);
    await this.remove(artifact).catch((error: unknown) =>
      this.#deps.log.warn({ folder: artifact.folder, reason: codeOf(error) }, "cannot delete a dropped artifact"),
    );
  }

  state(): { readonly waiting: number; readonly bytes: number } {
    return { waiting: this.#waiting.length + this.#unscrubbed.size, bytes: this.#bytes() };
  }

  #bytes(): number {
    return this.#waiting.reduce((sum, { declaration }) => sum + declaration.size, 0);
  }

  #drop(reason: ArtifactDrop, { attempt, found }: Pick<RawArtifact, "attempt" | "found">, cause?: unknown): void {
    const { jobId, attempt: number } = attempt;
    const why = cause instanceof AppError ? cause.message : codeOf(cause);
    this.#deps.log.warn(
      { jobId, attempt: number, name: found.name, reason, why },
      "dropped an artifact; its result is not touched by that",
    );
    this.#deps.onDrop(reason);
  }

  /** Mark of life, what others left, and bounds by age. */
  async #maintain(): Promise<void> {
    const { files, folder, agentId, clock, limitMs, log } = this.#deps;
    try {
      this.#folder ??= await openOutboxFolder(files, join(folder, "artifacts"), agentId, isArtifactFolder);
      await this.#folder.mark();
      for (const path of await this.#folder.adoptOrphans()) await this.#adopt(path);
    } catch (error) {
      log.warn({ reason: codeOf(error) }, "cannot use the artifact folder; dropping artifacts until it works");
    }
    const old = this.#waiting.filter((one) => one !== this.#held && clock.wallMs() - one.madeAtMs > limitMs);
    for (const artifact of old) await this.letGo(artifact, "age");
  }

  async #adopt(folder: string): Promise<void> {
    try {
      const about = About.parse(JSON.parse(await readFile(join(folder, aboutName), "utf8")));
      this.#add({ ...about, folder });
    } catch (error) {
      this.#deps.log.warn({ folder, reason: codeOf(error) }, "an artifact of an earlier process cannot be read");
      this.#deps.onDrop("unreadable");
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Waits until all that came is scrubbed and durable, or as much of it as `deadline` allows. */
  async settle(deadline: AbortSignal): Promise<void> {
    while (this.#unscrubbed.size > 0) await untilAborted(deadline, Promise.all(this.#unscrubbed.keys()));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort(new AppError("cancelled", "the agent stops"));
    await Promise.all(this.#unscrubbed.keys());
    const folder = this.#folder;
    if (folder === null) return;
    const unfinished = (await readdir(folder.path).catch(() => [])).filter((name) => name.startsWith("making-"));
    for (const name of unfinished) await rm(join(folder.path, name), { recursive: true, force: true });
    await folder.leave().catch(() => undefined);
  }
}

function reasonOf(error: unknown): ArtifactDrop {
  if (hasCode(error, "too_large")) return "too_large";
  if (hasCode(error, "unavailable")) return "overflow";
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT") return "no_space";
  return /^E[A-Z]{2,}$/.test(code) ? "unreadable" : "not_scrubbed";
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  return error instanceof Error ? error.name : "";
}
