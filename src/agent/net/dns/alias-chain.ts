import { ProbeError } from "../probe-error.ts";
import { type Message, type ResourceRecord } from "./message.ts";
import { typeNumber } from "./registry.ts";

/** More aliases in a row than this are taken for a circle. */
const maxAliases = 16;

/** Where the aliases of a name led: to addresses, to a name that has none, or to one that has to be asked for. */
export type ChainEnd =
  | { readonly is: "addresses"; readonly addresses: string[] }
  | { readonly is: "missing"; readonly nameExists: boolean }
  | { readonly is: "elsewhere"; readonly name: string };

/**
 * Follows the CNAME records of an answer from the name that was asked for.
 *
 * @param type A or AAAA
 * @param seen the names passed so far; grows
 * @throws {ProbeError} ECNAMELOOP
 */
export function followAliases(message: Message, type: number, seen: Set<string>): ChainEnd {
  if (message.responseCode !== "NOERROR") return { is: "missing", nameExists: false };
  const [first, ...others] = namesAlong(message, seen);
  const name = others.at(-1) ?? first ?? "";
  const addresses = message.answers.filter((record) => record.type === type && owns(record, name)).map(({ data }) => data);
  if (addresses.length > 0) return { is: "addresses", addresses };
  // A server that knows the end of the chain says with an SOA that there is no more to it (RFC 2308 §2.2).
  const isFinal = others.length === 0 || message.authorities.some((record) => record.type === typeNumber("SOA"));
  return isFinal ? { is: "missing", nameExists: true } : { is: "elsewhere", name };
}

/** The question's name and what it leads to, lower-case. */
function namesAlong({ questions, answers }: Message, seen: Set<string>): string[] {
  const names: string[] = [];
  const aliases = answers.filter(({ type }) => type === typeNumber("CNAME"));
  let name = questions[0]?.name.toLowerCase();
  while (name !== undefined) {
    if (names.length > 0 && (seen.has(name) || seen.size > maxAliases)) throw loopAt(name);
    seen.add(name);
    names.push(name);
    const owner: string = name;
    name = aliases.find((record) => owns(record, owner))?.data.toLowerCase();
  }
  return names;
}

function owns(record: ResourceRecord, lowerCaseName: string): boolean {
  return record.name.toLowerCase() === lowerCaseName;
}

function loopAt(name: string): ProbeError {
  return new ProbeError("ECNAMELOOP", `the aliases (CNAME) lead in a circle, or are more than ${maxAliases}, at ${name}`);
}
