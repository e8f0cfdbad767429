import type { KeyRow, Role } from "./configuration-stores.ts";

/* People: who they are, what they may in which account, and where they are signed in. */

export interface UserRow {
  readonly id: number;
  readonly uuid: string;
  /** As it was typed; two that differ in case only are the same. */
  readonly email: string;
  readonly name: string;
  /** See `console/sign-in/password.ts`; null where there is none. */
  readonly passwordHash: string | null;
  readonly createdAtMs: number;
}

export type NewUser = Omit<UserRow, "id">;

/** Who somebody is for an OpenID Connect provider: its issuer, and the name that it gives to nobody else (`sub`). */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface UserStore {
  byEmail(email: string): Promise<UserRow | undefined>;
  /** Ends every sign-in of the user. */
  setPassword(userId: number, passwordHash: string): Promise<void>;
  rename(userId: number, name: string): Promise<void>;
}

export interface MemberRow {
  readonly uuid: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly joinedAtMs: number;
  readonly hasSecondFactor: boolean;
  /** Signs in with a provider. */
  readonly isConnected: boolean;
}

/** An account that a user is a member of. */
export interface MembershipRow {
  readonly accountId: number;
  readonly accountUuid: string;
  readonly accountName: string;
  readonly role: Role;
}

export interface MemberStore {
  hasOwner(accountId: number): Promise<boolean>;
  /**
   * Makes the account's first OWNER.
   *
   * @returns undefined when there is an OWNER already; of two calls at once one makes it
   * @throws {AppError} conflict when the e-mail address is taken
   */
  addFirstOwner(accountId: number, user: NewUser): Promise<UserRow | undefined>;
  /** By name. */
  list(accountId: number): Promise<readonly MemberRow[]>;
  find(accountId: number, userUuid: string): Promise<MemberRow | undefined>;
  /** In the order in which they were joined. */
  ofUser(userId: number): Promise<readonly MembershipRow[]>;
  /**
   * @returns whether the account has such a member
   * @throws {AppError} conflict where the account would be left without an OWNER
   */
  changeRole(accountId: number, userUuid: string, role: Role): Promise<boolean>;
  /** Ends the user's sign-ins in the account; a user who is left with no account goes. @returns and throws as `changeRole` */
  remove(accountId: number, userUuid: string): Promise<boolean>;
}

export interface InvitationRow {
  readonly uuid: string;
  readonly accountId: number;
  readonly email: string;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface InvitationStore {
  /** Replaces an earlier one to the same address. */
  create(invitation: InvitationRow & { readonly tokenHash: string }): Promise<void>;
  /** Those that have not expired, by address. */
  list(accountId: number, nowMs: number): Promise<readonly InvitationRow[]>;
  byTokenHash(tokenHash: string, nowMs: number): Promise<InvitationRow | undefined>;
  /** @returns whether there was one */
  remove(accountId: number, uuid: string): Promise<boolean>;
  /**
   * Makes the invited user, or one that exists, a member. An invitation is good for one.
   *
   * @param identity what the new user signs in with
   * @returns undefined when it is gone or has expired
   * @throws {AppError} conflict when the address got a user meanwhile, the user is a member already, or the identity is somebody's
   */
  accept(tokenHash: string, user: NewUser | UserRow, nowMs: number, identity?: Identity): Promise<UserRow | undefined>;
  /** @returns how many expired ones went */
  prune(nowMs: number, limit: number): Promise<number>;
}

/** A link by which somebody who forgot the password sets a new one. */
export interface PasswordResetStore {
  /**
   * One for a user: it replaces an earlier one.
   *
   * @returns false where one was made after `notSinceMs`, which stays
   */
  create(
    reset: { readonly userId: number; readonly tokenHash: string; readonly createdAtMs: number; readonly expiresAtMs: number },
    notSinceMs: number,
  ): Promise<boolean>;
  byTokenHash(tokenHash: string, nowMs: number): Promise<UserRow | undefined>;
  /** Sets the password and ends every sign-in of the user. @returns undefined when it was used, replaced or has expired */
  use(tokenHash: string, passwordHash: string, nowMs: number): Promise<UserRow | undefined>;
  /** @returns how many expired ones went */
  prune(nowMs: number, limit: number): Promise<number>;
}

interface SignInTimes {
  readonly createdAtMs: number;
  /** At most a minute behind. */
  readonly seenAtMs: number;
  /** Whatever is done until then. */
  readonly endsAtMs: number;
  /** Earlier, where nobody uses it. */
  readonly expiresAtMs: number;
}

/** How somebody signed in: `second-factor` is a password and a code. */
export type SignInMethod = "password" | "second-factor" | "provider" | "key";

export type NewSignIn = SignInTimes & { readonly tokenHash: string; readonly accountId: number; readonly method: SignInMethod } & (
    | { readonly userId: number; readonly keyId: null }
    | { readonly userId: null; readonly keyId: string }
  );

/** What is known of a browser that is signed in, as it is now: role and key are looked up with it. */
export interface SignInRow extends SignInTimes {
  readonly accountId: number;
  readonly method: SignInMethod;
  readonly who: { readonly kind: "user"; readonly user: UserRow; readonly role: Role } | { readonly kind: "key"; readonly key: KeyRow };
}

export interface SignInStore {
  create(signIn: NewSignIn): Promise<void>;
  /** Undefined also for one that expired, whose user is no member any more, or whose key was revoked. */
  byTokenHash(tokenHash: string, nowMs: number): Promise<SignInRow | undefined>;
  touch(tokenHash: string, times: Pick<SignInTimes, "seenAtMs" | "expiresAtMs">): Promise<void>;
  /** Goes on in another account of the user. @returns whether the user is a member there */
  move(tokenHash: string, accountUuid: string): Promise<boolean>;
  remove(tokenHash: string): Promise<void>;
  /** @returns how many expired ones went */
  prune(nowMs: number, limit: number): Promise<number>;
}

/** What somebody has beside a password. */
export interface SecondFactorRow {
  /** Sealed, see `sealing.ts`. */
  readonly secret: string;
  /** False until a code has shown that the user's app has the secret. */
  readonly isOn: boolean;
  /** Recovery codes that are left. */
  readonly codesLeft: number;
}

export interface SecondFactorStore {
  ofUser(userId: number): Promise<SecondFactorRow | undefined>;
  /** A secret that counts once it is turned on; it replaces another one that waits. Nothing where it is on. */
  begin(userId: number, secret: string): Promise<void>;
  /** Ends sign-ins of the user that were made without one. @returns false where no secret waits */
  turnOn(userId: number, step: number, codeHashes: readonly string[]): Promise<boolean>;
  /** Takes the codes with it, and every sign-in that waits for one; those that were made with it count as made without. @returns whether there was one */
  remove(userId: number): Promise<boolean>;
  /** Takes a code's step of time. @returns false where this one or a later one was taken before */
  useStep(userId: number, step: number): Promise<boolean>;
  /** @returns false where there is no such code any more */
  useCode(userId: number, codeHash: string): Promise<boolean>;
  replaceCodes(userId: number, codeHashes: readonly string[]): Promise<void>;
}

/** Sign-ins whose password was right, and whose second factor is still to come. Setting a password ends them. */
export interface HalfSignInStore {
  create(half: { readonly tokenHash: string; readonly userId: number; readonly expiresAtMs: number }, nowMs: number): Promise<void>;
  byTokenHash(tokenHash: string, nowMs: number): Promise<UserRow | undefined>;
  /** @returns whether it was there: of two at once one has it */
  remove(tokenHash: string): Promise<boolean>;
}

export interface IdentityStore {
  /** Who signs in with it. */
  user(identity: Identity): Promise<UserRow | undefined>;
  ofUser(userId: number): Promise<readonly Identity[]>;
  /** In place of the one that the user has with this issuer. @throws {AppError} conflict where it is somebody else's */
  connect(userId: number, identity: Identity, nowMs: number): Promise<void>;
  /** Ends the user's sign-ins with a provider, too. */
  disconnect(userId: number): Promise<void>;
}
