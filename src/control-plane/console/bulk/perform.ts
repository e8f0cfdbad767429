import { deleteCheck, getCheckV1 } from "#contract/checks/operations.ts";
import { AppError } from "#domain/app-error.ts";
import type { Ask } from "../ask.ts";
import { muteFor, type SwitchDeps, updateOf } from "../check/check-switches.ts";
import type { Visit } from "../visit.ts";
import { type BulkAct, hoursOf } from "./bulk-act.ts";
import { updateBody } from "./update-body.ts";

/** What came of an act. Ids are uuids. */
export interface BulkOutcome {
  readonly changed: readonly string[];
  readonly unchanged: number;
  readonly refused: readonly { readonly id: string; readonly why: string }[];
  /** Not reached in the time that a request may take, or when the store gave out. */
  readonly left: readonly string[];
  /** Why it stopped there, where that was no lack of time; of a slice that is muted, some may be so already. */
  readonly trouble: string | null;
}

export interface PerformDeps extends SwitchDeps {
  /** Of a clock that nobody sets. */
  readonly monotonicMs: () => number;
  readonly ask: Ask;
}

/** Proxies give up requests after half a minute or more. */
const longestMs = 15_000;
/** Muted in one transaction. */
const sliceOfMutes = 200;

/**
 * Does it to each check by the operation that REST has for it, so that it refuses what REST refuses and the audit log names each; one that is
 * refused holds no other up. What is left when the time is over is told.
 */
export async function perform(deps: PerformDeps, visit: Visit, act: BulkAct, ids: readonly string[]): Promise<BulkOutcome> {
  const endMs = deps.monotonicMs() + longestMs;
  const step = hoursOf(act) === null ? 1 : sliceOfMutes;
  const changed: string[] = [];
  const refused: { id: string; why: string }[] = [];
  let unchanged = 0;
  let trouble: string | null = null;
  let at = 0;
  while (at < ids.length && trouble === null && deps.monotonicMs() < endMs) {
    const slice = ids.slice(at, at + step);
    try {
      const done = step === 1 ? await one(deps, visit, act, slice[0] ?? "") : await muteFor(deps, visit, slice, hoursOf(act));
      changed.push(...done);
      unchanged += slice.length - done.length;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (isRefusal(error)) refused.push(...slice.map((id) => ({ id, why: error.message })));
      else trouble = error.message;
    }
    if (trouble === null) at += step;
  }
  return { changed, unchanged, refused, left: ids.slice(at), trouble };
}

function isRefusal({ code }: AppError): boolean {
  return code === "invalid_input" || code === "not_found" || code === "conflict" || code === "forbidden";
}

async function one(deps: PerformDeps, visit: Visit, act: BulkAct, id: string): Promise<readonly string[]> {
  const [{ ask }, params] = [deps, { id }];
  if (act.name === "delete") {
    await ask(visit, deleteCheck, { params });
    return [id];
  }
  const check = await ask(visit, getCheckV1, { params });
  const unmuted = act.name === "unmute" ? await muteFor(deps, visit, [id], null) : []; // and who was muted for good
  const body = updateBody(act, check);
  if (body === null) return unmuted;
  await ask(visit, updateOf(check.checkType), { params, body });
  return [id];
}
