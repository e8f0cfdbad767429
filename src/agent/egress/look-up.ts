import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { addressesOf, type Network } from "./network.ts";
import { Refused } from "./refusal.ts";

/** Kinds of records that can be asked for. */
const kinds = ["A", "AAAA", "ANY", "CAA", "CNAME", "MX", "NAPTR", "NS", "PTR", "SOA", "SRV", "TXT"] as const;
const records = new Resolver({ timeout: 2_000, tries: 2 });

/**
 * What a name server says, for clients that cannot ask one: `/lookup?host=…&family=0|4|6` gives `[{address, family}]` as checks see them,
 * `/records?name=…&type=MX[&ttl=1]` and `/reverse?address=…` what node:dns gives. Names that may not be reached are not asked for.
 *
 * @throws {Refused | ProbeError} or an error of node:dns with its code
 */
export async function lookUp(path: string, network: Network, signal: AbortSignal): Promise<unknown> {
  const { pathname, searchParams } = new URL(path, "http://proxy.invalid");
  const given = (name: string): string => (searchParams.get(name) ?? "").slice(0, 1_000);
  if (pathname === "/lookup") {
    const family = Number(given("family"));
    if (family !== 0 && family !== 4 && family !== 6) throw new Refused(400, "EINVAL", "family must be 0, 4 or 6");
    const addresses = await addressesOf(given("host"), family, network, signal);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
  if (pathname === "/reverse") return records.reverse(given("address"));
  if (pathname !== "/records") throw new Refused(400, "EINVAL", "only /lookup, /records and /reverse are answered");
  const type = kinds.find((one) => one === given("type"));
  if (type === undefined) throw new Refused(400, "EINVAL", `type must be one of ${kinds.join(", ")}`);
  network.egress.checkName(given("name"));
  if (type === "A") return records.resolve4(given("name"), { ttl: given("ttl") === "1" });
  if (type === "AAAA") return records.resolve6(given("name"), { ttl: given("ttl") === "1" });
  return records.resolve(given("name"), type);
}
