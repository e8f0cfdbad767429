import { type LookupAddress, lookup as lookUp } from "node:dns";
import { lookup as resolve } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { createAddressRules } from "#daemon/address-rules.ts";
import { withDeadline } from "#daemon/deadline.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError } from "#domain/app-error.ts";

/** Where messages may go: `default` keeps out of metadata and link-local addresses, `public-only` also of private, loopback and reserved networks. */
export interface EgressSettings {
  readonly mode: "default" | "public-only";
  /** Networks and addresses that are open whatever the mode says. */
  readonly allowCidrs: readonly string[];
}

/** Where messages to channels may go. Asked at the socket, after resolution: a name that changes its address gains nothing. */
export interface Egress {
  /** Resolves as the host does, and fails with `forbidden` where an address must not be reached. */
  readonly lookup: LookupFunction;
  /** For hosts that are addresses: nobody resolves those. @throws {AppError} forbidden */
  checkLiteral(host: string): void;
  /**
   * For hosts that a proxy resolves: refused where this machine knows that the name leads where it must not. A name that it cannot resolve,
   * as in networks that leave names to the proxy, is the proxy's to judge, but for those that are denied as names.
   *
   * @throws {AppError} forbidden
   */
  checkBehindProxy(host: string, signal: AbortSignal): Promise<void>;
}

/** A network without name servers does not answer: the message must not wait for that. */
const nameWaitMs = 2_000;

export function createEgress({ mode, allowCidrs }: EgressSettings): Egress {
  const rules = createAddressRules({ allowCidrs, denyCidrs: [], mode });

  function check(host: string, address: string): void {
    const plain = address.split("%", 1)[0] ?? "";
    if (rules.isDeniedName(host) || rules.kindOf(plain) === "denied") throw refusal(host, address);
  }

  const lookup: LookupFunction = (host, options, callback) => {
    lookUp(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      try {
        for (const { address } of addresses) check(host, address);
      } catch (refused) {
        return callback(refused as AppError, []); // `check` throws nothing else
      }
      const [first] = addresses;
      return options.all || first === undefined ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
  return {
    lookup,
    checkLiteral(host) {
      if (isIP(host) !== 0) check(host, host);
    },
    async checkBehindProxy(host, signal) {
      if (isIP(host) !== 0) return check(host, host);
      if (rules.isDeniedName(host)) throw refusal(host, host);
      for (const { address } of await resolvedHere(host, signal)) check(host, address);
    },
  };
}

async function resolvedHere(host: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
  try {
    return await withDeadline(signal, nameWaitMs, "the name", (bounded) => untilAborted(bounded, resolve(host, { all: true })));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

function refusal(host: string, address: string): AppError {
  const where = host === address ? host : `${host} (${address})`;
  return new AppError(
    "forbidden",
    `the egress policy of this installation does not allow ${where}; WEBHOOK_EGRESS names the private networks that are open`,
  );
}
