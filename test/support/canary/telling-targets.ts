import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:tls";
import { answerTo, dnsServer, resourceRecord } from "../dns-server.ts";
import { httpServer } from "../http-servers/http-server.ts";
import { rawServer, serve } from "../http-servers/raw-server.ts";
import { makeTellingCertificate } from "./canaries.ts";
import { packed, writtenInAllWays } from "./written-ways.ts";

/** What a target tells: the secrets that the run which asks it knows. */
export interface Told {
  /** Of checks with scripts, which know all there is. */
  readonly scripted: readonly string[];
  /** Of checks without. */
  readonly plain: readonly string[];
  /** Of the agent alone: what checks of every type know. In the names of a certificate. */
  readonly agent: readonly string[];
  readonly plainText: string;
  readonly hostName: string;
  /** What the server itself makes a secret. */
  readonly setCookie: string;
}

/** Servers that tell secrets in every encoding and in every place that results show. */
export interface TellingTargets extends AsyncDisposable {
  readonly http: string;
  readonly statusLine: string;
  readonly banner: number;
  readonly greeting: number;
  readonly tls: number;
  readonly dns: number;
  /** From now on `/held` waits. */
  hold(): void;
  waiting(): number;
  release(): void;
}

/** More than a result stores of a body. */
const padding = randomBytes(300_000);
const storedBytes = 262_144;

export async function tellingTargets(told: Told): Promise<TellingTargets> {
  const held = new Set<() => void>();
  let isHolding = false;
  const files = packed(told.plain, padding);
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    "/scripted": (response) => void response.writeHead(500, headersOf(told)).end(writtenInAllWays(told.scripted)),
    "/plain": (response) => void response.writeHead(500, headersOf(told)).end(writtenInAllWays(told.plain)),
    "/agent": (response) => void response.writeHead(500, { "set-cookie": headersOf(told)["set-cookie"] ?? [] }).end(agentText(told)),
    "/moved": (response) => void response.writeHead(302, { location: `/plain?told=${encodeURIComponent(told.plain.join())}` }).end(),
    "/long": (response) => void response.writeHead(500, { "content-type": "text/plain" }).end(longText(told.plain)),
    "/quoted": (response) => void response.writeHead(500).end(`${"q".repeat(190)}${told.plain[0]}`),
    "/utf-16": (response) => void response.writeHead(500).end(Buffer.from(told.plain.join("\n"), "utf16le")),
    "/short-gzip": (response) => void response.writeHead(500).end(packed(told.plain, Buffer.alloc(0))["gzip"]),
    ...Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [`/${name}`, (response: ServerResponse) => void response.writeHead(500).end(bytes)]),
    ),
  };
  const http = await httpServer((request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    const answer = (): void => (answers[path === "/held" ? "/scripted" : path] ?? answers["/plain"])?.(response);
    if (path === "/held" && isHolding) held.add(answer);
    else answer();
  });
  const statusLine = await rawServer((socket) => {
    socket.once("data", () => socket.end(`HTTP/1.1 500 ${told.plain.join(" ")}\r\n${told.plain[0]} is no header\r\n\r\n`));
  });
  const banner = await rawServer((socket) => void socket.end(writtenInAllWays(told.agent)));
  const greeting = await rawServer((socket) => void socket.write(`599 ${"g".repeat(80)}${told.agent[0]} ${told.agent.join(" ")}\r\n`));
  const certificate = makeTellingCertificate(told.plainText, told.hostName);
  const tls = await serve(createTlsServer(certificate), "secureConnection", (socket) => void socket.end("told\r\n"));
  const dns = await dnsServer((_name, _type, { packet }) => ({
    packets: [answerTo(packet, { answers: told.agent.map((text) => resourceRecord(16, textData(text))) })],
  }));
  const all = [http, statusLine, banner, greeting, tls, dns];
  return {
    http: http.url,
    statusLine: `http://127.0.0.1:${statusLine.port}`,
    banner: banner.port,
    greeting: greeting.port,
    tls: tls.port,
    dns: dns.port,
    hold: () => (isHolding = true),
    waiting: () => held.size,
    release() {
      isHolding = false;
      for (const answer of held) answer();
      held.clear();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

function headersOf({ plain, setCookie }: Told): Record<string, string | string[]> {
  return {
    "content-type": "text/html",
    "set-cookie": [`session=${setCookie}; Path=/; HttpOnly`],
    "x-api-key": plain.join(" "),
    "x-told": plain.map((text) => Buffer.from(text).toString("base64")),
    "x-set-cookie": setCookie,
  };
}

function agentText({ agent, setCookie }: Told): string {
  return writtenInAllWays([...agent, setCookie]);
}

/** One secret stands where the result cuts the body; the artifact has the whole. */
function longText(texts: readonly string[]): string {
  const [first = ""] = texts;
  return `${"l".repeat(storedBytes - first.length + 2)}${first}\n${writtenInAllWays(texts)}`;
}

/** One string of a TXT record. */
function textData(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
