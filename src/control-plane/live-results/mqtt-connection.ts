import { generate, type IConnectPacket, type ISubscribePacket, type IUnsubscribePacket, type Packet } from "mqtt-packet";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { OpenSocket, SocketCloseCode, SocketListener } from "../http/socket-routes.ts";
import { PacketReader } from "./packet-reader.ts";
import { type News } from "./run-news.ts";
import { suiteIn, topicOf } from "./topics.ts";

/** Who has said who he is. */
export interface Client {
  readonly accountId: number;
  readonly accountUuid: string;
  /** Throws as long as nothing is wrong with his key no more. */
  readonly check: () => Promise<void>;
  readonly leave: () => void;
}

export interface MqttDeps {
  /** @throws {AppError} unauthorized, forbidden, rate_limited, unavailable */
  readonly admit: (username: string, password: string) => Promise<Client>;
  readonly follow: (accountId: number, suite: string, tell: (news: News) => void) => () => void;
  readonly monotonicMs: () => number;
}

/** From the connection to the packet that says who it is. */
const connectMs = 10_000;
/** A client that asks for no keep-alive, or a longer one, is let go after this. */
const longestKeepAliveMs = 300_000;
/** How often a key is looked at again that was good once. */
const recheckMs = 60_000;
const mostSubscriptions = 10;
/** What may wait for a client that reads slowly. */
const mostWaitingBytes = 1_048_576;
/** Packets, and the time that they are counted over: many times what a client sends that keeps alive and subscribes. */
const [mostPackets, packetsMs] = [100, 10_000] as const;

/** CONNACK of MQTT 3.1.1, §3.2.2.3. */
const refusal = { version: 1, unavailable: 3, credentials: 4, notAuthorized: 5 } as const;
/** SUBACK: not granted. */
const notGranted = 128;

/**
 * A client of MQTT 3.1.1 that follows results, and does nothing else: what would publish something ends the connection. Everything that it can hold
 * or cost has a bound.
 */
export class MqttConnection implements SocketListener {
  readonly #socket: OpenSocket;
  readonly #deps: MqttDeps;
  readonly #reader = new PacketReader();
  readonly #following = new Map<string, () => void>();
  readonly #beats: NodeJS.Timeout;
  #client: Client | undefined;
  #state: "new" | "admitting" | "open" | "closed" = "new";
  #endsAtMs: number;
  #recheckAtMs = 0;
  #packets = 0;
  #packetsEndMs = 0;

  constructor(socket: OpenSocket, deps: MqttDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#endsAtMs = deps.monotonicMs() + connectMs;
    this.#beats = setInterval(() => this.#beat(), 1_000);
    this.#beats.unref();
  }

  readonly onBytes = (bytes: Buffer): void => {
    if (this.#state === "closed") return;
    try {
      for (const packet of this.#reader.read(bytes)) this.#take(packet);
    } catch (error) {
      this.#end(hasCode(error, "too_large") ? 1009 : 1008, error instanceof AppError ? error.message : "A packet could not be read");
    }
  };

  readonly onClose = (): void => {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearInterval(this.#beats);
    for (const leave of this.#following.values()) leave();
    this.#following.clear();
    this.#client?.leave();
  };

  #end(code: SocketCloseCode, reason: string): void {
    this.#socket.close(code, reason);
    this.onClose();
  }

  /** @throws {AppError} invalid_input */
  #take(packet: Packet): void {
    if (this.#isClosed()) return;
    this.#count();
    if (packet.cmd === "connect") return this.#connect(packet);
    if (this.#state !== "open") throw new AppError("invalid_input", "The first packet must be CONNECT, and others wait for its answer");
    this.#keepAlive();
    if (packet.cmd === "subscribe") return this.#subscribe(packet);
    if (packet.cmd === "unsubscribe") return this.#unsubscribe(packet);
    if (packet.cmd === "pingreq") return this.#socket.send(generate({ cmd: "pingresp" }));
    if (packet.cmd === "disconnect") return this.#end(1000, "");
    throw new AppError("invalid_input", `Nobody may send ${packet.cmd.toUpperCase()} here: results are followed, and nothing is published`);
  }

  #count(): void {
    const nowMs = this.#deps.monotonicMs();
    if (nowMs >= this.#packetsEndMs) [this.#packets, this.#packetsEndMs] = [0, nowMs + packetsMs];
    this.#packets += 1;
    if (this.#packets > mostPackets)
      throw new AppError("invalid_input", `More than ${mostPackets} packets in ${packetsMs / 1_000} seconds`);
  }

  #keepAliveMs = longestKeepAliveMs;

  #keepAlive(): void {
    this.#endsAtMs = this.#deps.monotonicMs() + this.#keepAliveMs;
  }

  #connect({ protocolVersion, keepalive = 0, will, username = "", password }: IConnectPacket): void {
    if (this.#state !== "new") throw new AppError("invalid_input", "CONNECT came twice");
    this.#state = "admitting";
    if (protocolVersion !== 4) return this.#refuse(refusal.version, "Only MQTT 3.1.1 is spoken here");
    if (will !== undefined) return this.#refuse(refusal.notAuthorized, "A will would be published, and nobody may");
    // §3.1.2.10: one and a half times what the client promised.
    if (keepalive > 0) this.#keepAliveMs = Math.min(longestKeepAliveMs, keepalive * 1_500);
    this.#deps.admit(username, password?.toString() ?? "").then(
      (client) => this.#open(client),
      (error: unknown) => this.#refuse(refusalOf(error), error instanceof AppError ? error.message : "Try again later"),
    );
  }

  #open(client: Client): void {
    if (this.#isClosed()) return client.leave();
    this.#client = client;
    this.#state = "open";
    this.#recheckAtMs = this.#deps.monotonicMs() + recheckMs;
    this.#keepAlive();
    this.#socket.send(generate({ cmd: "connack", returnCode: 0, sessionPresent: false }));
  }

  #refuse(returnCode: number, reason: string): void {
    if (this.#isClosed()) return;
    this.#socket.send(generate({ cmd: "connack", returnCode, sessionPresent: false }));
    this.#end(1008, reason);
  }

  #subscribe({ messageId = 0, subscriptions }: ISubscribePacket): void {
    const granted = subscriptions.map(({ topic }) => (this.#grant(topic) ? 0 : notGranted));
    this.#socket.send(generate({ cmd: "suback", messageId, granted }));
  }

  #grant(filter: string): boolean {
    const suite = suiteIn(filter);
    const client = this.#client;
    if (suite === undefined || client === undefined || suite.account.toLowerCase() !== client.accountUuid) return false;
    if (this.#following.has(filter)) return true;
    if (this.#following.size >= mostSubscriptions) return false;
    const tell = ({ sequenceId, runId, kind, message }: News): void => {
      this.#publish(topicOf(suite, sequenceId, runId, kind), JSON.stringify(message));
    };
    this.#following.set(filter, this.#deps.follow(client.accountId, suite.suite, tell));
    return true;
  }

  #unsubscribe({ messageId = 0, unsubscriptions }: IUnsubscribePacket): void {
    for (const filter of unsubscriptions) {
      this.#following.get(filter)?.();
      this.#following.delete(filter);
    }
    this.#socket.send(generate({ cmd: "unsuback", messageId, granted: [] }));
  }

  /** Whoever does not take what was sent is let go, and hears it all again when he comes back. */
  #publish(topic: string, payload: string): void {
    if (this.#isClosed()) return;
    const packet = generate({ cmd: "publish", topic, payload, qos: 0, retain: false, dup: false });
    if (this.#socket.waitingBytes() + packet.length > mostWaitingBytes) return this.#end(1008, "What was sent is not read");
    this.#socket.send(packet);
  }

  #beat(): void {
    const nowMs = this.#deps.monotonicMs();
    if (nowMs >= this.#endsAtMs) return this.#end(1008, this.#state === "open" ? "The keep-alive time is over" : "No CONNECT came in time");
    if (this.#client === undefined || nowMs < this.#recheckAtMs) return;
    this.#recheckAtMs = nowMs + recheckMs;
    this.#client.check().catch((error: unknown) => {
      // What cannot be looked up now is looked up again; only who is refused goes.
      if (hasCode(error, "unauthorized") || hasCode(error, "forbidden")) this.#end(1008, "The key is not good any more");
    });
  }

  /** Asked anew each time: what came in between may have closed it. */
  #isClosed(): boolean {
    return this.#state === "closed";
  }
}

function refusalOf(error: unknown): number {
  if (hasCode(error, "unauthorized") || hasCode(error, "invalid_input")) return refusal.credentials;
  return hasCode(error, "forbidden") ? refusal.notAuthorized : refusal.unavailable;
}
