import { isIP } from "node:net";
import { hostsFile } from "../hosts-file.ts";
import { codeOf } from "../probe-error.ts";
import { candidateNames, type ResolverSettings, resolverSettingsFile } from "../resolver-settings.ts";
import type { StubResolverOptions } from "../stub-resolver.ts";
import { answerText } from "./answer-text.ts";
import { askServer, type Reply } from "./ask.ts";
import { type FlagName, isSet } from "./message.ts";
import { type NameServer, plainServer, serverName } from "./name-server.ts";
import { typeNumber } from "./registry.ts";
import type { AskContext } from "./udp-exchange.ts";

/** For all servers and names together. */
const limitMs = 1_400;
const maxBytes = 16 * 1024;
/** Search domains multiply the questions; the first ones show what is wrong. */
const maxNames = 4;

/**
 * What each of the system's servers says about a host at this moment, line by line as dig would tell it: evidence beside a
 * failed check. Servers are asked side by side. At most 16 KB, within 1.4 s; failures are lines of it.
 *
 * @throws the signal's reason
 */
export async function dnsTranscript(
  host: string,
  family: 4 | 6,
  signal: AbortSignal,
  options: Pick<StubResolverOptions, "servers" | "hostsPath" | "resolvConfPath"> = {},
): Promise<string> {
  signal.throwIfAborted();
  if (isIP(host) !== 0) return `; ${host} is an address: no name server is asked\n`;
  const settings = resolverSettingsFile(options.resolvConfPath ?? "/etc/resolv.conf")();
  const { servers = settings.servers } = options;
  const listed = hostsFile(options.hostsPath ?? "/etc/hosts")().get(host.toLowerCase().replace(/\.$/, ""))?.[family] ?? [];
  const type = family === 4 ? "A" : "AAAA";
  const names = candidateNames(host, settings).slice(0, maxNames);
  const context = { signal, monotonicMs: () => performance.now() };
  const endsAtMs = context.monotonicMs() + limitMs;
  const transport = settings.usesTcp ? "TCP" : "UDP";
  const answers = await Promise.all(servers.map((server) => serverLines(plainServer(server, transport), names, type, endsAtMs, context)));
  const lines = [headLine(servers, settings), ...listed.map((address) => `; hosts file: ${address} ${host}`), ...answers.flat()];
  return cut(`${lines.join("\n")}\n`);
}

function headLine(servers: readonly string[], { search, ndots }: ResolverSettings): string {
  return `; name servers: ${servers.join(", ")}; search: ${search.join(" ") || "none"}; ndots: ${ndots}`;
}

/** Name after name, until one has answers: as a resolver does. */
async function serverLines(
  server: NameServer,
  names: readonly string[],
  type: "A" | "AAAA",
  endsAtMs: number,
  context: AskContext,
): Promise<string[]> {
  const lines: string[] = [];
  for (const name of names) {
    const restMs = Math.floor(endsAtMs - context.monotonicMs());
    if (restMs < 1) break;
    lines.push("", `; <<>> ${name} ${type} @${serverName(server)}`);
    try {
      const reply = await askServer(server, { name, type: typeNumber(type) }, restMs, context);
      lines.push(...replyLines(reply));
      if (reply.message.answers.length > 0) break;
    } catch (error) {
      context.signal.throwIfAborted();
      lines.push(`;; ${codeOf(error) || "EUNKNOWN"}: ${error instanceof Error ? error.message : "no answer"}`);
    }
  }
  return lines;
}

const shownFlags: readonly FlagName[] = ["QR", "AA", "TC", "RD", "RA", "AD", "CD"];

function replyLines({ message, protocolUsed, startedMs, receivedMs }: Reply): string[] {
  const flags = shownFlags.filter((flag) => isSet(message, flag)).map((flag) => flag.toLowerCase());
  const { answers, authorities, edns } = message;
  return [
    `;; status: ${message.responseCode}; flags: ${flags.join(" ")}; ANSWER: ${answers.length}, AUTHORITY: ${authorities.length}`,
    ...(edns?.options ?? []).map((option) => `; ${option}`),
    ...(answers.length > 0 ? [";; ANSWER SECTION:", answerText(answers)] : []),
    ...(authorities.length > 0 ? [";; AUTHORITY SECTION:", answerText(authorities)] : []),
    `;; Query time: ${(receivedMs - startedMs).toFixed(2)} msec; ${protocolUsed}; MSG SIZE rcvd: ${message.bytes}`,
  ];
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const note = "\n; … cut\n";
  return `${new TextDecoder().decode(bytes.subarray(0, maxBytes - note.length - 4), { stream: true })}${note}`;
}
