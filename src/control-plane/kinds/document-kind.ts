import type { z } from "zod";
import { type KindInContract, type KindOperation, kinds } from "#contract/kinds.ts";
import type { Operation, OutputOf } from "#contract/operation.ts";
import type { Sealing } from "../keys/sealing.ts";
import type {
  AccountRow,
  AlertSubscriptionStore,
  DocumentAddress,
  DocumentChange,
  DocumentKind,
  DocumentRow,
  DocumentStore,
  NewDocument,
} from "../storage/storage.ts";
import type { DomainDeps, PageAddress } from "./page-addresses.ts";

/** What the rules of kinds may use. */
export interface KindDeps extends DomainDeps {
  readonly documents: DocumentStore;
  readonly alertSubscriptions: Pick<AlertSubscriptionStore, "ofChannels" | "createChannel" | "updateChannel">;
  readonly sealing: Sealing;
  /** Whoever may write also reads secrets. */
  readonly secretsReadable: boolean;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
}

/** One request for objects of a kind. */
export interface KindCall extends Omit<KindDeps, "nowMs"> {
  readonly account: AccountRow;
  readonly mayWrite: boolean;
  readonly nowMs: number;
  /** Keys that this request made, by their ids: its answer alone shows them. */
  readonly shownOnce: Map<string, string>;
}

/** What differs between kinds in the types of their rules. */
interface KindTypes {
  readonly definition: unknown;
  readonly query: unknown;
  readonly create: unknown;
  readonly update: unknown;
  readonly view: unknown;
  readonly related: unknown;
}

/** How one kind is stored and shown. `Types` follow from its operations. */
interface Rules<T extends KindTypes> {
  readonly kind: DocumentKind;
  /** Lists begin with the newest; otherwise with the oldest. */
  readonly newestFirst?: true;
  /** Which rows a list is to have; undefined: all. */
  readonly filter?: (query: T["query"]) => ((definition: T["definition"]) => boolean) | undefined;
  /** What is stored of a new one. @throws {AppError} invalid_input for what a schema cannot say */
  readonly create?: (body: T["create"], call: KindCall, uuid: string) => NewParts<T["definition"]>;
  /** What becomes of a stored one; runs while it is locked. Its claims are beside those of its page addresses. @throws {AppError} invalid_input */
  readonly update?: (body: T["update"], before: DocumentRow<T["definition"]>, call: KindCall) => DocumentChange<T["definition"]>;
  /** Under which addresses people find it. */
  readonly pageAddresses?: (body: T["create"] | T["update"], accountId: number) => readonly PageAddress[];
  /** For kinds with more in the store than a document. */
  readonly store?: {
    readonly create: (document: NewDocument<T["definition"]>, body: T["create"], call: KindCall) => Promise<DocumentRow<T["definition"]>>;
    readonly update?: (
      address: DocumentAddress,
      change: (before: DocumentRow<T["definition"]>) => DocumentChange<T["definition"]>,
      body: T["update"],
      call: KindCall,
    ) => Promise<DocumentRow<T["definition"]> | undefined>;
  };
  /** What the views of these rows need beside them, in one query for all. */
  readonly related?: (rows: readonly DocumentRow<T["definition"]>[], call: KindCall) => Promise<T["related"]>;
  readonly view: (row: DocumentRow<T["definition"]>, call: KindCall, related: T["related"]) => T["view"];
  /** Operations that take more than all kinds do, and so have handlers of their own. */
  readonly own?: readonly OperationOfKind[];
}

type OperationOfKind = keyof KindInContract["operations"];

type NewParts<D> = Pick<NewDocument<D>, "definition" | "name" | "parentId" | "open">;

type Part<O, Name extends "body" | "query"> = O extends Readonly<Record<Name, infer S extends z.ZodType>> ? z.output<S> : never;
type Answer<O> = [O] extends [Operation] ? OutputOf<O> : never;
type ItemOf<List> = List extends { readonly entries: (infer E)[] } ? E : List extends (infer E)[] ? E : never;

/** How another answer differs from what a single read answers: to be said where that does not fit it. */
type Form<Name extends string, Found, Wanted> = [Wanted] extends [never]
  ? unknown
  : [Found] extends [Wanted]
    ? Readonly<Partial<Record<Name, (found: Found) => Wanted>>>
    : Readonly<Record<Name, (found: Found) => Wanted>>;

type Found<K extends DocumentKind> = Answer<KindOperation<K, "find">>;

/** What a kind must say, because it has the operation and no handler of its own for it. */
type Needed<K extends DocumentKind, What extends "create" | "update", Own, R> = [KindOperation<K, What>] extends [never]
  ? unknown
  : What extends Own
    ? unknown
    : Required<Pick<R, What & keyof R>>;

type RulesFor<K extends DocumentKind, D, Related> = Rules<{
  definition: D;
  query: Part<KindOperation<K, "list">, "query">;
  create: Part<KindOperation<K, "create">, "body">;
  update: Part<KindOperation<K, "update">, "body">;
  view: Found<K>;
  related: Related;
}>;

type RulesOf<K extends DocumentKind, D, Related, Own extends OperationOfKind> = RulesFor<K, D, Related> & {
  readonly kind: K;
  readonly own?: readonly Own[];
} & Needed<K, "create", Own, RulesFor<K, D, Related>> &
  Needed<K, "update", Own, RulesFor<K, D, Related>> &
  ("list" extends Own ? unknown : Form<"listed", Found<K>, ItemOf<Answer<KindOperation<K, "list">>>>) &
  Form<"written", Found<K>, Answer<KindOperation<K, "create">>>;

/** The rules of any kind, as what serves all of them sees them. */
export type AnyDocumentKind = Rules<KindTypes> & Readonly<Partial<Record<"listed" | "written", (found: unknown) => unknown>>>;

/**
 * Declares a kind whose documents hold `D` and whose views need `Related`. What its operations take and answer is checked here; behind it all
 * kinds look alike, because the store gives these rules only what they wrote.
 */
export function documentKind<D, Related = undefined>() {
  return <K extends DocumentKind, Own extends OperationOfKind = never>(rules: RulesOf<K, D, Related, Own>): AnyDocumentKind =>
    rules as unknown as AnyDocumentKind;
}

/** The document that the last parameter of a path names. Clients write uuids in either case. */
export function documentAddress(kind: DocumentKind, id: string | number): DocumentAddress {
  const { idType } = kinds[kind];
  if (idType === "number") return { id: Number(id) };
  return idType === "uuid" ? { uuid: String(id).toLowerCase() } : { name: String(id) };
}
