import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SignInMethod } from "../../../src/control-plane/storage/storage.ts";
import { account, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("what people sign in with, on %s", (engine) => {
  async function scene() {
    const storage = await engines.open(engine);
    const { id } = await account(storage);
    const ada = { uuid: randomUUID(), email: "ada@example.com", name: "Ada", passwordHash: "h", createdAtMs: t0 };
    const owner = await storage.members.addFirstOwner(id, ada);
    const userId = owner?.id ?? 0;
    const signIn = (tokenHash: string, method: SignInMethod) => {
      const times = { createdAtMs: t0, seenAtMs: t0, endsAtMs: t0 + 1_000, expiresAtMs: t0 + 100 };
      return storage.signIns.create({ tokenHash, accountId: id, userId, keyId: null, method, ...times });
    };
    const methodOf = async (tokenHash: string) => (await storage.signIns.byTokenHash(tokenHash, t0))?.method;
    return { storage, id, userId, signIn, methodOf };
  }

  it("is a second factor once a code has shown it, and ends what was signed in without it", async () => {
    const { storage, userId, signIn, methodOf } = await scene();
    const { secondFactors } = storage;
    await Promise.all([signIn("a", "password"), signIn("b", "provider")]);
    expect(await secondFactors.turnOn(userId, 1, ["c"])).toBe(false);
    await secondFactors.begin(userId, "first");
    await secondFactors.begin(userId, "second");
    expect(await secondFactors.ofUser(userId)).toEqual({ secret: "second", isOn: false, codesLeft: 0 });
    expect(await secondFactors.useStep(userId, 5)).toBe(false);
    expect(await secondFactors.turnOn(userId, 7, ["c1", "c2"])).toBe(true);
    expect([await methodOf("a"), await methodOf("b")]).toEqual([undefined, "provider"]);
    await secondFactors.begin(userId, "third");
    expect(await secondFactors.ofUser(userId)).toEqual({ secret: "second", isOn: true, codesLeft: 2 });
    await signIn("c", "second-factor");
    expect([await secondFactors.remove(userId), await secondFactors.remove(userId)]).toEqual([true, false]);
    expect([await methodOf("c"), await secondFactors.ofUser(userId)]).toEqual(["password", undefined]);
  });

  it("is good once: steps of time, codes and halves, however many try at once", async () => {
    const { storage, userId } = await scene();
    const { secondFactors, halfSignIns } = storage;
    await secondFactors.begin(userId, "s");
    await secondFactors.turnOn(userId, 7, ["c1", "c2"]);
    const five = <T>(work: () => Promise<T>): Promise<readonly T[]> => Promise.all(Array.from({ length: 5 }, work));
    expect([await secondFactors.useStep(userId, 7), await secondFactors.useStep(userId, 6)]).toEqual([false, false]);
    expect((await five(() => secondFactors.useStep(userId, 8))).filter(Boolean)).toHaveLength(1);
    expect((await five(() => secondFactors.useCode(userId, "c1"))).filter(Boolean)).toHaveLength(1);
    await secondFactors.replaceCodes(userId, ["c3"]);
    expect([await secondFactors.useCode(userId, "c2"), await secondFactors.useCode(userId, "c3")]).toEqual([false, true]);
    await halfSignIns.create({ tokenHash: "h", userId, expiresAtMs: t0 + 10 }, t0);
    expect([(await halfSignIns.byTokenHash("h", t0))?.id, await halfSignIns.byTokenHash("h", t0 + 10)]).toEqual([userId, undefined]);
    expect((await five(() => halfSignIns.remove("h"))).filter(Boolean)).toHaveLength(1);
    await halfSignIns.create({ tokenHash: "p", userId, expiresAtMs: t0 + 10 }, t0);
    await storage.users.setPassword(userId, "new");
    expect(await halfSignIns.byTokenHash("p", t0)).toBeUndefined();
  });

  it("is an identity of one issuer, of one person, and goes with its sign-ins", async () => {
    const { storage, id, userId, signIn, methodOf } = await scene();
    const { identities, members } = storage;
    const [first, second] = [
      { issuer: "https://a.example", subject: "1" },
      { issuer: "https://a.example", subject: "2" },
    ];
    await identities.connect(userId, first, t0);
    await identities.connect(userId, second, t0);
    expect([await identities.user(first), (await identities.user(second))?.id]).toEqual([undefined, userId]);
    expect(await identities.user({ ...second, issuer: "https://b.example" })).toBeUndefined();
    const invitation = {
      uuid: randomUUID(),
      accountId: id,
      email: "bob@example.com",
      role: "ADMIN",
      createdAtMs: t0,
      expiresAtMs: t0 + 9,
    } as const;
    await storage.invitations.create({ ...invitation, tokenHash: "t" });
    const bob = { uuid: randomUUID(), email: "bob@example.com", name: "Bob", passwordHash: null, createdAtMs: t0 };
    await expect(storage.invitations.accept("t", bob, t0, second)).rejects.toMatchObject({ code: "conflict" });
    const joined = await storage.invitations.accept("t", bob, t0, first);
    await expect(identities.connect(joined?.id ?? 0, second, t0)).rejects.toMatchObject({ code: "conflict" });
    expect((await identities.user(first))?.email).toBe("bob@example.com");
    expect((await members.list(id)).map(({ name, isConnected }) => [name, isConnected])).toEqual([
      ["Ada", true],
      ["Bob", true],
    ]);
    await Promise.all([signIn("a", "password"), signIn("b", "provider")]);
    await identities.disconnect(userId);
    expect([await methodOf("a"), await methodOf("b"), await identities.ofUser(userId)]).toEqual(["password", undefined, []]);
  });
});
