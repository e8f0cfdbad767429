import type { Access } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import { keyKind, roleAllows } from "#domain/key.ts";
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

export interface AuthenticationDeps {
  readonly keys: Pick<KeyStore, "ofLocation">;
  readonly knownKeys: Pick<TtlCache<KeyRow>, "get">;
  /** Notes that a user's or a service's key was used. */
  readonly noteUse: (keyId: string) => void;
  readonly accounts: Pick<AccountStore, "byId" | "byUuid">;
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

export type Authenticate = (access: Access, headers: Headers) => Promise<Callers[Access]>;

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
  const accountByUuid = ttlCache(cache, (uuid) => deps.accounts.byUuid(uuid));
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

  async function accountCaller(access: "read" | "run" | "write" | "admin", headers: Headers): Promise<AccountCaller> {
    const person = headers["authorization"] === undefined ? await deps.signedIn?.(headers) : undefined;
    if (person === undefined) return keyCaller(access, hashOf(bearerToken(headers)), headers);
    refuseOther(person.account, namedAccount(headers));
    if (!roleAllows(person.role, access)) throw new AppError("forbidden", `The role ${person.role} may not do this`);
    return { ...person, boundTo: person.account.id };
  }

  async function keyCaller(access: "read" | "run" | "write" | "admin", hash: string, headers: Headers): Promise<AccountCaller> {
    const key = await deps.knownKeys.get(hash);
    if (key === undefined || key.kind === "location") throw badToken();
    const account = await accountOf(key, headers);
    deps.noteUse(key.id);
    if (!roleAllows(key.role, access)) throw new AppError("forbidden", `A key with the role ${key.role} may not do this`);
    return new ResolvedAccountCaller(key, account, deps.accountHeaders[0] ?? "");
  }

  /** The account that the key is bound to, or that the header names; a header never widens a bound key. */
  async function accountOf(key: KeyRow, headers: Headers): Promise<AccountRow | undefined> {
    const bound = key.accountId === null ? undefined : await accountById.get(String(key.accountId));
    if (key.accountId !== null && bound === undefined) throw badToken();
    const named = namedAccount(headers);
    if (named === undefined) return key.kind === "service" ? bound : undefined;
    const account = bound === undefined ? await accountByUuid.get(named) : bound;
    refuseOther(account, named);
    return account;
  }

  function namedAccount(headers: Headers): string | undefined {
    const named = deps.accountHeaders.map((name) => headers[name]).find((value) => value !== undefined);
    if (named !== undefined && typeof named !== "string") throw new AppError("invalid_input", "The account header was sent more than once");
    return named?.toLowerCase();
  }

  return async (access, headers) => {
    if (access === "public") return undefined;
    if (access === "agent-session") return agentCaller(hashOf(bearerToken(headers)));
    if (access === "agent-key") return locationCaller(hashOf(bearerToken(headers)));
    return accountCaller(access, headers);
  };
}

function refuseOther(account: AccountRow | undefined, named: string | undefined): void {
  if (named !== undefined && account?.uuid !== named) throw new AppError("forbidden", "The key cannot act for this account");
}

class ResolvedAccountCaller implements AccountCaller {
  readonly actor: AuditActor;
  readonly role: Role;
  readonly boundTo: number | null;
  readonly #account: AccountRow | undefined;
  readonly #header: string;

  constructor(key: KeyRow, account: AccountRow | undefined, header: string) {
    this.actor = keyActor(key);
    this.role = key.role;
    this.boundTo = key.accountId;
    this.#account = account;
    this.#header = header;
  }

  get account(): AccountRow {
    if (this.#account === undefined)
      throw new AppError("invalid_input", `With a user key the header ${this.#header} must name the account`);
    return this.#account;
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
