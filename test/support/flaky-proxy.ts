import { connect, type Socket } from "node:net";
import { rawServer } from "./http-servers/raw-server.ts";

/** A TCP proxy in front of one port, for HTTP/1.1 without pipelining, that fails on demand. */
export interface FlakyProxy extends AsyncDisposable {
  readonly url: string;
  /** `cut`: connections are closed, new ones too. `freeze`: bytes go nowhere and nobody is told; so it stays for connections that were open then. */
  become(state: "open" | "cut" | "freeze"): void;
  /** Freezes what is open now for ever; new connections are served. What a lost entry in a NAT table looks like. */
  freezeOpenOnes(): void;
  /** The next replies to requests of this path that contain `text` are lost, each with its connection, after the request had its effect. */
  swallow(path: string, count: number, text?: string): void;
  swallowed(): number;
  /** Every byte takes this much longer in both directions, ms. */
  delay(ms: number): void;
  /** Connections that were tried so far, refused ones too. */
  connections(): number;
  /** Requests so far whose path is this one. */
  requests(path: string): number;
  /** Is told every reply that was passed on, with its request's path. A long reply comes in several parts. */
  onReply(listener: (path: string, part: string) => void): void;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isFrozen: boolean;
  path: string;
}

/** @param port of the server; a function is asked at each connection */
export async function flakyProxy(port: number | (() => number)): Promise<FlakyProxy> {
  const links = new Set<Link>();
  const counts = new Map<string, number>();
  const toSwallow = new Map<string, { left: number; readonly text: string }>();
  const listeners: ((path: string, part: string) => void)[] = [];
  let state: "open" | "cut" | "freeze" = "open";
  let delayMs = 0;
  let swallowed = 0;

  function end({ client, server }: Link): void {
    client.destroy();
    server.destroy();
  }

  function pass(link: Link, to: Socket, bytes: Buffer): void {
    const write = (): void => void (link.isFrozen || to.destroyed || to.write(bytes));
    if (delayMs === 0) write();
    else setTimeout(write, delayMs);
  }

  function onRequest(link: Link, bytes: Buffer): void {
    const path = /^(?:POST|PUT|GET) (\S+) HTTP/.exec(bytes.subarray(0, 300).toString("latin1"))?.[1];
    if (path !== undefined) {
      link.path = path;
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    pass(link, link.server, bytes);
  }

  function onAnswer(link: Link, bytes: Buffer): void {
    const wanted = toSwallow.get(link.path);
    if (wanted !== undefined && wanted.left > 0 && bytes.includes(wanted.text)) {
      wanted.left -= 1;
      swallowed += 1;
      return end(link);
    }
    pass(link, link.client, bytes);
    if (!link.isFrozen) for (const listener of listeners) listener(link.path, bytes.toString("latin1"));
  }

  const listening = await rawServer((client) => {
    if (state === "cut") return void client.destroy();
    const link: Link = {
      client,
      server: connect(typeof port === "number" ? port : port(), "127.0.0.1"),
      isFrozen: state === "freeze",
      path: "",
    };
    links.add(link);
    client.setNoDelay(true);
    client.on("data", (bytes: Buffer) => onRequest(link, bytes));
    link.server.on("data", (bytes: Buffer) => onAnswer(link, bytes));
    link.server.on("error", () => client.destroy());
    client.on("close", () => {
      links.delete(link);
      link.server.destroy();
    });
    link.server.on("close", () => link.isFrozen || client.destroy());
  });

  return {
    url: `http://127.0.0.1:${listening.port}`,
    become(next) {
      state = next;
      for (const link of links) {
        if (next === "cut") end(link);
        else link.isFrozen ||= next === "freeze";
      }
    },
    freezeOpenOnes() {
      for (const link of links) link.isFrozen = true;
    },
    swallow: (path, left, text = "") => void toSwallow.set(path, { left, text }),
    swallowed: () => swallowed,
    delay: (ms) => (delayMs = ms),
    connections: () => listening.connections(),
    requests: (path) => counts.get(path) ?? 0,
    onReply: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      for (const link of links) end(link);
      await listening[Symbol.asyncDispose]();
    },
  };
}
