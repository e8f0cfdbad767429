import {
  createDeploymentTrigger,
  type DeploymentTrigger,
  type DeploymentTriggerCreate,
  listDeploymentTriggers,
} from "#contract/deployment-triggers.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { type Handler, handler } from "../http/handler.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import type { CheckGroupStore, CheckStore, DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface DeploymentTriggerDeps {
  readonly documents: Pick<DocumentStore, "create" | "list">;
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly checkGroups: Pick<CheckGroupStore, "byId">;
  readonly nowMs: () => number;
}

type Stored = Omit<DeploymentTrigger, "id" | "created_at" | "updated_at">;

export function deploymentTriggerHandlers(deps: DeploymentTriggerDeps): readonly Handler[] {
  const { documents, nowMs } = deps;
  return [
    handler(listDeploymentTriggers, async (_input, { caller }) =>
      (await documents.list<Stored>(caller.account.id, "deployment-trigger")).items.map(view),
    ),
    handler(createDeploymentTrigger, async ({ body }, { caller: { account } }) => {
      await refuseUnknownTarget(deps, account.id, body);
      const { checkId, groupId, repoId, ...rest } = body;
      const definition: Stored = { ...rest, checkId: checkId?.toLowerCase() ?? null, groupId: groupId ?? null, repoId: String(repoId) };
      return view(await documents.create<Stored>({ accountId: account.id, kind: "deployment-trigger", definition, nowMs: nowMs() }));
    }),
  ];
}

/** @throws {AppError} invalid_input unless exactly one of the two is named, and there */
async function refuseUnknownTarget(
  { checks, checkGroups }: DeploymentTriggerDeps,
  accountId: number,
  { checkId, groupId }: Pick<DeploymentTriggerCreate, "checkId" | "groupId">,
): Promise<void> {
  const both = [checkId ?? null, groupId ?? null].filter((given) => given !== null).length;
  if (both !== 1) {
    const message = `or groupId must be given, and not both; received ${both === 0 ? "neither" : "both"}`;
    throw invalidInput([{ path: "checkId", message }]);
  }
  const isThere =
    checkId == null
      ? (await checkGroups.byId(accountId, groupId ?? 0)) !== undefined
      : (await checks.byUuid(accountId, checkId.toLowerCase())) !== undefined;
  if (isThere) return;
  const [path, received] = checkId == null ? ["groupId", groupId] : ["checkId", checkId];
  throw invalidInput([{ path, message: `names nothing of this account; received ${JSON.stringify(received)}` }]);
}

function view({ id, definition, createdAtMs, updatedAtMs }: DocumentRow<Stored>): DeploymentTrigger {
  return { ...definition, id, created_at: instant(createdAtMs), updated_at: instantOrNull(updatedAtMs) };
}
