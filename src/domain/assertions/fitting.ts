import type { AssertionSource, Comparison } from "#contract/checks/assertion.ts";

const ofNumbers: readonly Comparison[] = ["EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_THAN"];
const ofTexts: readonly Comparison[] = [...ofNumbers, "CONTAINS", "NOT_CONTAINS", "IS_EMPTY", "NOT_EMPTY"];

/** Comparisons that can tell something about the values of a source; a source that is not here takes all. The contract takes all for any. */
export const fittingComparisons: { readonly [Source in AssertionSource]?: readonly Comparison[] } = {
  STATUS_CODE: ofNumbers,
  RESPONSE_TIME: ofNumbers,
  LATENCY: ofNumbers,
  HOP_COUNT: ofNumbers,
  PACKET_LOSS: ofNumbers,
  GRPC_STATUS_CODE: ofNumbers,
  GRPC_HEALTHCHECK_STATUS: ofNumbers,
  TEXT_BODY: ofTexts,
  TEXT_ANSWER: ofTexts,
  TEXT_RESPONSE: ofTexts,
  RESPONSE_DATA: ofTexts,
  RESPONSE_CODE: ofTexts,
};
