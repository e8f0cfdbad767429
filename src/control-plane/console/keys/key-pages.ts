import { createApiKey, deleteApiKey, listApiKeys } from "#contract/api-keys.ts";
import { hasCode } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { draftFields, type KeyDraft, type KeysView, keysPage } from "./keys-page.ts";

const access = "admin";

/** API keys of the account; those of private locations are on the pages of these. */
export function keyPages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/keys", access, answer: (visit) => list(ask, visit, { done: visit.request.query.get("done") }) },
    { method: "POST", path: "/keys", access, answer: (visit) => create(ask, visit) },
    { method: "POST", path: "/keys/{id}/revoke", access, answer: (visit) => revoke(ask, visit) },
  ];
}

async function list(ask: Ask, visit: Visit, view: Omit<KeysView, "keys">): Promise<FormAnswer> {
  return keysPage(visit, { keys: await ask(visit, listApiKeys), ...view });
}

/** The page that answers is the only one that ever shows the key. */
async function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const draft = Object.fromEntries(draftFields.map((name) => [name, typed(form, name)])) as unknown as KeyDraft; // each of them
  try {
    const made = await ask(visit, createApiKey, { body: bodyOf(draft) });
    return await list(ask, visit, { made });
  } catch (error) {
    return list(ask, visit, { draft, problems: refusedFields(error, draftFields), status: 400 });
  }
}

/** A day that is chosen ends with it, wherever on earth somebody is. */
function bodyOf({ name, role, kind, expiresAt, allowedNetworks, scopes }: KeyDraft) {
  const list = (text: string): string[] | null => (text === "" ? null : text.split(/[\s,]+/).filter((part) => part !== ""));
  return {
    name,
    role,
    kind,
    expiresAt: expiresAt === "" ? null : `${expiresAt}T23:59:59Z`,
    allowedNetworks: list(allowedNetworks),
    scopes: list(scopes),
  };
}

async function revoke(ask: Ask, visit: Visit): Promise<FormAnswer> {
  try {
    await ask(visit, deleteApiKey, { params: { id: visit.request.params["id"] ?? "" } });
    return redirect("/keys?done=revoked");
  } catch (error) {
    if (hasCode(error, "conflict")) return list(ask, visit, { problems: { "": `${error.message}.` }, status: 409 });
    throw error;
  }
}
