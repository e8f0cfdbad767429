import { networkInterfaces } from "node:os";
import { type AddressRuleSettings, blockList, containsAddress, createAddressRules } from "#daemon/address-rules.ts";
import { withoutZone } from "./ip-address.ts";
import { ProbeError } from "./probe-error.ts";

/** Where the agent's traffic may go. Asked at the socket: after resolution, for every address, hop, proxy and literal. */
export interface EgressPolicy {
  /** @throws {ProbeError} EPOLICY when `host`, at `address`, must not be reached */
  check(address: string, port: number, host: string): void;
  /** For names that a proxy resolves. @throws {ProbeError} EPOLICY */
  checkName(host: string): void;
}

export interface EgressRules extends AddressRuleSettings {
  /** The agent's own listeners, denied on every address of this host. */
  readonly ownPorts: readonly number[];
  /** Those that come and go: the proxies of scripts. One script has no business with that of another. */
  readonly isOwnPort?: (port: number) => boolean;
}

/** @throws {AppError} invalid_input, naming a CIDR that is none */
export function createEgressPolicy(settings: EgressRules): EgressPolicy {
  const rules = createAddressRules(settings);

  function checkName(host: string): void {
    if (rules.isDeniedName(host)) throw denial(host.toLowerCase().replace(/\.$/, ""));
  }

  function check(address: string, port: number, host: string): void {
    checkName(host);
    const plain = withoutZone(address);
    const kind = rules.kindOf(plain);
    if (kind === "denied") throw denial(plain === host ? plain : `${host} (${plain})`);
    const isOwn = settings.isOwnPort?.(port) === true;
    if ((kind === "allowed" && !isOwn) || !(isOwn || settings.ownPorts.includes(port))) return;
    if (kind === "loopback" || (kind === "allowed" && plain.startsWith("127.")) || isOwnAddress(plain))
      throw denial(`the agent's own port ${port}`);
  }

  return { check, checkName };
}

/** Asked about own ports only, so it may look anew each time: interfaces come and go. */
function isOwnAddress(address: string): boolean {
  const own = blockList(Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => withoutZone(one.address)) ?? []));
  return containsAddress(own, address);
}

function denial(what: string): ProbeError {
  return new ProbeError("EPOLICY", `the agent's egress policy does not allow ${what}`);
}
