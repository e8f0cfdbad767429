import { promisify } from "node:util";
import { gzip as gzipCallback } from "node:zlib";
import type { z } from "zod";
import type { AgentSession } from "#contract/agent-protocol.ts";
import type { Operation } from "#contract/operation.ts";
import type { Logger } from "#daemon/logger.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError } from "#domain/app-error.ts";
import { retryAfterMs } from "#domain/backoff.ts";
import { createSessionKeeper, type SessionDeps } from "./agent-session.ts";
import type { Contact, ContactState } from "./contact.ts";
import { type ByteRange, type FilePart, isOwn404, partOf } from "./file-part.ts";
import { meaningOf, type ReplyMeaning } from "./reply-meaning.ts";

const gzip = promisify(gzipCallback);
/** Below this a body fits into few packets, and packing it costs more than it saves. */
const gzipFromBytes = 8_192;

type BodyOf<O extends Operation> = O["body"] extends z.ZodType ? z.input<O["body"]> : undefined;
type AnswerOf<O extends Operation> = O["output"] extends z.ZodType ? z.output<O["output"]> : undefined;

/** A body that is JSON already, so that what lies in the outbox is not parsed again. */
export interface EncodedBody {
  readonly json: string;
}

/** Bytes that travel as they are. */
export interface RawBytes {
  /** Its chunks as `ClientRequest` wants them. */
  readonly bytes: () => AsyncIterable<Buffer>;
  readonly size: number;
  /** The operation's path with its parameters filled in. */
  readonly path: string;
}

/** What one try sends; asked anew for each, from 1 on. */
export type RawBody = (nth: number) => RawBytes;

export interface CallOptions<T> {
  readonly signal: AbortSignal;
  /** Bounds each try, not the whole. */
  readonly limitMs: number;
  /** Statuses that the caller has an answer to: thrown as AppError with `attributes.status` instead of tried again. */
  readonly answers?: readonly number[];
  /** The operation's path with its parameters filled in. */
  readonly path?: string;
  /** Replaces the operation's own decoding of the reply. */
  readonly decode?: (body: unknown) => T;
}

/** The control plane as the rest of the agent sees it: calls that come back with an answer, however long that takes. */
export interface ControlPlane {
  /** Opens the session; waits for ever, or until `signal` aborts. */
  session(signal: AbortSignal): Promise<AgentSession>;
  lastSession(): AgentSession | null;
  /**
   * Tries until there is an answer: full jitter, base 1 s, cap 60 s, Retry-After obeyed.
   *
   * @throws {AppError} invalid_input for a status among `answers`
   * @throws the signal's reason
   */
  call<O extends Operation, T = AnswerOf<O>>(operation: O, body: BodyOf<O> | EncodedBody | RawBody, options: CallOptions<T>): Promise<T>;
  /**
   * Tries once; for what is only worth sending fresh. Opens a session first where there is none.
   *
   * @throws {AppError} unavailable, deadline_exceeded or unreachable when no answer came
   */
  once<O extends Operation, T = AnswerOf<O>>(operation: O, body: BodyOf<O>, options: CallOptions<T>): Promise<T>;
  /**
   * Bytes of a file, from the one to the other, both counted in, and the size of the whole. Tries a few times.
   *
   * @throws {AppError} not_found, unavailable, deadline_exceeded or unreachable
   */
  bytes(id: string, path: string, range: ByteRange, options: Pick<CallOptions<never>, "signal" | "limitMs">): Promise<FilePart>;
  contact(): { readonly state: ContactState; readonly ageMs: number | null };
  close(): Promise<void>;
}

/** Of a range, before the run that needs it gives up. */
const mostTries = 5;

export interface RetryingClientDeps extends Omit<SessionDeps, "onUndecodable"> {
  readonly log: Logger;
  /** Masks the agent's own secrets in what goes to the log. */
  readonly scrub: (text: string) => string;
  /** Packs larger bodies. Off where the control plane is on this machine. */
  readonly packsBodies: boolean;
}

export function createRetryingClient(deps: RetryingClientDeps): ControlPlane {
  const onUndecodable = undecodableLog(deps);
  const keeper = createSessionKeeper({ ...deps, onUndecodable });
  const settle = countFailures();
  const outage = createOutageEnd(deps.contact);

  async function tryOnce<T>(operation: Operation, body: string | Buffer | RawBytes, options: CallOptions<T>): Promise<ReplyMeaning<T>> {
    const session = await keeper.current(options.signal);
    const meaning = await send(deps, operation, body, session, options);
    if (meaning.is === "unauthorized") keeper.invalidate(session.sessionToken);
    if (meaning.is === "incompatible") deps.contact.incompatible(meaning.message);
    if (meaning.is === "undecodable") onUndecodable(operation.id, meaning);
    if (meaning.is === "answer" || meaning.is === "refused") outage.over();
    else deps.contact.failed(operation.id, reasonOf(meaning));
    return meaning;
  }

  function rest(id: string, retryAfter: string | null): number {
    const ownMs = deps.timing.backoffMs(settle(id, false), deps.random());
    return retryAfterMs(retryAfter, deps.clock.wallMs()) ?? ownMs;
  }

  return {
    session: (signal) => keeper.current(signal),
    lastSession: () => keeper.last(),
    async call(operation, body, options) {
      const encoded = typeof body === "function" ? body : await encode(body, deps.packsBodies);
      for (let nth = 1; ; nth += 1) {
        options.signal.throwIfAborted();
        const sent = typeof encoded === "function" ? (encoded as RawBody)(nth) : encoded;
        const meaning = await tryOnce(operation, sent, options).catch((error: unknown) =>
          asUnreachable(deps, operation, error, options.signal),
        );
        if (meaning.is === "answer") {
          settle(operation.id, true);
          return meaning.value;
        }
        if (meaning.is === "refused" && options.answers?.includes(meaning.status) === true) throw refusal(meaning);
        if (nth === 1 && meaning.is === "unauthorized") continue; // the token had ended; the next try opens a session
        const retryAfter = meaning.is === "try_again" ? meaning.retryAfter : null;
        await sleep(rest(operation.id, retryAfter), outage.wakes(options.signal, retryAfter));
      }
    },
    async once(operation, body, options) {
      const meaning = await tryOnce(operation, JSON.stringify(body), options).catch((error: unknown) => {
        options.signal.throwIfAborted();
        if (error instanceof AppError) deps.contact.failed(operation.id, error.message);
        throw error;
      });
      if (meaning.is === "answer") return meaning.value;
      throw new AppError("unavailable", reasonOf(meaning));
    },
    bytes: (id, path, range, options) =>
      readFilePart({ ...deps, keeper, settle, rest, over: () => outage.over() }, id, path, range, options),
    contact: () => ({ state: deps.contact.state(), ageMs: deps.contact.ageMs() }),
    async close() {
      keeper.stop();
      await deps.client.close();
    },
  };
}

/** Failures in a row, by operation. A success takes one back instead of all: a link that drops every third call must not look healthy. */
function countFailures(): (id: string, isGood: boolean) => number {
  const failures = new Map<string, number>();
  return (id, isGood) => {
    const count = Math.max(0, (failures.get(id) ?? 0) + (isGood ? -1 : 1));
    failures.set(id, count);
    return count;
  };
}

/** After an outage the first call that gets through wakes the others, which may have a minute of backoff before them. */
function createOutageEnd(contact: Contact): { over(): void; wakes(signal: AbortSignal, retryAfter: string | null): AbortSignal } {
  let healed: AbortController | null = null; // made when somebody waits: nearly every call succeeds
  return {
    over() {
      contact.succeeded();
      healed?.abort();
      healed = null;
    },
    /** What the control plane itself asked for is waited out. */
    wakes(signal, retryAfter) {
      if (retryAfter !== null) return signal;
      healed ??= new AbortController();
      return AbortSignal.any([signal, healed.signal]);
    },
  };
}

async function send<T>(
  deps: RetryingClientDeps,
  operation: Operation,
  body: string | Buffer | RawBytes,
  session: AgentSession,
  options: CallOptions<T>,
): Promise<ReplyMeaning<T>> {
  const reply = await deps.client.send(
    {
      method: operation.method === "PUT" ? "PUT" : "POST",
      path: typeof body === "object" && "path" in body ? body.path : (options.path ?? operation.path),
      headers: { authorization: `Bearer ${session.sessionToken}`, ...contentHeaders(body) },
      body: typeof body === "object" && "bytes" in body ? body.bytes : body,
      limitMs: options.limitMs,
    },
    options.signal,
  );
  return meaningOf(reply, options.decode ?? ((value) => decodeAnswer<T>(operation, value)));
}

interface Reading extends RetryingClientDeps {
  readonly keeper: Pick<ReturnType<typeof createSessionKeeper>, "current" | "invalidate">;
  readonly settle: (id: string, isGood: boolean) => number;
  readonly rest: (id: string, retryAfter: string | null) => number;
  readonly over: () => void;
}

async function readFilePart(
  deps: Reading,
  id: string,
  path: string,
  range: ByteRange,
  options: Pick<CallOptions<never>, "signal" | "limitMs">,
): Promise<FilePart> {
  for (let nth = 1; ; nth += 1) {
    const session = await deps.keeper.current(options.signal);
    const reply = await readRange(deps, path, range, session, options).catch((error: unknown) =>
      asUnreachable(deps, { id }, error, options.signal),
    );
    if ("bytes" in reply) {
      deps.settle(id, true);
      deps.over();
      return reply;
    }
    if (reply.is === "unauthorized") deps.keeper.invalidate(session.sessionToken);
    if (reply.is === "refused" || nth === mostTries) throw new AppError("unavailable", reasonOf(reply));
    await sleep(deps.rest(id, reply.is === "try_again" ? reply.retryAfter : null), options.signal);
  }
}

async function readRange(
  deps: RetryingClientDeps,
  path: string,
  range: ByteRange,
  session: AgentSession,
  { signal, limitMs }: Pick<CallOptions<never>, "signal" | "limitMs">,
): Promise<FilePart | Exclude<ReplyMeaning<never>, { is: "answer" }>> {
  const headers = { authorization: `Bearer ${session.sessionToken}`, range: `bytes=${range.from}-${range.to}` };
  const reply = await deps.client.send({ method: "GET", path, headers, body: null, limitMs, wantsBytes: true }, signal);
  const part = partOf(reply, range);
  if (part !== null) return part;
  if (isOwn404(reply))
    return { is: "refused", status: 404, message: "the control plane does not have the code bundle any more: upload it again" };
  if (reply.bytes !== undefined)
    return { is: "try_again", reason: `${reply.status} with other bytes than bytes ${range.from} to ${range.to}`, retryAfter: null };
  return meaningOf<never>(reply, () => {
    throw new Error("no bytes came");
  }) as Exclude<ReplyMeaning<never>, { is: "answer" }>; // decoding throws
}

/** The cast holds because `AnswerOf` is defined as what this schema puts out, and undefined without one. */
function decodeAnswer<T>(operation: Operation, value: unknown): T {
  return operation.output?.parse(value) as T;
}

function contentHeaders(body: string | Buffer | RawBytes): Record<string, string> {
  if (typeof body === "string") return { "content-type": "application/json" };
  if ("bytes" in body) return { "content-type": "application/octet-stream", "content-length": String(body.size) };
  return { "content-type": "application/json", "content-encoding": "gzip" };
}

async function encode(body: unknown, packs: boolean): Promise<string | Buffer> {
  const json = isEncoded(body) ? body.json : JSON.stringify(body);
  return packs && json.length >= gzipFromBytes ? gzip(json, { level: 1 }) : json;
}

function isEncoded(body: unknown): body is EncodedBody {
  return typeof body === "object" && body !== null && "json" in body;
}

/** No reply at all is one more reason to try again; anything that is not ours to judge is thrown on. */
function asUnreachable(
  deps: RetryingClientDeps,
  operation: Pick<Operation, "id">,
  error: unknown,
  signal: AbortSignal,
): ReplyMeaning<never> {
  signal.throwIfAborted();
  if (!(error instanceof AppError) || error.code === "cancelled") throw error;
  deps.contact.failed(operation.id, error.message);
  return { is: "try_again", reason: error.message, retryAfter: null };
}

function refusal(meaning: { readonly status: number; readonly message: string }): AppError {
  return new AppError("invalid_input", `${meaning.status} ${meaning.message}`, { attributes: { status: meaning.status } });
}

function reasonOf(meaning: ReplyMeaning<unknown>): string {
  switch (meaning.is) {
    case "answer":
      return "answered";
    case "unauthorized":
    case "refused":
      return `${meaning.status} ${meaning.message}`;
    case "incompatible":
      return meaning.message;
    case "undecodable":
    case "try_again":
      return meaning.reason;
  }
}

/** One line for each kind of foreign reply, as long as the process lives. */
function undecodableLog(deps: RetryingClientDeps): SessionDeps["onUndecodable"] {
  const seen = new Set<string>();
  return (operation, { reason, start }) => {
    if (seen.has(reason) || seen.size >= 20) return;
    seen.add(reason);
    deps.log.warn(
      { operation, reason, start: deps.scrub(start) },
      "the response is not from the control plane; a proxy or another server answered",
    );
  };
}
