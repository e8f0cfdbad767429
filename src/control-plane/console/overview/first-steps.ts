import { listAlertNotifications } from "#contract/alert-notifications.ts";
import { listDashboards } from "#contract/dashboards.ts";
import { listStatusPages } from "#contract/status-pages/pages.ts";
import { roleAllows } from "#domain/key.ts";
import { endFirstSteps, firstStepsState } from "../../accounts/first-steps-state.ts";
import type { AccountStore, LocationStore } from "../../storage/storage.ts";
import { firstStepTexts as texts } from "../../texts/first-steps.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import type { Ask } from "../ask.ts";
import { postForm } from "../form-view.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";

export interface FirstStepDeps {
  readonly accounts: Pick<AccountStore, "update">;
  readonly locations: Pick<LocationStore, "list" | "byCodes" | "servedDataCenters">;
}

/** Whether each was taken. */
export type FirstSteps = Readonly<Record<keyof typeof texts.steps, boolean>>;

const addresses: Readonly<Record<keyof FirstSteps, string>> = {
  location: "/locations",
  check: "/checks/new",
  channel: "/channels",
  page: "/pages",
};

/**
 * What a new account still needs; null where nothing is left, where somebody dismissed it, and for those who may change nothing. Once all are
 * done that is kept, so that it is neither asked again nor comes back when something is deleted.
 */
export async function firstSteps(deps: FirstStepDeps, ask: Ask, visit: Visit, hasChecks: boolean): Promise<FirstSteps | null> {
  const { account, role } = visit;
  const state = firstStepsState(account);
  if (state.over !== null || !roleAllows(role, "write")) return null;
  const [location, channel, page] = await Promise.all([
    hasAgent(deps, account.id),
    state.hasTestedChannel || hasDelivered(ask, visit),
    hasPage(ask, visit),
  ]);
  const steps = { location, check: hasChecks, channel, page };
  if (!Object.values(steps).every(Boolean)) return steps;
  await endFirstSteps(deps.accounts, account, "done");
  return null;
}

/** Of the account, or one that all accounts share. */
async function hasAgent({ locations }: FirstStepDeps, accountId: number): Promise<boolean> {
  const [own, shared] = await Promise.all([
    locations.list(accountId),
    locations.servedDataCenters().then((codes) => locations.byCodes(accountId, codes)),
  ]);
  return [...own, ...shared].some(({ lastSeenAtMs }) => lastSeenAtMs !== null);
}

/** A real alert shows as well as a test that a channel works. */
async function hasDelivered(ask: Ask, visit: Visit): Promise<boolean> {
  const { items } = await ask(visit, listAlertNotifications, { query: { hasFailures: "false", limit: "20" } });
  return items.some(({ status }) => status === "SUCCESS");
}

async function hasPage(ask: Ask, visit: Visit): Promise<boolean> {
  const [dashboards, pages] = await Promise.all([
    ask(visit, listDashboards, { query: { limit: "1" } }),
    ask(visit, listStatusPages, { query: { limit: "1" } }),
  ]);
  return dashboards.items.length + pages.entries.length > 0;
}

export function firstStepList({ csrf }: Visit, steps: FirstSteps): Html {
  const names = Object.keys(texts.steps) as (keyof FirstSteps)[]; // the names of the texts are the steps
  const step = (name: keyof FirstSteps): Html =>
    html`<li>${steps[name] ? stateLabel("ok", texts.done) : stateLabel("none", texts.toDo)}<div><a href="${addresses[name]}">${texts.steps[name]}</a><p>${texts.hints[name]}</p></div></li>`;
  return html`<section class="box steps" aria-labelledby="first-steps"><h2 id="first-steps">${texts.title}</h2><ol>${names.map(step)}</ol>
${postForm("/first-steps/dismiss", csrf, html`<button class="quiet">${texts.dismiss}</button>`)}</section>`;
}

/** For everybody of the account. */
export function dismissFirstSteps({ accounts }: FirstStepDeps): ConsolePage {
  return {
    method: "POST",
    path: "/first-steps/dismiss",
    access: "write",
    answer: async (visit) => {
      await endFirstSteps(accounts, visit.account, "dismissed");
      await visit.audit("dismissFirstSteps", null);
      return redirect("/checks");
    },
  };
}
