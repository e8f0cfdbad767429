import { scopeOf, scopesAllow } from "#contract/key-scopes.ts";
import type { Access, Operation } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import { keyKind, type RoleAccess, roleAllows } from "#domain/key.ts";
import type {
  AccountRow,
  AccountStore,
  AgentSessionRow,
  AgentStore,
  AuditActor,
  KeyRow,
  KeyStore,
  LocationStore,
  Role,
} from "../storage/storage.ts";
import { type TtlCache, ttlCache } from "../ttl-cache.ts";
import { keyActor } from "./audit.ts";
import type { AccountCaller, AgentCaller, Callers, LocationCaller } from "./handler.ts";
import { isLimited, refuseOutsideLimits } from "./key-limits.ts";

export interface AuthenticationDeps {
  readonly keys: Pick<KeyStore, "ofLocation">;
  readonly knownKeys: Pick<TtlCache<KeyRow>, "get">;
  /** Notes that a user's or a service's key was used. */
  readonly noteUse: (keyId: string) => void;
  readonly accounts: Pick<AccountStore, "byId">;
  readonly locations: Pick<LocationStore, "byId">;
  readonly agents: Pick<AgentStore, "byTokenHash">;
  /** The keyed hash under which keys and tokens are stored. */
  readonly hashOf: (secret: string) => string;
  /** Lower-case names of headers that may carry the account id. */
  readonly accountHeaders: readonly string[];
  /**
   * Who is signed in to the console, where a request of its own scripts says so; undefined for any other request.
   *
   * @throws {AppError} forbidden
   */
  readonly signedIn?: (
    headers: Headers,
  ) => Promise<{ readonly actor: AuditActor; readonly role: Role; readonly account: AccountRow } | undefined>;
  readonly nowMs: () => number;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What of a request tells who calls. */
export interface Calling {
  readonly headers: Headers;
  /** Who connected: behind a proxy that is not trusted, the proxy. */
  readonly ip: string;
}

type Asked = Pick<Operation, "access" | "tag" | "method">;

export type Authenticate = (operation: Asked, request: Calling) => Promise<Callers[Access]>;

/** A key that another process revoked stops working within this time. */
const keyTtlMs = 5_000;
const maxEntries = 20_000;

/** Keys by the hash under which they are stored. `forget` what is revoked. */
export function createKnownKeys({
  keys,
  nowMs,
}: {
  readonly keys: Pick<KeyStore, "byHash">;
  readonly nowMs: () => number;
}): TtlCache<KeyRow> {
  return ttlCache({ ttlMs: keyTtlMs, maxEntries, nowMs }, (hash) => keys.byHash(hash));
}

/**
 * Finds out who calls and whether they may. Every access but `public` needs a key of the right kind and role;
 * whatever is not allowed here is refused.
 *
 * @throws {AppError} unauthorized, forbidden
 */
export function createAuthenticate(deps: AuthenticationDeps): Authenticate {
  const { nowMs, hashOf } = deps;
  const cache = { ttlMs: keyTtlMs, maxEntries, nowMs };
  const agentByHash = ttlCache(cache, async (hash) => {
    const agent = await deps.agents.byTokenHash(hash, nowMs());
    return agent !== undefined && (await isKeyed(agent)) ? agent : undefined;
  });
  const accountById = ttlCache(cache, (id) => deps.accounts.byId(Number(id)));

  /** A session ends with the key that opened it. */
  async function isKeyed({ locationId, keyId }: AgentSessionRow): Promise<boolean> {
    return (await deps.keys.ofLocation(locationId)).some(({ id }) => id === keyId);
  }

  async function agentCaller(hash: string): Promise<AgentCaller> {
    const agent = await agentByHash.get(hash);
    if (agent === undefined || agent.expiresAtMs <= nowMs()) throw badToken();
    return { agent };
  }

  async function locationCaller(hash: string): Promise<LocationCaller> {
    const key = await deps.knownKeys.get(hash);
    const location = key?.kind === "location" && key.locationId !== null ? await deps.locations.byId(key.locationId) : undefined;
    if (key === undefined || location === undefined) throw badToken();
    return { key, location };
  }

  async function accountCaller(operation: Asked, access: RoleAccess, { headers, ip }: Calling): Promise<AccountCaller> {
    const person = headers["authorization"] === undefined ? await deps.signedIn?.(headers) : undefined;
    if (person === undefined) return keyCaller(operation, access, { headers, ip });
    refuseOther(person.account, namedAccount(headers));
    if (!roleAllows(person.role, access)) throw new AppError("forbidden", `The role ${person.role} may not do this`);
    return { ...person, accountId: person.account.id, isLimited: false };
  }

  async function keyCaller(operation: Asked, access: RoleAccess, { headers, ip }: Calling): Promise<AccountCaller> {
    const key = await deps.knownKeys.get(hashOf(bearerToken(headers)));
    const account = key?.accountId == null ? undefined : await accountById.get(String(key.accountId));
    if (key === undefined || account === undefined || key.kind === "location") throw badToken();
    refuseOutsideLimits(key, ip, nowMs());
    const named = namedAccount(headers);
    refuseOther(account, named);
    deps.noteUse(key.id);
    if (!roleAllows(key.role, access)) throw new AppError("forbidden", `A key with the role ${key.role} may not do this`);
    const scope = scopeOf(operation);
    if (!scopesAllow(key.scopes, scope)) throw new AppError("forbidden", `The key lacks the scope ${scope.resource}:${scope.action}`);
    const isNamed = named !== undefined || key.kind === "service";
    return new KeyCaller(key, account, isNamed ? null : (deps.accountHeaders[0] ?? ""));
  }

  function namedAccount(headers: Headers): string | undefined {
    const named = deps.accountHeaders.map((name) => headers[name]).find((value) => value !== undefined);
    if (named !== undefined && typeof named !== "string") throw new AppError("invalid_input", "The account header was sent more than once");
    return named?.toLowerCase();
  }

  return async (operation, request) => {
    const { access } = operation;
    if (access === "public") return undefined;
    if (access === "agent-session") return agentCaller(hashOf(bearerToken(request.headers)));
    if (access === "agent-key") return locationCaller(hashOf(bearerToken(request.headers)));
    return accountCaller(operation, access, request);
  };
}

function refuseOther(account: AccountRow, named: string | undefined): void {
  if (named !== undefined && account.uuid !== named) throw new AppError("forbidden", "The key cannot act for this account");
}

class KeyCaller implements AccountCaller {
  readonly actor: AuditActor;
  readonly role: Role;
  readonly accountId: number;
  readonly isLimited: boolean;
  readonly #account: AccountRow;
  readonly #missingHeader: string | null;

  /** @param missingHeader the header in which a user key should have named its account, and did not */
  constructor(key: KeyRow, account: AccountRow, missingHeader: string | null) {
    this.actor = keyActor(key);
    this.role = key.role;
    this.accountId = account.id;
    this.isLimited = isLimited(key);
    this.#account = account;
    this.#missingHeader = missingHeader;
  }

  get account(): AccountRow {
    if (this.#missingHeader === null) return this.#account;
    throw new AppError("invalid_input", `With a user key the header ${this.#missingHeader} must name the account`);
  }
}

function bearerToken(headers: Headers): string {
  const value = headers["authorization"];
  const token = typeof value === "string" ? /^bearer +(\w{1,100}) *$/i.exec(value)?.[1] : undefined;
  if (token === undefined || keyKind(token) === null) throw badToken();
  return token;
}

function badToken(): AppError {
  return new AppError("unauthorized", "Bad Token");
}
