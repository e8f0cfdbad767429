import { lookup as lookUp } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { createAddressRules } from "#daemon/address-rules.ts";
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
}

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
  };
}

function refusal(host: string, address: string): AppError {
  const where = host === address ? host : `${host} (${address})`;
  return new AppError(
    "forbidden",
    `the egress policy of this installation does not allow ${where}; WEBHOOK_EGRESS names the private networks that are open`,
  );
}
