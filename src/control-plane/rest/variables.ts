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
import { isSealed, type Sealing, type SecretPlace } from "../keys/sealing.ts";
import { findDocument, found } from "../kinds/find-document.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import { variableKind as kind, type StoredAccountVariable, variablePlace } from "../kinds/variable.ts";
import { revealFor } from "../secrets/definition-secrets.ts";
import type { Reveal } from "../secrets/request-secrets.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface VariableDeps {
  readonly documents: Pick<DocumentStore, "create" | "list" | "find" | "update" | "remove">;
  readonly sealing: Sealing;
  /** Whoever may write also reads locked values. */
  readonly secretsReadable: boolean;
  readonly nowMs: () => number;
}

export function variableHandlers(deps: VariableDeps): readonly Handler[] {
  const { documents, sealing, nowMs } = deps;
  const revealTo = ({ role }: AccountCaller): Reveal => revealFor(deps, roleAllows(role, "write"));
  const stored = (place: SecretPlace, value: string, locked: boolean, secret: boolean): StoredAccountVariable => {
    if ((secret || locked) && value === secretMask) throw invalidValue("is the asterisks that stand for a secret, not a value of its own");
    return { value: secret || locked ? sealing.seal(value, place) : value, locked, secret };
  };
  return [
    handler(listVariables, async ({ query }, { caller }) => {
      const { items, total } = await documents.list<StoredAccountVariable>(caller.account.id, kind, query);
      return { items: items.map((row) => readView(row, revealTo(caller))), total };
    }),
    handler(createVariable, async ({ body: { key, value, locked, secret } }, { caller }) => {
      const definition = stored(variablePlace(caller.account.id, key), value, locked, secret);
      return writtenView(
        revealTo(caller),
        await documents.create({ accountId: caller.account.id, kind, name: key, definition, nowMs: nowMs() }),
      );
    }),
    handler(getVariable, async ({ params: { key } }, { caller }) =>
      readView(await findDocument<StoredAccountVariable>(documents, caller.account.id, kind, { name: key }), revealTo(caller)),
    ),
    handler(updateVariable, async ({ params: { key }, body: { value, locked, secret } }, { caller }) => {
      const place = variablePlace(caller.account.id, key);
      const change = ({ definition: before }: DocumentRow<StoredAccountVariable>) => {
        const keeps = value === null || (isHidden(before) && value === secretMask);
        if (!keeps) return { definition: stored(place, value, locked, secret) };
        // What nobody may read must not become what some may.
        const stays = isHidden(before) && (secret || (locked && !before.secret));
        if (!stays) throw invalidValue("must be given: it is kept only for a secret that stays one");
        return {
          definition: {
            value: isSealed(before.value) ? sealing.renewed(before.value, place) : sealing.seal(before.value, place),
            locked,
            secret,
          },
        };
      };
      const address = { name: key };
      return writtenView(revealTo(caller), found(await documents.update(caller.account.id, kind, address, change, nowMs()), kind, address));
    }),
    handler(deleteVariable, ({ params: { key } }, { caller }) => removeDocument(documents, caller.account.id, kind, { name: key })),
  ];
}

function invalidValue(message: string): AppError {
  return invalidInput([{ path: "value", message }]);
}

function isHidden({ locked, secret }: StoredAccountVariable): boolean {
  return locked || secret;
}

/** Null: nobody reads it, or not who asks. */
function shownValue({ accountId, name, definition }: DocumentRow<StoredAccountVariable>, reveal: Reveal): string | null {
  const { value, secret } = definition;
  if (secret) return null;
  if (!isHidden(definition)) return value;
  return reveal && (isSealed(value) ? reveal(value, variablePlace(accountId, name ?? "")) : value);
}

function readView(row: DocumentRow<StoredAccountVariable>, reveal: Reveal): EnvironmentVariable {
  const { locked, secret } = row.definition;
  return { key: row.name ?? "", value: shownValue(row, reveal), locked, secret };
}

function writtenView(reveal: Reveal, row: DocumentRow<StoredAccountVariable>): WrittenEnvironmentVariable {
  const { locked, secret } = row.definition;
  return { key: row.name ?? "", value: shownValue(row, reveal) ?? secretMask, locked, secret };
}
