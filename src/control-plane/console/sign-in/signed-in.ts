import { randomBytes } from "node:crypto";
import { AppError } from "#domain/app-error.ts";
import { keyActor } from "../../http/audit.ts";
import type { AuthenticationDeps, Headers } from "../../http/authenticate.ts";
import { isLimited } from "../../http/key-limits.ts";
import { isSameText } from "../../keys/same-text.ts";
import type {
  AccountRow,
  AccountStore,
  AuditActor,
  KeyRow,
  Role,
  SignInMethod,
  SignInRow,
  SignInStore,
  UserRow,
} from "../../storage/storage.ts";
import { csrfOf, isOwnOrigin } from "../form-guard.ts";
import { type Barred, barredBy, refuseBarred } from "./account-rules.ts";
import type { ConsoleCookies } from "./cookies.ts";

/** Somebody who is signed in, as everything of him is at this moment. */
export interface SignedIn {
  readonly account: AccountRow;
  readonly role: Role;
  /** Null where a key signed in. */
  readonly user: UserRow | null;
  /** Whom the audit log names. */
  readonly actor: AuditActor;
  /** What every form brings in its field `csrf`, and every script in the header `x-outpost-csrf`. */
  readonly csrf: string;
  readonly tokenHash: string;
  readonly method: SignInMethod;
  /** What the account asks for and this sign-in lacks: only the profile is open to it. */
  readonly barred: Barred | null;
}

export interface SignIns {
  find(headers: Headers): Promise<SignedIn | undefined>;
  /** The same for what goes on without the person: it keeps no sign-in alive. */
  look(headers: Headers): Promise<SignedIn | undefined>;
  /** Always under a new token; what was signed in before ends. @returns the cookies that say so */
  open(headers: Headers, accountId: number, who: Who): Promise<readonly string[]>;
  /** @returns the cookies that say so */
  end(headers: Headers): Promise<readonly string[]>;
  /** Tells of sign-ins that somebody ended in this process, by the hash of their token. */
  onEnd(listener: (tokenHash: string) => void): void;
  /** For `Authenticate`: requests of scripts on our pages. */
  ofScript: NonNullable<AuthenticationDeps["signedIn"]>;
}

type Who = { readonly userId: number; readonly method: SignInMethod } | { readonly keyId: string; readonly method: "key" };

export interface SignInDeps {
  readonly signIns: SignInStore;
  readonly accounts: Pick<AccountStore, "byId">;
  readonly cookies: ConsoleCookies;
  readonly hashOf: (secret: string) => string;
  /** Notes that a key was used. */
  readonly noteUse: (key: KeyRow) => void;
  readonly publicUrl: () => string;
  readonly nowMs: () => number;
}

/** Nobody touched the browser for so long. */
const idleMs = 12 * 3_600_000;
const longestMs = 30 * 86_400_000;
/** How far behind `seenAtMs` may be. */
const touchMs = 60_000;

const csrfHeader = "x-outpost-csrf";

export function createSignIns(deps: SignInDeps): SignIns {
  const { signIns, accounts, cookies, nowMs, hashOf } = deps;
  const tokenHashOf = (token: string): string => hashOf(`sign-in:${token}`);

  const endListeners: ((tokenHash: string) => void)[] = [];

  async function read(headers: Headers): Promise<{ readonly row: SignInRow; readonly signedIn: SignedIn } | undefined> {
    const token = cookies.session.read(headers);
    if (token === undefined) return undefined;
    const tokenHash = tokenHashOf(token);
    const row = await signIns.byTokenHash(tokenHash, nowMs());
    const account = row && (await accounts.byId(row.accountId));
    if (row === undefined || account === undefined) return undefined;
    const { method } = row;
    const csrf = csrfOf(hashOf, token);
    return { row, signedIn: { ...personOf(row.who), account, tokenHash, csrf, method, barred: barredBy(account, method) } };
  }

  async function find(headers: Headers): Promise<SignedIn | undefined> {
    const found = await read(headers);
    if (found === undefined) return undefined;
    const { row, signedIn } = found;
    const now = nowMs();
    if (row.who.kind === "key") deps.noteUse(row.who.key);
    const expiresAtMs = Math.min(row.endsAtMs, now + idleMs);
    if (now - row.seenAtMs >= touchMs) await signIns.touch(signedIn.tokenHash, { seenAtMs: now, expiresAtMs });
    return signedIn;
  }

  async function end(headers: Headers): Promise<readonly string[]> {
    const token = cookies.session.read(headers);
    if (token !== undefined) {
      await signIns.remove(tokenHashOf(token));
      for (const listener of endListeners) listener(tokenHashOf(token));
    }
    return [cookies.session.clear()];
  }

  return {
    find,
    look: async (headers) => (await read(headers))?.signedIn,
    end,
    onEnd: (listener) => void endListeners.push(listener),
    async open(headers, accountId, who) {
      await end(headers);
      const token = randomBytes(32).toString("base64url");
      const now = nowMs();
      const times = { createdAtMs: now, seenAtMs: now, endsAtMs: now + longestMs, expiresAtMs: now + idleMs };
      const owner = "userId" in who ? { userId: who.userId, keyId: null } : { userId: null, keyId: who.keyId };
      await signIns.create({ tokenHash: tokenHashOf(token), accountId, method: who.method, ...owner, ...times });
      return [cookies.session.set(token, longestMs / 1_000), cookies.visitor.clear()];
    },
    async ofScript(headers) {
      const given = headers[csrfHeader];
      if (typeof given !== "string") return undefined; // the cookie alone is nothing here: any page may make a browser send it
      const signedIn = await find(headers);
      if (signedIn === undefined) return undefined;
      if (!isSameText(given, signedIn.csrf) || !isOwnOrigin(headers, deps.publicUrl()))
        throw new AppError("forbidden", "This page is out of date; reload it");
      refuseBarred(signedIn);
      return signedIn;
    },
  };
}

function personOf(who: SignInRow["who"]): Pick<SignedIn, "role" | "user" | "actor"> {
  if (who.kind === "key") return { role: who.key.role, user: null, actor: keyActor(who.key) };
  const { user, role } = who;
  return { role, user, actor: { userId: user.uuid, userName: user.email, role } };
}

/** A key that a person may sign in with: in the console nothing would hold its limits. */
export function isForPeople(key: KeyRow): boolean {
  return key.kind !== "location" && key.accountId !== null && !isLimited(key);
}
