import { createCheckGroupV1, updateCheckGroupV1 } from "#contract/check-groups.ts";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import { kinds, objectParameter } from "#contract/kinds.ts";
import type { Operation } from "#contract/operation.ts";
import { CheckTypeName } from "#contract/primitives.ts";
import type { ResourceType } from "#contract/projects.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { Answered, CallOperation, Given } from "./object-calls.ts";

export type Payload = Readonly<Record<string, unknown>>;

/** How objects of a type are written, over the operations of REST. */
export interface ResourceKind {
  readonly create: (call: CallOperation, body: Payload) => Promise<string>;
  readonly update: (call: CallOperation, id: string, body: Payload) => Promise<void>;
  readonly remove: (call: CallOperation, id: string) => Promise<void>;
  readonly find: (call: CallOperation, id: string) => Promise<Answered>;
  /** As clients read ids of its kind. */
  readonly shownId: (id: string) => string | number;
}

/** Types that are objects of their own; the others are parts of these. */
export type ObjectType = Exclude<
  ResourceType,
  | "alert-channel-subscription"
  | "private-location-check-assignment"
  | "private-location-group-assignment"
  | "status-page-component"
  | "status-page-automation-rule"
>;

/** Subscriptions are the code's: nothing joins by itself. */
const asCodeSays = { query: { autoAssignAlerts: "false" } } as const;

export const resourceKinds: Readonly<Record<ObjectType, ResourceKind>> = {
  "status-page-service": kindOf("status-page-service"),
  "status-page": kindOf("status-page"),
  "check-group": kindOf("check-group", { writing: groupOperations, given: asCodeSays }),
  check: kindOf("check", { given: asCodeSays, updated: wholeCheck }),
  "alert-channel": kindOf("alert-channel"),
  "maintenance-window": kindOf("maintenance-window"),
  "private-location": kindOf("private-location", { updated: ({ slugName: _slugName, ...rest }) => rest }),
  dashboard: kindOf("dashboard"),
};

interface Differences {
  readonly writing?: (body: Payload) => { readonly create: Operation; readonly update: Operation };
  readonly given?: Pick<Given, "query">;
  /** What an update sends where that is not the body of a creation. */
  readonly updated?: (body: Payload) => Payload;
}

function kindOf(name: ObjectType, { writing, given = {}, updated = (body) => body }: Differences = {}): ResourceKind {
  const { operations, idField, idType } = kinds[name];
  const { create, update, remove, find } = operations;
  const operationsFor = writing ?? (() => ({ create, update }));
  const at = (operation: Operation, id: string): Pick<Given, "params"> => ({ params: { [objectParameter(operation) ?? ""]: id } });
  return {
    create: async (call, body) => String((await call(operationsFor(body).create, { ...given, body }))[idField]),
    async update(call, id, body) {
      const operation = operationsFor(body).update;
      await call(operation, { ...given, ...at(operation, id), body: updated(body) });
    },
    async remove(call, id) {
      await call(remove, at(remove, id));
    },
    find: (call, id) => call(find, at(find, id)),
    shownId: (id) => (idType === "number" ? Number(id) : id),
  };
}

function groupOperations({ v }: Payload): { readonly create: Operation; readonly update: Operation } {
  const { create, update } = kinds["check-group"].operations;
  return v === 2 ? { create, update } : { create: createCheckGroupV1, update: updateCheckGroupV1 };
}

/** An update of a check keeps what it leaves out; what code leaves out has its default. Only the offset that was assigned stays. */
function wholeCheck(body: Payload): Payload {
  const type = CheckTypeName.safeParse(body["checkType"]);
  if (!type.success) throw invalidInput([{ path: "checkType", message: "must name a type of checks" }]);
  const { create } = storedCheckTypes[type.data];
  const nothing = Object.keys(create.shape).map((name) => [name, undefined] as const);
  const { frequencyOffset, ...whole } = { ...Object.fromEntries(nothing), ...body };
  return { ...whole, ...(frequencyOffset !== undefined && { frequencyOffset }) };
}
