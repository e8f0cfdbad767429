import { scopeOf, scopesAllow } from "#contract/key-scopes.ts";
import type { Access, Operation } from "#contract/operation.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { keyKind, type RoleAccess, roleAllows } from "#domain/key.ts";
import { type TtlCache, ttlCache } from "#domain/ttl-cache.ts";
import type {
  AccountRow,
  AccountStore,
  AgentSessionRow,
  AgentStore,
  AuditActor,
  KeyRow,
  KeyStore,
  LocationStore,
  NotedEntry,
  Role,
  SignInMethod,
} from "../storage/storage.ts";
import { auditRequest, keyActor } from "./audit.ts";
import type { KeyedRequest } from "./audited-request.ts";
import type { AccountCaller, AgentCaller, Callers, LocationCaller } from "./handler.ts";
import { isLimited, refuseOutsideLimits } from "./key-limits.ts";

export interface AuthenticationDeps {
  readonly keys: Pick<KeyStore, "ofLocation">;
  readonly knownKeys: Pick<TtlCache<KeyRow>, "get">;
  /** Notes that a key was used. */
  readonly noteUse: (key: KeyRow, request: KeyedRequest) => void;
  /** Takes to the audit log what somebody whom we know was refused. */
  readonly note: (entry: NotedEntry) => void;
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
  ) => Promise<
    { readonly actor: AuditActor; readonly role: Role; readonly account: AccountRow; readonly method: SignInMethod } | undefined
  >;
  readonly nowMs: () => number;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What of a request tells who calls. */
export interface Calling extends KeyedRequest {
  readonly headers: Headers;
}

type Asked = Pick<Operation, "id" | "access" | "tag" | "method">;

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
  const accountCaller = accountCallers(deps);

  /** A session ends with the key that opened it. */
  async function isKeyed({ locationId, keyId }: AgentSessionRow): Promise<boolean> {
    return (await deps.keys.ofLocation(locationId)).some(({ id }) => id === keyId);
  }

  async function agentCaller(hash: string): Promise<AgentCaller> {
    const agent = await agentByHash.get(hash);
    if (agent === undefined) throw badToken();
    return { agent };
  }

  async function locationCaller(hash: string, request: Calling): Promise<LocationCaller> {
    const key = await deps.knownKeys.get(hash);
    const location = key?.kind === "location" && key.locationId !== null ? await deps.locations.byId(key.locationId) : undefined;
    if (key === undefined || location === undefined) throw badToken();
    deps.noteUse(key, request);
    return { key, location };
  }

  return async (operation, request) => {
    const { access } = operation;
    if (access === "public") return undefined;
    if (access === "agent-session") return agentCaller(hashOf(bearerToken(request.headers)));
    if (access === "agent-key") return locationCaller(hashOf(bearerToken(request.headers)), request);
    return accountCaller(operation, access, request);
  };
}

/** People who are signed in, and keys that act for an account. */
function accountCallers(deps: AuthenticationDeps): (operation: Asked, access: RoleAccess, request: Calling) => Promise<AccountCaller> {
  const { nowMs, hashOf } = deps;
  const accountById = ttlCache({ ttlMs: keyTtlMs, maxEntries, nowMs }, (id) => deps.accounts.byId(Number(id)));

  async function accountCaller(operation: Asked, access: RoleAccess, request: Calling): Promise<AccountCaller> {
    const { headers } = request;
    const person = headers["authorization"] === undefined ? await deps.signedIn?.(headers) : undefined;
    if (person === undefined) return keyCaller(operation, access, request);
    noting({ operation, request, accountId: person.account.id, actor: person.actor }, () => {
      refuseOther(person.account, namedAccount(headers));
      if (!roleAllows(person.role, access)) throw new AppError("forbidden", `The role ${person.role} may not do this`);
    });
    return { ...person, accountId: person.account.id, isLimited: false, scopes: null };
  }

  async function keyCaller(operation: Asked, access: RoleAccess, request: Calling): Promise<AccountCaller> {
    const key = await deps.knownKeys.get(hashOf(bearerToken(request.headers)));
    const account = key?.accountId == null ? undefined : await accountById.get(String(key.accountId));
    if (key === undefined || account === undefined || key.kind === "location") throw badToken();
    const named = namedAccount(request.headers);
    noting({ operation, request, accountId: account.id, actor: keyActor(key) }, () => {
      refuseOutsideLimits(key, request.ip, nowMs());
      refuseOther(account, named);
      if (!roleAllows(key.role, access)) throw new AppError("forbidden", `A key with the role ${key.role} may not do this`);
      const scope = scopeOf(operation);
      if (!scopesAllow(key.scopes, scope)) throw new AppError("forbidden", `The key lacks the scope ${scope.resource}:${scope.action}`);
    });
    deps.noteUse(key, request);
    const isNamed = named !== undefined || key.kind === "service";
    return new KeyCaller(key, account, isNamed ? null : (deps.accountHeaders[0] ?? ""));
  }

  /** What it refuses is in the audit log of the account, under the operation that was asked for. */
  function noting({ operation, request, accountId, actor }: Refusable, refuse: () => void): void {
    try {
      refuse();
    } catch (error) {
      const status = hasCode(error, "unauthorized") ? 401 : 403;
      const told = auditRequest(request.method, request, status);
      deps.note({ accountId, atMs: nowMs(), operation: operation.id, resourceId: null, fields: [], actor, request: told });
      throw error;
    }
  }

  function namedAccount(headers: Headers): string | undefined {
    const named = deps.accountHeaders.map((name) => headers[name]).find((value) => value !== undefined && value !== "");
    if (named !== undefined && typeof named !== "string") throw new AppError("invalid_input", "The account header was sent more than once");
    return named?.toLowerCase();
  }

  return accountCaller;
}

/** Somebody whom we know, who asks for something. */
interface Refusable {
  readonly operation: Asked;
  readonly request: Calling;
  readonly accountId: number;
  readonly actor: AuditActor;
}

function refuseOther(account: AccountRow, named: string | undefined): void {
  if (named !== undefined && account.uuid !== named) throw new AppError("forbidden", "The key cannot act for this account");
}

class KeyCaller implements AccountCaller {
  readonly actor: AuditActor;
  readonly role: Role;
  readonly accountId: number;
  readonly isLimited: boolean;
  readonly scopes: readonly string[] | null;
  readonly method = "key";
  readonly #account: AccountRow;
  readonly #missingHeader: string | null;

  /** @param missingHeader the header in which a user key should have named its account, and did not */
  constructor(key: KeyRow, account: AccountRow, missingHeader: string | null) {
    this.actor = keyActor(key);
    this.role = key.role;
    this.accountId = account.id;
    this.isLimited = isLimited(key);
    this.scopes = key.scopes;
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
