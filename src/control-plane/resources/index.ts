import type { Handler } from "../http/handler.ts";
import type { Sealing } from "../sealing.ts";
import type { Storage } from "../storage/storage.ts";
import { accountHandlers } from "./accounts.ts";
import { checkResultHandlers } from "./check-results.ts";
import { type CheckSessionDeps, checkSessionHandlers } from "./check-sessions.ts";
import { checkStatusHandlers } from "./check-statuses.ts";
import { checkHandlers } from "./checks.ts";
import { locationHandlers } from "./locations.ts";
import { type PrivateLocationDeps, privateLocationHandlers } from "./private-locations.ts";
import { runtimeHandlers } from "./runtimes.ts";

export interface ResourceDeps
  extends Pick<CheckSessionDeps, "waits" | "publicUrl">,
    Pick<PrivateLocationDeps, "hashOf" | "nowMs" | "agentGoneMs"> {
  readonly storage: Storage;
  /** For the secrets in what users store. */
  readonly sealing: Sealing;
}

/** Every resource of the REST API, each with only the stores it uses. A new resource is a line here. */
export function resourceHandlers({ storage, ...deps }: ResourceDeps): readonly Handler[] {
  return [
    ...accountHandlers(storage.accounts),
    ...checkHandlers({ ...deps, checks: storage.checks, locations: storage.locations }),
    ...checkResultHandlers({ ...deps, checks: storage.checks, results: storage.results }),
    ...checkSessionHandlers({ ...deps, ...storage }),
    ...checkStatusHandlers(storage.checks),
    ...locationHandlers(),
    ...privateLocationHandlers({ ...deps, locations: storage.locations, keys: storage.keys, agents: storage.agents }),
    ...runtimeHandlers(),
  ];
}
