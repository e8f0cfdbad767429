import type { Readable } from "node:stream";
import type { Access, FileOutput, InputOf, Operation, OutputOf } from "#contract/operation.ts";
import type { AccountRow, AgentSessionRow, AuditActor, KeyRow, LocationRow, Role, SignInMethod } from "../storage/storage.ts";
import type { KeyedRequest } from "./audited-request.ts";

/** A user's or a service's key, or somebody who is signed in to the console. */
export interface AccountCaller {
  readonly actor: AuditActor;
  readonly role: Role;
  /** The only account it may act for. */
  readonly accountId: number;
  /** The same account. Reading it throws AppError invalid_input where a user key did not name it, as the contract asks. */
  readonly account: AccountRow;
  /** A key that ends, or may do less than its role says. */
  readonly isLimited: boolean;
  /** What it may do at most, as resource:action; null: all that its role may. */
  readonly scopes: readonly string[] | null;
  /** How it was shown who calls. */
  readonly method: SignInMethod;
}

/** The long-lived key of a location; good for opening agent sessions only. */
export interface LocationCaller {
  readonly key: KeyRow;
  readonly location: LocationRow;
}

export interface AgentCaller {
  readonly agent: AgentSessionRow;
}

export interface Callers {
  readonly public: undefined;
  readonly read: AccountCaller;
  readonly run: AccountCaller;
  readonly write: AccountCaller;
  readonly admin: AccountCaller;
  readonly "agent-key": LocationCaller;
  readonly "agent-session": AgentCaller;
}

export interface CallContext<A extends Access = Access> {
  readonly caller: Callers[A];
  /** Aborts when the client went away or the server drains; for long polls. */
  readonly signal: AbortSignal;
  /** Which request it is, and from where. */
  readonly request: KeyedRequest;
  /** The request says that it is a message of an alert channel. */
  readonly isAlert: boolean;
  /** A header of the request by its name in lower case; what came several times is joined by commas. */
  readonly header: (name: string) => string | undefined;
  /** It is one of several calls in a transaction that is open around them: it must not wait for what waits for that transaction's end. */
  readonly isTogether?: true;
  /** `undo` runs when the answer did not reach the client's socket whole. */
  readonly onUndelivered: (undo: () => void) => void;
}

/** A file that is read while it is sent. */
export interface StreamedFile extends Omit<FileOutput, "body"> {
  readonly size: number;
  /** The bytes from `start` up to but without `end`. @throws {AppError} not_found, unavailable */
  readonly open: (start: number, end: number) => Promise<Readable>;
}

/** An answer, or the items of a paged one, that is JSON already: its UTF-8 in pieces. */
export class WrittenJson {
  readonly pieces: readonly Uint8Array[];
  /** Items, where it is a list. */
  readonly length: number;
  constructor(pieces: readonly Uint8Array[], length: number) {
    this.pieces = pieces;
    this.length = length;
  }
}

/** What a handler returns: a paged list tells its total beside the items. */
export type AnswerOf<O extends Operation> = O extends { readonly paged: true }
  ? { readonly items: OutputOf<O> | WrittenJson; readonly total: number }
  : O extends { readonly file: true }
    ? FileOutput | StreamedFile
    : OutputOf<O> | WrittenJson;

/** An operation with the code behind it; the HTTP server sees nothing else. */
export interface Handler {
  readonly operation: Operation;
  readonly handle: (input: never, context: never) => Promise<unknown>;
}

/** Binds code to an operation; what it gets and must answer follows from the operation's schemas. */
export function handler<const O extends Operation>(
  operation: O,
  handle: (input: InputOf<O>, context: CallContext<O["access"]>) => Promise<AnswerOf<O>>,
): Handler {
  return { operation, handle };
}
