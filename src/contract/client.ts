import type { z } from "zod";
import { ApiError, ConnectionError, errorOf } from "./client-error.ts";
import { addressOf, bodyOf, type CallParts, type ClientBytes } from "./client-request.ts";
import type { FileOutput, Operation, OutputOf } from "./operation.ts";
import { operations } from "./operations.ts";

export interface ClientOptions {
  /** Where the control plane is; may have a path of its own. */
  readonly baseUrl: string | URL;
  /** User or service key. */
  readonly apiKey?: string;
  /** The account to act for; user keys need it. */
  readonly accountId?: string;
  readonly accountHeader?: string;
  /** Bounds a call with everything that it waits for; the longest poll takes 30 s. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

type Operations = (typeof operations)[number];

/** A method for each operation of the REST API, named by its id. */
export type Client = { readonly [O in Operations as O["id"]]: ClientMethod<O> };

/** @throws {ApiError} for every answer that is no success; {ConnectionError}; what `signal` was aborted with; a TimeoutError at the deadline */
type ClientMethod<O extends Operation> =
  Record<never, never> extends ClientInput<O>
    ? (input?: ClientInput<O>, options?: CallOptions) => Promise<ClientAnswer<O>>
    : (input: ClientInput<O>, options?: CallOptions) => Promise<ClientAnswer<O>>;

/** What a caller gives: the operation's parts as they are before defaults are filled in. */
export type ClientInput<O extends Operation> = Part<"params", O["params"]> &
  Part<"query", O["query"]> &
  Part<"body", O["body"]> &
  (O extends { readonly bytes: true } ? { readonly bytes: ClientBytes } : unknown);

type Part<Name extends keyof CallParts, Schema> = Schema extends z.ZodObject
  ? Optional<Name, Name extends "body" ? z.input<Schema> : TextParts<Schema>>
  : Schema extends z.ZodType
    ? Optional<Name, z.input<Schema>>
    : unknown;

type Optional<Name extends string, Value> =
  Record<never, never> extends Value
    ? { readonly [N in Name]?: Value }
    : undefined extends Value
      ? { readonly [N in Name]?: Value }
      : { readonly [N in Name]: Value };

/** Parameters travel as text, so their schemas take anything or text where a caller gives numbers, lists and booleans. */
type TextParts<Schema extends z.ZodObject> = {
  readonly [Name in keyof z.input<Schema>]: TextPart<z.input<Schema>[Name], Required<z.output<Schema>>[Name & keyof z.output<Schema>]>;
};
type TextPart<Input, Output> = unknown extends Input
  ? Output | undefined
  : Exclude<Output, undefined> extends boolean
    ? Output | undefined
    : Input;

/** A paged list tells how many there are in all. */
export type ClientAnswer<O extends Operation> = O extends { readonly paged: true }
  ? { readonly items: OutputOf<O>; readonly total: number }
  : OutputOf<O>;

/**
 * A client of the REST API. A call that came too often (429) is repeated when the server says, as long as the deadline allows;
 * nothing else is ever sent twice.
 */
export function createClient(options: ClientOptions): Client {
  const methods = operations.map((operation) => [
    operation.id,
    (input: CallParts = {}, call: CallOptions = {}) => send(operation, input, options, call),
  ]);
  // What a method takes and answers follows from its operation, which the loop cannot tell the compiler.
  return Object.fromEntries(methods) as Client;
}

async function send(operation: Operation, input: CallParts, options: ClientOptions, call: CallOptions): Promise<unknown> {
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 60_000;
  const endsAtMs = performance.now() + timeoutMs;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
  const address = addressOf(new URL(options.baseUrl), operation, input);
  const { headers, body } = await bodyOf(input);
  const request: RequestInit = {
    method: operation.method,
    headers: { ...callerHeaders(options), ...headers },
    redirect: "manual", // a key goes only where it was meant to go, and a POST stays one
    signal,
  };
  for (;;) {
    const response = await reached(address, signal, (options.fetch ?? fetch)(address, { ...request, ...body() }));
    if (response.ok) return reached(address, signal, read(operation, response));
    const waitMs = response.status === 429 ? Number(response.headers.get("retry-after") ?? 1) * 1_000 : Number.POSITIVE_INFINITY;
    if (!(performance.now() + waitMs < endsAtMs)) throw await errorOf(response, `${operation.method} ${address.pathname}`);
    await response.body?.cancel();
    await pause(waitMs, signal);
  }
}

function callerHeaders({ apiKey, accountId, accountHeader = "x-service-account" }: ClientOptions): Record<string, string> {
  return {
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...(accountId !== undefined && { [accountHeader]: accountId }),
  };
}

async function reached<T>(address: URL, signal: AbortSignal, exchange: Promise<T>): Promise<T> {
  try {
    return await exchange;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ApiError) throw cause;
    throw new ConnectionError(`${address.origin} gave no answer: ${innermostMessage(cause)}`, { cause });
  }
}

/** `fetch` says only that it failed; why is in what caused it. */
function innermostMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostMessage(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermostMessage(error.cause) : error.message;
}

/** The answer is trusted to fit its schema: parsing would drop the fields of a newer server. */
async function read(operation: Operation, response: Response): Promise<unknown> {
  if (operation.file === true) return fileOf(response);
  if (operation.text !== undefined) return response.text();
  if (operation.output === undefined) {
    await response.body?.cancel();
    return undefined;
  }
  const items: unknown = await response.json();
  return operation.paged === true ? { items, total: totalOf(response) } : items;
}

async function fileOf(response: Response): Promise<FileOutput> {
  return {
    name: /filename="([^"]*)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "",
    contentType: response.headers.get("content-type") ?? "application/octet-stream",
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

/** `items 10-19/57`: the total stands after the slash. */
function totalOf(response: Response): number {
  const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
  if (total !== undefined) return Number(total);
  throw new ApiError({ statusCode: response.status, error: "Bad Answer", message: "A paged list came without its total" });
}

/** Not by the sleep of the processes: the contract stands below them. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
