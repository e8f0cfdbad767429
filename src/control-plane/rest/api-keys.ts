import { type ApiKey, type ApiKeyCreate, createApiKey, createOwnApiKey, deleteApiKey, listApiKeys } from "#contract/api-keys.ts";
import { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { type Role, roleIncludes } from "#domain/key.ts";
import { type AccountCaller, type Handler, handler } from "../http/handler.ts";
import { networksOf } from "../http/key-limits.ts";
import { issueKey, type KeyLimits } from "../keys/issue-key.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { KeyRow, KeyStore } from "../storage/storage.ts";

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
    handler(createApiKey, async ({ body: { name, role, kind, ...limits } }, { caller }) => {
      refuseAbove(caller.role, role, "issue");
      refuseLimited(caller);
      const owner = { kind, role, name, accountId: caller.account.id, locationId: null };
      const { key, rawKey } = await issueKey(deps, { ...owner, limits: limitsOf(limits, deps.nowMs()) });
      return { ...apiKeyView(key), rawKey };
    }),
    handler(createOwnApiKey, async ({ query: { name } }, { caller }) => {
      refuseLimited(caller);
      const owner = { kind: "user", role: caller.role, name, accountId: caller.account.id, locationId: null } as const;
      return { key: (await issueKey(deps, owner)).rawKey };
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
export function apiKeyView(key: KeyRow): ApiKey {
  const { id, name, kind, role, maskedKey, networks, scopes } = key;
  return {
    id,
    name,
    kind: kind === "user" ? "user" : "service",
    role,
    maskedKey,
    created_at: instant(key.createdAtMs),
    lastUsedAt: instantOrNull(key.lastUsedAtMs),
    expiresAt: instantOrNull(key.expiresAtMs),
    allowedNetworks: networks === null ? null : [...networks],
    scopes: scopes === null ? null : [...scopes],
  };
}

/** @throws {AppError} invalid_input for an end that is past, or what is no network */
export function limitsOf(
  { expiresAt, allowedNetworks, scopes }: Pick<ApiKeyCreate, "expiresAt" | "allowedNetworks" | "scopes">,
  nowMs: number,
): KeyLimits {
  const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
  if (expiresAtMs !== null && expiresAtMs <= nowMs)
    throw invalidInput([{ path: "expiresAt", message: `must be in the future, received ${instant(expiresAtMs)}` }]);
  return { expiresAtMs, networks: allowedNetworks === null ? null : networksOf(allowedNetworks), scopes };
}

function refuseLimited({ isLimited }: AccountCaller): void {
  if (isLimited) throw new AppError("forbidden", "A limited key may not issue keys: they would outlive its limits");
}

function refuseAbove(own: Role, other: Role, verb: "issue" | "revoke"): void {
  if (roleIncludes(own, other)) return;
  throw new AppError("forbidden", `The role ${own} may not ${verb} a key with the role ${other}`);
}
