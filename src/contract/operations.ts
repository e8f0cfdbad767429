import { accountOperations } from "./accounts.ts";
import { checkResultOperations } from "./check-results.ts";
import { checkSessionOperations } from "./check-sessions.ts";
import { checkStatusOperations } from "./check-statuses.ts";
import { checkOperations } from "./checks/operations.ts";
import { locationOperations } from "./location-list.ts";
import { privateLocationOperations } from "./private-locations.ts";
import { runtimeOperations } from "./runtimes.ts";

export { agentOperations } from "./agent-protocol.ts";

/** Every operation of the REST API. */
export const operations = [
  ...accountOperations,
  ...checkOperations,
  ...checkResultOperations,
  ...checkSessionOperations,
  ...checkStatusOperations,
  ...locationOperations,
  ...privateLocationOperations,
  ...runtimeOperations,
] as const;
