import { getCheckV2, getCheckV3, listChecksV2, listChecksV3 } from "#contract/checks/operations.ts";
import { type KindInContract, kindNamed } from "#contract/kinds.ts";
import { noProjectBindings, type ProjectBindings } from "#contract/project-bindings.ts";
import type { AccountCaller, CallContext, Handler } from "../http/handler.ts";
import type { ProjectBinding, ProjectStore } from "../storage/storage.ts";

export interface ProjectBindingDeps {
  readonly projects: Pick<ProjectStore, "bindings">;
}

/** What projects of code can own, and tell it in reads. */
const boundKinds = ["alert-channel", "check", "check-group", "dashboard", "maintenance-window", "private-location", "status-page"] as const;
type BoundKind = (typeof boundKinds)[number];

/** Operations that read such objects, by their ids. */
const readers: ReadonlyMap<string, BoundKind> = new Map([
  ...boundKinds.flatMap((kind) => {
    const { list, find }: KindInContract["operations"] = kindNamed(kind).operations;
    return [list, find].flatMap((operation) => (operation === undefined ? [] : [[operation.id, kind] as const]));
  }),
  ...[getCheckV2, getCheckV3, listChecksV2, listChecksV3].map(({ id }) => [id, "check"] as const),
]);

type Answered = Readonly<Record<string, unknown>>;

/** A read of objects tells which projects own them or refer to them, in one look-up however many there are. */
export function withProjectBindings({ projects }: ProjectBindingDeps, { operation, handle }: Handler): Handler {
  const kind = readers.get(operation.id);
  if (kind === undefined) return { operation, handle };
  const { idField } = kindNamed(kind);
  const bound = async (input: never, context: CallContext<"read">): Promise<unknown> => {
    const answer: unknown = await handle(input, context as never);
    const objects = objectsIn(answer).filter((object) => "projectBindings" in object);
    if (objects.length === 0) return answer;
    const { account }: AccountCaller = context.caller;
    const bindings = await projects.bindings(
      account.id,
      kind,
      objects.map((object) => String(object[idField])),
    );
    if (bindings.size === 0) return answer;
    return mapped(answer, (object) => withBindings(object, bindings.get(String(object[idField])) ?? []));
  };
  return { operation, handle: bound as Handler["handle"] };
}

/** Of a list, of a page of one, or the only one. */
function objectsIn(answer: unknown): readonly Answered[] {
  const objects: Answered[] = [];
  mapped(answer, (object) => {
    objects.push(object);
    return object;
  });
  return objects;
}

function mapped(answer: unknown, change: (object: Answered) => Answered): unknown {
  if (Array.isArray(answer)) return answer.map(change);
  const whole = answer as Answered; // reads answer objects
  for (const member of ["items", "entries"]) {
    const list = whole[member];
    if (Array.isArray(list)) return { ...whole, [member]: list.map(change) };
  }
  return change(whole);
}

function withBindings(object: Answered, bindings: readonly ProjectBinding[]): Answered {
  if (!("projectBindings" in object) || bindings.length === 0) return object;
  const projectBindings = bindingsOf(bindings);
  const { owner } = projectBindings;
  // A check of version 1 tells its owner in these, too.
  const older = "member" in object && owner !== null ? { project: owner.project, member: true, ...owner.binding } : {};
  return { ...object, ...older, projectBindings };
}

function bindingsOf(bindings: readonly ProjectBinding[]): ProjectBindings {
  const told = bindings.map(({ project: { uuid, logicalId: name, name: title }, logicalId, isMember, isPending }) => ({
    isMember,
    binding: { project: { id: uuid, logicalId: name, name: title }, binding: { logicalId, pending: isPending } },
  }));
  return {
    owner: told.find(({ isMember }) => isMember)?.binding ?? noProjectBindings.owner,
    references: told.flatMap(({ isMember, binding }) => (isMember ? [] : [binding])),
  };
}
