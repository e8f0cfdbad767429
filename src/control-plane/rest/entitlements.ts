import { checkTypes } from "#contract/checks/index.ts";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import { isPinged } from "#contract/checks/traits.ts";
import { type Entitlement, type Entitlements, getEntitlements, getOwnEntitlements } from "#contract/entitlements.ts";
import { dataCenterLocations } from "#contract/locations.ts";
import { checkTypeNames } from "#contract/primitives.ts";
import { type Handler, handler } from "../http/handler.ts";
import { notFound } from "../kinds/not-found.ts";

export interface EntitlementDeps {
  readonly resultsKeepMs: number;
  readonly rollupsKeepMs: number;
  readonly secretsReadable: boolean;
  /** A provider with which members may sign in; null where there is none. */
  readonly oidc: object | null;
  /** Where large files of results are; null where none are kept. */
  readonly blobs: object | null;
  readonly canSendMail: boolean;
}

/** A run goes to so many locations at once, see `contract/checks/check.ts`. */
const maxLocations = 128;
const dayMs = 86_400_000;

export function entitlementHandlers(deps: EntitlementDeps): readonly Handler[] {
  const all = entitlementsOf(deps);
  return [
    handler(getOwnEntitlements, async (_input, { caller: { account } }) => {
      void account; // which must be named
      return all;
    }),
    handler(getEntitlements, async ({ params: { accountId } }, { caller: { account } }) => {
      if (account.uuid !== accountId.toLowerCase()) throw notFound("account", accountId);
      return all;
    }),
  ];
}

function entitlementsOf(deps: EntitlementDeps): Entitlements {
  const types = checkTypeNames.map((type) => {
    const { title } = storedCheckTypes[type];
    const runs = type in checkTypes || isPinged(type);
    return flag(`${type}_CHECKS`, `${title}s`, runs ? `Agents run every ${title}` : `A ${title} is stored, and no agent runs it`, runs);
  });
  return {
    plan: "self-hosted",
    planDisplayName: "Self-hosted",
    addons: {},
    locations: {
      all: Object.entries(dataCenterLocations).map(([id, name]) => ({ id, name, available: true })),
      maxPerCheck: maxLocations,
    },
    entitlements: [
      ...types,
      flag("PRIVATE_LOCATIONS", "Private locations", "Agents of your own, as many as you like", true),
      flag("STATUS_PAGES", "Status pages", "Pages for everybody, with incidents and maintenance", true),
      flag(
        "STATUS_PAGE_SUBSCRIPTIONS",
        "Subscriptions of status pages",
        "People follow pages by e-mail; needs a mail server",
        deps.canSendMail,
      ),
      flag("DASHBOARDS", "Dashboards", "Public and private ones", true),
      flag("PROJECTS", "Projects of code", "Deployments by the public command line and by `outpost apply`", true),
      flag("SINGLE_SIGN_ON", "Single sign-on", "With an OpenID Connect provider", deps.oidc !== null),
      flag("RESULT_FILES", "Files of results", "Traces, videos and reports are kept", deps.blobs !== null),
      flag("READABLE_SECRETS", "Secrets are read back", "By keys that may write", deps.secretsReadable),
      metered("RESULTS_KEEP_DAYS", "Days of single results", "How long single results are kept", deps.resultsKeepMs / dayMs),
      metered("ROLLUPS_KEEP_DAYS", "Days of analytics", "How long figures of hours and days are kept", deps.rollupsKeepMs / dayMs),
      metered("ALERT_CHANNELS", "Alert channels", "Of an account", 1_000),
      metered("LOCATIONS_PER_CHECK", "Locations of a check", "Of each kind", maxLocations),
    ],
  };
}

function flag(key: string, name: string, description: string, enabled: boolean): Entitlement {
  return { key, name, description, type: "flag", enabled };
}

function metered(key: string, name: string, description: string, quantity: number): Entitlement {
  return { key, name, description, type: "metered", enabled: true, quantity: Math.floor(quantity) };
}
