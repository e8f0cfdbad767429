import { type CheckGap, listGapsOfCheck } from "#contract/check-gaps.ts";
import { type Handler, handler } from "../http/handler.ts";
import { instant } from "../kinds/instants.ts";
import type { CheckStore, GapRow, GapStore } from "../storage/storage.ts";
import { findCheck } from "./find-check.ts";

export interface CheckGapDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly gaps: Pick<GapStore, "list">;
}

export function checkGapHandlers({ checks, gaps }: CheckGapDeps): readonly Handler[] {
  return [
    handler(listGapsOfCheck, async ({ params: { id }, query: { page, limit, from, to } }, { caller }) => {
      const check = await findCheck(checks, caller.account.id, id);
      const time = { ...(from !== undefined && { fromMs: from }), ...(to !== undefined && { toMs: to }) };
      const { items, total } = await gaps.list({ checkId: check.id, page, limit, ...time });
      return { items: items.map((gap) => gapView(check.uuid, gap)), total };
    }),
  ];
}

function gapView(checkId: string, { reason, firstSlotMs, lastSlotMs, slots, locationCodes, runParallel }: GapRow): CheckGap {
  return {
    checkId,
    reason,
    firstSlot: instant(firstSlotMs),
    lastSlot: instant(lastSlotMs),
    slots,
    locations: [...locationCodes],
    runParallel,
  };
}
