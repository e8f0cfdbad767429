import { createCheckGroupV1, updateCheckGroupV1 } from "#contract/check-groups.ts";
import { type KindInContract, kinds } from "#contract/kinds.ts";
import type { Operation } from "#contract/operation.ts";

const writing: readonly (readonly [operation: Operation, idField: string])[] = [
  ...Object.values<KindInContract>(kinds).flatMap(({ operations: { create, update, remove }, idField }) =>
    [create, update, remove].flatMap((operation) => (operation === undefined ? [] : [[operation, idField] as const])),
  ),
  [createCheckGroupV1, "id"],
  [updateCheckGroupV1, "id"],
];

/** Operations that write what a file of configuration can hold, by their ids, and the field of their answers that tells which object it is. */
export const writingOperations: ReadonlyMap<string, { readonly operation: Operation; readonly idField: string }> = new Map(
  writing.map(([operation, idField]) => [operation.id, { operation, idField }]),
);
