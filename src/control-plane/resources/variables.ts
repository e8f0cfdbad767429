import {
  createVariable,
  deleteVariable,
  type EnvironmentVariable,
  getVariable,
  listVariables,
  secretMask,
  updateVariable,
  type WrittenEnvironmentVariable,
} from "#contract/variables.ts";
import type { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { roleAllows } from "#domain/key.ts";
import { type AccountCaller, type Handler, handler } from "../http/handler.ts";
import type { Sealing, SecretPlace } from "../sealing.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";
import { findDocument, found } from "./find-document.ts";
import { removeDocument } from "./remove-document.ts";

export interface VariableDeps {
  readonly documents: Pick<DocumentStore, "create" | "list" | "find" | "update" | "remove">;
  readonly sealing: Pick<Sealing, "seal" | "renewed">;
  readonly nowMs: () => number;
}

/** The key is the document's name. */
export interface StoredAccountVariable {
  /** Sealed when it is secret. */
  readonly value: string;
  readonly locked: boolean;
  readonly secret: boolean;
}

const kind = "variable";

/** Where the value of a secret variable of an account is sealed. */
export function variablePlace(accountId: number, key: string): SecretPlace {
  return { kind, accountId, row: key, field: "value" };
}

export function variableHandlers({ documents, sealing, nowMs }: VariableDeps): readonly Handler[] {
  const stored = (place: SecretPlace, value: string, locked: boolean, secret: boolean): StoredAccountVariable => {
    if (secret && value === secretMask) throw invalidValue("is the asterisks that stand for a secret, not a value of its own");
    return { value: secret ? sealing.seal(value, place) : value, locked, secret };
  };
  return [
    handler(listVariables, async ({ query }, { caller }) => {
      const { items, total } = await documents.list<StoredAccountVariable>(caller.account.id, kind, query);
      return { items: items.map((row) => readView(row, caller)), total };
    }),
    handler(createVariable, async ({ body: { key, value, locked, secret } }, { caller }) => {
      const definition = stored(variablePlace(caller.account.id, key), value, locked, secret);
      return writtenView(await documents.create({ accountId: caller.account.id, kind, name: key, definition, nowMs: nowMs() }));
    }),
    handler(getVariable, async ({ params: { key } }, { caller }) =>
      readView(await findDocument<StoredAccountVariable>(documents, caller.account.id, kind, { name: key }), caller),
    ),
    handler(updateVariable, async ({ params: { key }, body: { value, locked, secret } }, { caller }) => {
      const place = variablePlace(caller.account.id, key);
      const change = ({ definition: before }: DocumentRow<StoredAccountVariable>) => {
        const keeps = value === null || (before.secret && value === secretMask);
        if (!keeps) return { definition: stored(place, value, locked, secret) };
        if (!before.secret || !secret) throw invalidValue("must be given: it is kept only for a secret that stays one");
        return { definition: { ...before, value: sealing.renewed(before.value, place), locked } };
      };
      const address = { name: key };
      return writtenView(found(await documents.update(caller.account.id, kind, address, change, nowMs()), kind, address));
    }),
    handler(deleteVariable, ({ params: { key } }, { caller }) => removeDocument(documents, caller.account.id, kind, { name: key })),
  ];
}

function invalidValue(message: string): AppError {
  return invalidInput([{ path: "value", message }]);
}

function readView({ name, definition }: DocumentRow<StoredAccountVariable>, caller: AccountCaller): EnvironmentVariable {
  const { value, locked, secret } = definition;
  const isHidden = secret || (locked && !roleAllows(caller.role, "write"));
  return { key: name ?? "", value: isHidden ? null : value, locked, secret };
}

function writtenView({ name, definition: { value, locked, secret } }: DocumentRow<StoredAccountVariable>): WrittenEnvironmentVariable {
  return { key: name ?? "", value: secret ? secretMask : value, locked, secret };
}
