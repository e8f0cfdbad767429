import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { unlimited } from "../../../src/control-plane/keys/issue-key.ts";
import type { NewSignIn, NewUser, Role, Storage } from "../../../src/control-plane/storage/storage.ts";
import { account, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const user = (email: string, name = "Ada"): NewUser => ({ uuid: randomUUID(), email, name, passwordHash: "h", createdAtMs: t0 });
const invitation = (accountId: number, email: string, role: Role = "READ_ONLY") => ({
  uuid: randomUUID(),
  accountId,
  email,
  role,
  createdAtMs: t0,
  expiresAtMs: t0 + 100,
});
const signIn = (accountId: number, userId: number, tokenHash: string): NewSignIn => ({
  tokenHash,
  accountId,
  userId,
  keyId: null,
  method: "password",
  createdAtMs: t0,
  seenAtMs: t0,
  endsAtMs: t0 + 1_000,
  expiresAtMs: t0 + 100,
});

async function member(storage: Storage, accountId: number, email: string, role: Role) {
  const tokenHash = randomUUID();
  await storage.invitations.create({ ...invitation(accountId, email, role), tokenHash });
  const known = await storage.users.byEmail(email);
  const joined = await storage.invitations.accept(tokenHash, known ?? user(email), t0);
  if (joined === undefined) throw new Error("the invitation is gone");
  return joined;
}

describe.each(engines.names)("people on %s", (engine) => {
  async function scene() {
    const storage = await engines.open(engine);
    const { id } = await account(storage);
    const owner = await storage.members.addFirstOwner(id, user("Ada@Example.com"));
    if (owner === undefined) throw new Error("there is an owner already");
    return { storage, id, owner };
  }

  it("are found by their address in any case, and have one address each", async () => {
    const { storage, id, owner } = await scene();
    expect(await storage.users.byEmail("aDA@example.COM")).toEqual(owner);
    expect(owner.email).toBe("Ada@Example.com");
    expect(await storage.users.byEmail("ada@example.com.evil")).toBeUndefined();
    await storage.invitations.create({ ...invitation(id, "ada@example.com"), tokenHash: "t" });
    await expect(storage.invitations.accept("t", user("ADA@example.com"), t0)).rejects.toMatchObject({ code: "conflict" });
    expect(await storage.invitations.list(id, t0)).toHaveLength(1);
  });

  it("get one first owner, however many try at once", async () => {
    const storage = await engines.open(engine);
    const { id } = await account(storage);
    expect(await storage.members.hasOwner(id)).toBe(false);
    const made = await Promise.all(Array.from({ length: 5 }, (_, n) => storage.members.addFirstOwner(id, user(`o${n}@example.com`))));
    expect(made.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await storage.members.hasOwner(id)).toBe(true);
    expect(await storage.members.list(id)).toMatchObject([{ role: "OWNER" }]);
  });

  it("join by an invitation, once, and not by one that expired or was replaced", async () => {
    const { storage, id } = await scene();
    const first = invitation(id, "bob@example.com");
    await storage.invitations.create({ ...first, tokenHash: "old" });
    await storage.invitations.create({ ...invitation(id, "BOB@example.com", "ADMIN"), tokenHash: "new" });
    expect(await storage.invitations.byTokenHash("old", t0)).toBeUndefined();
    expect(await storage.invitations.byTokenHash("new", t0 + 100)).toBeUndefined();
    expect(await storage.invitations.accept("new", user("bob@example.com"), t0 + 100)).toBeUndefined();
    const taken = await Promise.all([1, 2].map(() => storage.invitations.accept("new", user("bob@example.com", "Bob"), t0)));
    expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await storage.members.list(id)).toMatchObject([{ name: "Ada" }, { name: "Bob", role: "ADMIN" }]);
    expect(await storage.invitations.list(id, t0)).toEqual([]);
  });

  it("leave no account without an owner, also when two go at once", async () => {
    const { storage, id, owner } = await scene();
    await expect(storage.members.remove(id, owner.uuid)).rejects.toMatchObject({ code: "conflict" });
    await expect(storage.members.changeRole(id, owner.uuid, "ADMIN")).rejects.toMatchObject({ code: "conflict" });
    expect(await storage.members.changeRole(id, owner.uuid, "OWNER")).toBe(true);
    const second = await member(storage, id, "bob@example.com", "OWNER");
    const ends = await Promise.allSettled([storage.members.remove(id, owner.uuid), storage.members.changeRole(id, second.uuid, "ADMIN")]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await storage.members.hasOwner(id)).toBe(true);
  });

  it("belong to accounts: what another account has is not there", async () => {
    const { storage, id, owner } = await scene();
    const other = await account(storage);
    await storage.invitations.create({ ...invitation(id, "x@example.com"), uuid: "i", tokenHash: "t" });
    expect(await storage.members.list(other.id)).toEqual([]);
    expect(await storage.members.find(other.id, owner.uuid)).toBeUndefined();
    expect(await storage.members.changeRole(other.id, owner.uuid, "READ_ONLY")).toBe(false);
    expect(await storage.members.remove(other.id, owner.uuid)).toBe(false);
    expect(await storage.invitations.list(other.id, t0)).toEqual([]);
    expect(await storage.invitations.remove(other.id, "i")).toBe(false);
    expect(await storage.invitations.remove(id, "i")).toBe(true);
  });

  it("go with their last account, and stay with another one", async () => {
    const { storage, id } = await scene();
    const other = await account(storage);
    const bob = await member(storage, id, "bob@example.com", "ADMIN");
    await member(storage, other.id, "bob@example.com", "READ_RUN");
    expect(await storage.members.ofUser(bob.id)).toMatchObject([
      { accountId: id, role: "ADMIN" },
      { accountId: other.id, role: "READ_RUN" },
    ]);
    await storage.signIns.create(signIn(id, bob.id, "here"));
    await storage.signIns.create(signIn(other.id, bob.id, "there"));
    await storage.members.remove(id, bob.uuid);
    expect(await storage.signIns.byTokenHash("here", t0)).toBeUndefined();
    expect(await storage.signIns.byTokenHash("there", t0)).toMatchObject({ who: { kind: "user", role: "READ_RUN" } });
    await storage.members.remove(other.id, bob.uuid);
    expect(await storage.users.byEmail("bob@example.com")).toBeUndefined();
    expect(await storage.signIns.byTokenHash("there", t0)).toBeUndefined();
  });

  it("are signed in with the role that they have now, until it expires", async () => {
    const { storage, id, owner } = await scene();
    const bob = await member(storage, id, "bob@example.com", "ADMIN");
    await storage.signIns.create(signIn(id, bob.id, "s"));
    await storage.members.changeRole(id, bob.uuid, "READ_ONLY");
    expect(await storage.signIns.byTokenHash("s", t0)).toMatchObject({ accountId: id, who: { user: bob, role: "READ_ONLY" } });
    expect(await storage.signIns.byTokenHash("s", t0 + 100)).toBeUndefined();
    await storage.signIns.touch("s", { seenAtMs: t0 + 50, expiresAtMs: t0 + 150 });
    expect(await storage.signIns.byTokenHash("s", t0 + 100)).toMatchObject({ seenAtMs: t0 + 50 });
    await storage.signIns.create(signIn(id, owner.id, "o"));
    expect([await storage.signIns.prune(t0 + 100, 10), await storage.signIns.prune(t0 + 150, 10)]).toEqual([1, 1]);
    expect(await storage.signIns.byTokenHash("s", t0)).toBeUndefined();
  });

  it("are signed out everywhere by a new password", async () => {
    const { storage, id, owner } = await scene();
    const bob = await member(storage, id, "bob@example.com", "ADMIN");
    await storage.signIns.create(signIn(id, bob.id, "b"));
    for (const hash of ["s1", "s2"]) await storage.signIns.create(signIn(id, owner.id, hash));
    await storage.signIns.remove("s1");
    await storage.users.setPassword(owner.id, "new");
    expect(await storage.signIns.byTokenHash("s2", t0)).toBeUndefined();
    expect(await storage.signIns.byTokenHash("b", t0)).toBeDefined();
    expect(await storage.users.byEmail(owner.email)).toMatchObject({ passwordHash: "new" });
  });

  it("move to another account of theirs, and to no other", async () => {
    const { storage, id, owner } = await scene();
    const [other, foreign] = [await account(storage), await account(storage)];
    await member(storage, other.id, owner.email, "READ_ONLY");
    await storage.signIns.create(signIn(id, owner.id, "s"));
    expect(await storage.signIns.move("s", foreign.uuid)).toBe(false);
    expect(await storage.signIns.move("nobody", other.uuid)).toBe(false);
    expect(await storage.signIns.move("s", other.uuid)).toBe(true);
    expect(await storage.signIns.byTokenHash("s", t0)).toMatchObject({ accountId: other.id, who: { role: "READ_ONLY" } });
  });

  it("may be signed in by a key, whose revocation ends it", async () => {
    const { storage, id } = await scene();
    const owner = {
      ...unlimited,
      kind: "service",
      accountId: id,
      locationId: null,
      maskedKey: "...1",
      name: "CI",
      createdAtMs: t0,
    } as const;
    await storage.keys.create({ ...owner, id: "k", role: "READ_RUN", hash: "kh" });
    await storage.signIns.create({ ...signIn(id, 0, "s"), userId: null, keyId: "k", method: "key" });
    expect(await storage.signIns.byTokenHash("s", t0)).toMatchObject({ who: { kind: "key", key: { id: "k", role: "READ_RUN" } } });
    await storage.keys.revoke(id, "k");
    expect(await storage.signIns.byTokenHash("s", t0)).toBeUndefined();
  });

  it("are named by the audit log", async () => {
    const { storage, id, owner } = await scene();
    const entry = { accountId: id, atMs: t0, operation: "x", resourceId: null, fields: [], request: null };
    const actor = { userId: owner.uuid, userName: owner.email, role: "OWNER" } as const;
    await storage.audit.append({ ...entry, actor });
    await storage.audit.append({ ...entry, actor: null });
    expect(await storage.audit.list(id, { limit: 9, userId: owner.uuid })).toMatchObject([{ actor }]);
    expect(await storage.audit.list(id, { limit: 9 })).toHaveLength(2);
  });

  it("do not stay invited for ever", async () => {
    const { storage, id } = await scene();
    await storage.invitations.create({ ...invitation(id, "x@example.com"), tokenHash: "t" });
    expect([await storage.invitations.prune(t0 + 99, 5), await storage.invitations.prune(t0 + 100, 5)]).toEqual([0, 1]);
  });

  it("set a new password by a link that is good once, and ends what was signed in", async () => {
    const { storage, id, owner } = await scene();
    const reset = { userId: owner.id, tokenHash: "one", createdAtMs: t0, expiresAtMs: t0 + 100 };
    expect(await storage.passwordResets.create(reset, t0 - 10)).toBe(true);
    // Sooner than wanted: the first stays. Later: the first is replaced.
    expect(await storage.passwordResets.create({ ...reset, tokenHash: "two", createdAtMs: t0 + 5 }, t0 - 5)).toBe(false);
    expect(await storage.passwordResets.byTokenHash("one", t0)).toEqual(owner);
    expect(await storage.passwordResets.create({ ...reset, tokenHash: "three", createdAtMs: t0 + 10 }, t0)).toBe(true);
    expect(await storage.passwordResets.byTokenHash("one", t0)).toBeUndefined();
    expect(await storage.passwordResets.byTokenHash("three", t0 + 100)).toBeUndefined();
    expect(await storage.passwordResets.use("three", "late", t0 + 100)).toBeUndefined();

    await storage.signIns.create(signIn(id, owner.id, "s"));
    const used = await Promise.all(["a", "b"].map((hash) => storage.passwordResets.use("three", hash, t0 + 20)));
    const [won] = used.filter((user) => user !== undefined);
    expect(used.filter((user) => user === undefined)).toHaveLength(1);
    expect(await storage.users.byEmail(owner.email)).toEqual(won);
    expect(await storage.signIns.byTokenHash("s", t0)).toBeUndefined();

    // A password that was changed meanwhile is not changed again by an older link.
    await storage.passwordResets.create({ ...reset, tokenHash: "four" }, t0);
    await storage.users.setPassword(owner.id, "c");
    expect(await storage.passwordResets.use("four", "d", t0)).toBeUndefined();
    await storage.passwordResets.create(reset, t0);
    expect(await storage.passwordResets.prune(t0 + 99, 10)).toBe(0);
    expect(await storage.passwordResets.prune(t0 + 100, 10)).toBe(1);
  });
});
