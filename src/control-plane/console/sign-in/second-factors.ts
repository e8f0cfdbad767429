import { randomBytes } from "node:crypto";
import type { Sealing, SecretPlace } from "../../keys/sealing.ts";
import type { SecondFactorStore, UserRow } from "../../storage/storage.ts";
import { base32, secretBytes, stepOfCode } from "./totp.ts";

/** What proved to be there beside a password. */
export type Proof = "totp" | "recoveryCode";

/** The second factor of people who sign in by password: codes of an app, and recovery codes for whoever has lost it. */
export interface SecondFactors {
  isOn(user: UserRow): Promise<boolean>;
  /** How many recovery codes are left; null where it is off. */
  codesLeft(user: UserRow): Promise<number | null>;
  /** Makes a secret that counts once `turnOn` has seen a code of it. */
  begin(user: UserRow): Promise<void>;
  /** The secret that waits; null where none does. One that is turned on is never told again. */
  waiting(user: UserRow): Promise<Uint8Array | null>;
  /** @returns the recovery codes, which are told this once; null where the code is wrong */
  turnOn(user: UserRow, code: string): Promise<readonly string[] | null>;
  /** Takes a code: each is good once. @returns null where it is wrong, or was taken before */
  prove(user: UserRow, code: string): Promise<Proof | null>;
  /** @returns new recovery codes; the old ones are void */
  renewCodes(user: UserRow): Promise<readonly string[]>;
  turnOff(user: UserRow): Promise<void>;
}

const codeCount = 10;
/** 50 bits, as `abcde-fghij`. */
const codeLetters = 10;

export function createSecondFactors(deps: {
  readonly secondFactors: SecondFactorStore;
  readonly sealing: Sealing;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
}): SecondFactors {
  const { secondFactors: store, sealing, nowMs } = deps;
  const hashed = ({ uuid }: UserRow, code: string): string => deps.hashOf(`recovery-code:${uuid}:${code.replaceAll("-", "")}`);

  /** Null also where the key that it was sealed under is lost: then recovery codes alone are good. */
  async function secretOf(user: UserRow, isOn: boolean): Promise<Uint8Array | null> {
    const row = await store.ofUser(user.id);
    const secret = row?.isOn === isOn ? sealing.unseal(row.secret, placeOf(user)) : null;
    return secret === null ? null : Buffer.from(secret, "base64");
  }

  async function isOn(user: UserRow): Promise<boolean> {
    return (await store.ofUser(user.id))?.isOn === true;
  }

  return {
    isOn,
    async codesLeft(user) {
      const row = await store.ofUser(user.id);
      return row?.isOn === true ? row.codesLeft : null;
    },
    begin: (user) => store.begin(user.id, sealing.seal(randomBytes(secretBytes).toString("base64"), placeOf(user))),
    waiting: (user) => secretOf(user, false),
    async turnOn(user, code) {
      const secret = await secretOf(user, false);
      const step = secret && stepOfCode(secret, digitsOf(code), nowMs());
      if (step === null) return null;
      const codes = newCodes();
      const hashes = codes.map((one) => hashed(user, one));
      return (await store.turnOn(user.id, step, hashes)) ? codes : null;
    },
    async prove(user, code) {
      const typed = digitsOf(code);
      if (!/^\d{6}$/.test(typed)) return (await isOn(user)) && (await store.useCode(user.id, hashed(user, typed))) ? "recoveryCode" : null;
      const secret = await secretOf(user, true);
      const step = secret && stepOfCode(secret, typed, nowMs());
      return step !== null && (await store.useStep(user.id, step)) ? "totp" : null;
    },
    async renewCodes(user) {
      const codes = newCodes();
      const hashes = codes.map((one) => hashed(user, one));
      await store.replaceCodes(user.id, hashes);
      return codes;
    },
    turnOff: async (user) => void (await store.remove(user.id)),
  };
}

/** Apps show it in two halves; recovery codes may be typed in capitals. */
function digitsOf(code: string): string {
  return code.replaceAll(/\s/g, "").toLowerCase();
}

function newCodes(): readonly string[] {
  return Array.from({ length: codeCount }, () => {
    const text = base32(randomBytes(10)).slice(0, codeLetters).toLowerCase();
    return `${text.slice(0, 5)}-${text.slice(5)}`;
  });
}

/** A user is of no account, so it is bound to him alone. */
function placeOf({ uuid }: UserRow): SecretPlace {
  return { kind: "user", accountId: 0, row: uuid, field: "secondFactor" };
}
