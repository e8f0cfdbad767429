import { AppError } from "#domain/app-error.ts";
import { networkOf } from "../network-of.ts";

/** Whose bytes they are. */
export interface Holder {
  readonly address: string;
  /** A key, a session or a sign-in; null where nobody is known: then what is held counts for strangers. */
  readonly who: string | null;
}

export interface HeldBytesLimits {
  readonly total: number;
  /** Of those of one address, behind which a proxy's whole network may be. */
  readonly address: number;
  readonly who: number;
  /** Of all strangers, beside `total`: what they hold takes nothing from those who are known. */
  readonly strangers: number;
}

/** What one body holds. */
export interface Hold {
  /** @throws {AppError} unavailable, rate_limited; cancelled once it is released: nothing would give these bytes back */
  readonly add: (bytes: number) => void;
  /** For good. */
  readonly release: () => void;
}

export function heldBytesLimits(total: number): HeldBytesLimits {
  return { total, address: total / 2, who: total / 4, strangers: total / 8 };
}

/** Counts the bytes of bodies, packed and unpacked, that are kept until their requests are answered. */
export function createHeldBytes(limits: HeldBytesLimits): (holder: Holder) => Hold {
  const held = new Map<string, number>();
  const change = (id: string, bytes: number): void => {
    const now = (held.get(id) ?? 0) + bytes;
    if (now === 0) held.delete(id);
    else held.set(id, now);
  };

  return ({ address, who }) => {
    const bounds = [
      { id: who === null ? "strangers" : "known", limit: who === null ? limits.strangers : limits.total, error: full },
      { id: `address ${networkOf(address)}`, limit: limits.address, error: tooMuchOfOne },
      ...(who === null ? [] : [{ id: `who ${who}`, limit: limits.who, error: tooMuchOfOne }]),
    ];
    let mine = 0;
    let isReleased = false;
    return {
      add(bytes) {
        if (isReleased) throw new AppError("cancelled", "The request is answered already");
        for (const { id, limit, error } of bounds) if ((held.get(id) ?? 0) + bytes > limit) throw error();
        for (const { id } of bounds) change(id, bytes);
        mine += bytes;
      },
      release() {
        isReleased = true;
        for (const { id } of bounds) change(id, -mine);
        mine = 0;
      },
    };
  };
}

function full(): AppError {
  return new AppError("unavailable", "Too many requests are being read; try again", { attributes: { retryAfterSeconds: 2 } });
}

function tooMuchOfOne(): AppError {
  return new AppError("rate_limited", "Too many bytes of requests of yours are being read; try again", {
    attributes: { retryAfterSeconds: 2 },
  });
}
