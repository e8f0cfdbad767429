import { z } from "zod";
import type { JobPayload } from "#contract/agent-protocol.ts";
import { type CheckType, checkTypes, isCheckType } from "#contract/checks/index.ts";
import { RetryStrategy } from "#contract/checks/retry-strategy.ts";
import { effectiveCheck } from "#domain/effective-check.ts";
import { effectiveRetryStrategy } from "#domain/retry.ts";
import { openedDefinition, openedSettings } from "../secrets/definition-secrets.ts";
import type { CheckRow, LeasedJobRow } from "../storage/storage.ts";
import type { MaterialDeps } from "./job-material.ts";
import { createLostSecretLog } from "./kept-secrets.ts";

/** What a job has from the definitions of its check and group alone. */
export interface JobParts extends Pick<JobPayload, "checkName" | "tags" | "settings" | "retryStrategy"> {
  readonly checkType: CheckType;
  readonly runtimeId: string | null;
  readonly runParallel: boolean;
}

/**
 * Reads definitions of leased jobs. The store hands out the same row for as long as its check's revision stays, so what was read of it is kept with
 * it; what has secrets is opened for one job and never kept.
 *
 * @throws {Error} of a check whose type does not run
 */
export function createJobParts(deps: Pick<MaterialDeps, "sealing" | "nowMs" | "log">): (row: LeasedJobRow) => JobParts {
  const sayLost = createLostSecretLog(deps);
  const kept = new WeakMap<CheckRow, JobParts>();

  /** Each secret is bound to the check or the group that it comes from, so they are opened before the two become one. */
  function read({ check, group, groupUuid }: LeasedJobRow): { readonly parts: JobParts; readonly hasSecrets: boolean } {
    const { accountId, uuid, type } = check;
    let hasSecrets = false;
    const sealing: MaterialDeps["sealing"] = {
      unseal(value, place) {
        hasSecrets = true;
        return deps.sealing.unseal(value, place);
      },
    };
    const definition = openedDefinition(check.definition, sealing, { kind: "check", accountId, row: uuid }, sayLost);
    const settings = group && openedSettings(group, sealing, { kind: "check-group", accountId, row: groupUuid ?? "" }, sayLost);
    return { parts: partsOf(type, effectiveCheck(settings, type, definition)), hasSecrets };
  }

  return (row) => {
    const known = kept.get(row.check);
    if (known !== undefined) return known;
    const { parts, hasSecrets } = read(row);
    if (row.group === null && !hasSecrets) kept.set(row.check, parts);
    return parts;
  };
}

/** The part of a definition that retries follow from. */
const RetrySettings = z.object({ retryStrategy: RetryStrategy.nullable().optional(), doubleCheck: z.boolean().optional() });

function partsOf(type: CheckRow["type"], definition: CheckRow["definition"]): JobParts {
  if (!isCheckType(type)) throw new Error(`check type ${type} does not run`);
  const { name, tags, runParallel, runtimeId } = definition;
  return {
    checkName: name,
    checkType: type,
    tags: [...tags],
    runtimeId: typeof runtimeId === "string" ? runtimeId : null,
    settings: checkTypes[type].settings.parse(definition),
    retryStrategy: effectiveRetryStrategy(RetrySettings.parse(definition)),
    runParallel,
  };
}
