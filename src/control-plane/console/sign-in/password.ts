import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { AppError } from "#domain/app-error.ts";
import { signInTexts } from "../../texts/sign-in.ts";

/** Makes and compares what is stored of passwords: `scrypt:<log2 N>:<r>:<p>:<salt>:<hash>`. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** The same work whether there is anything stored or not, so that nobody learns by the time it takes who has an account. */
  verify(password: string, stored: string | null): Promise<boolean>;
}

export type Derive = (password: string, salt: Uint8Array, length: number, options: ScryptOptions) => Promise<Uint8Array>;

/** 32 MiB and about a quarter of a second for each, of which at most two run at once. */
const cost = { logN: 15, r: 8, p: 3 } as const;
const saltBytes = 16;
const hashBytes = 32;
const atOnce = 2;
const maxWaiting = 64;

export function createPasswords(derive: Derive = deriveByScrypt): Passwords {
  const turns = limited(atOnce, maxWaiting);
  const derived = (password: string, { logN, r, p, salt, hash }: Stored): Promise<Uint8Array> =>
    turns(() => derive(password.normalize("NFKC"), salt, hash.length, { N: 2 ** logN, r, p, maxmem: 256 * 1_048_576 }));
  const nobody: Stored = { ...cost, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) };
  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      const hash = await derived(password, { ...cost, salt, hash: nobody.hash });
      return ["scrypt", cost.logN, cost.r, cost.p, base64(salt), base64(hash)].join(":");
    },
    async verify(password, stored) {
      const known = stored === null ? null : parsed(stored);
      const { hash } = known ?? nobody;
      return timingSafeEqual(await derived(password, known ?? nobody), hash) && known !== null;
    },
  };
}

interface Stored {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** Null for what no release has written. */
function parsed(stored: string): Stored | null {
  const match = /^scrypt:(\d{1,2}):(\d{1,2}):(\d{1,2}):([\w-]+):([\w-]+)$/.exec(stored);
  if (match === null) return null;
  const [, logN, r, p, salt = "", hash = ""] = match;
  return { logN: Number(logN), r: Number(r), p: Number(p), salt: Buffer.from(salt, "base64url"), hash: Buffer.from(hash, "base64url") };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

function deriveByScrypt(...[password, salt, length, options]: Parameters<Derive>): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  });
}

/** Some at once, the others in order; whoever floods us does not take all memory and processors. */
function limited(max: number, maxQueue: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= max) {
      if (waiting.length >= maxQueue) throw new AppError("unavailable", signInTexts.tooMany);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
