import { type Cause, surestFirst } from "./cause.ts";
import type { CauseFacts } from "./cause-facts.ts";
import { answer } from "./rules/answer.ts";
import { certificate } from "./rules/certificate.ts";
import { changedAddress } from "./rules/changed-address.ts";
import { changes } from "./rules/changes.ts";
import { connection } from "./rules/connection.ts";
import { degradation } from "./rules/degradation.ts";
import { names } from "./rules/names.ts";
import { networkPath } from "./rules/network-path.ts";
import { oneLocation } from "./rules/one-location.ts";
import { isUnsent, script } from "./rules/script.ts";
import { sharedHost } from "./rules/shared-host.ts";
import { status } from "./rules/status.ts";
import { surroundings } from "./rules/surroundings.ts";

/**
 * In the order in which they are told where they are as sure. What many checks share comes before what one of them saw: it says where to look
 * first. What changed comes last: it only happened about then.
 */
const rules: readonly ((facts: CauseFacts) => readonly Cause[])[] = [
  surroundings,
  oneLocation,
  sharedHost,
  certificate,
  names,
  networkPath,
  connection,
  status,
  script,
  answer,
  degradation,
  changedAddress,
  changes,
];

/** Of a run that sent nothing. */
const rulesOfUnsent = [surroundings, script, changes];

/** What a failure likely comes from, the surest first; empty where no rule says anything. Looks at its facts only, so the same facts give the same causes. */
export function findCauses(facts: CauseFacts): readonly Cause[] {
  return surestFirst((isUnsent(facts.failure) ? rulesOfUnsent : rules).flatMap((rule) => rule(facts)));
}
