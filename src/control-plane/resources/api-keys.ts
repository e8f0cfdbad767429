import { type ApiKey, createApiKey, deleteApiKey, listApiKeys } from "#contract/api-keys.ts";
import { AppError } from "#domain/app-error.ts";
import { type Role, roleIncludes } from "#domain/key.ts";
import { type Handler, handler } from "../http/handler.ts";
import { instant, instantOrNull } from "../instants.ts";
import { issueKey } from "../issue-key.ts";
import type { KeyRow, KeyStore } from "../storage/storage.ts";
import { notFound } from "./not-found.ts";

export interface ApiKeyDeps {
  readonly keys: Pick<KeyStore, "create" | "ofAccount" | "revoke">;
  readonly hashOf: (secret: string) => string;
  /** Makes this process look a key up again: it was revoked. */
  readonly forgetKey: (hash: string) => void;
  readonly nowMs: () => number;
}

export function apiKeyHandlers(deps: ApiKeyDeps): readonly Handler[] {
  const { keys, forgetKey } = deps;
  return [
    handler(listApiKeys, async (_input, { caller }) => (await keys.ofAccount(caller.account.id)).map(apiKeyView)),
    handler(createApiKey, async ({ body: { name, role, kind } }, { caller }) => {
      refuseAbove(caller.role, role, "issue");
      const { key, rawKey } = await issueKey(deps, { kind, role, name, accountId: caller.account.id, locationId: null });
      return { ...apiKeyView(key), rawKey };
    }),
    handler(deleteApiKey, async ({ params: { id } }, { caller }) => {
      const key = (await keys.ofAccount(caller.account.id)).find((one) => one.id === id.toLowerCase());
      if (key === undefined) throw notFound("API key", id);
      refuseAbove(caller.role, key.role, "revoke");
      const hash = await keys.revoke(caller.account.id, key.id);
      if (hash === undefined) throw notFound("API key", id);
      forgetKey(hash);
      return undefined;
    }),
  ];
}

/** A key as lists tell it. A key that speaks for a location is none of these. */
export function apiKeyView({ id, name, kind, role, maskedKey, createdAtMs, lastUsedAtMs }: KeyRow): ApiKey {
  const wireKind = kind === "user" ? "user" : "service";
  return { id, name, kind: wireKind, role, maskedKey, created_at: instant(createdAtMs), lastUsedAt: instantOrNull(lastUsedAtMs) };
}

function refuseAbove(own: Role, other: Role, verb: "issue" | "revoke"): void {
  if (roleIncludes(own, other)) return;
  throw new AppError("forbidden", `The role ${own} may not ${verb} a key with the role ${other}`);
}
