import { generate, type Packet, parser } from "mqtt-packet";

export interface Message {
  /** The last three parts of the topic. */
  readonly sequenceId: string;
  readonly runId: string;
  readonly kind: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
  readonly body: any;
}

export interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** A client of MQTT over WebSocket that sends what it is told to, byte by byte if need be. */
export class MqttTestClient implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #packets: Packet[] = [];
  readonly #messages: Message[] = [];
  #wake = Promise.withResolvers<void>();
  /** The code with which the other side ended the connection. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
    });
    const packets = parser();
    packets.on("packet", (packet) => this.#keep(packet));
    socket.addEventListener("message", ({ data }) => packets.parse(Buffer.from(data as ArrayBuffer)));
  }

  /** @param base of the control plane. Rejects where the connection does not become a WebSocket */
  static async open(base: string, protocol = "mqtt"): Promise<MqttTestClient> {
    const socket = new WebSocket(`${base.replace("http", "ws")}/mqtt?authenticationScheme=userApiKey`, protocol);
    socket.binaryType = "arraybuffer";
    const client = new MqttTestClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve());
      socket.addEventListener("error", () => reject(new Error("no WebSocket")));
    });
    return client;
  }

  /** The return code of CONNACK. */
  async connect({ username = "", password = "" }: Credentials, changes: object = {}): Promise<number> {
    const given = { ...(username !== "" && { username }), ...(password !== "" && { password: Buffer.from(password) }) };
    this.send({
      cmd: "connect",
      protocolId: "MQTT",
      protocolVersion: 4,
      clean: true,
      clientId: "test",
      keepalive: 60,
      ...given,
      ...changes,
    } as Packet);
    const answer = await this.next();
    if (answer.cmd !== "connack") throw new Error(`no CONNACK: ${answer.cmd}`);
    return answer.returnCode ?? -1;
  }

  /** What was granted: 0, or 128 where it was refused. */
  async subscribe(...topics: readonly string[]): Promise<readonly unknown[]> {
    const subscriptions = topics.map((topic) => ({ topic, qos: 0 as const }));
    this.send({ cmd: "subscribe", messageId: 1, subscriptions } as Packet);
    const answer = await this.next();
    if (answer.cmd !== "suback") throw new Error(`no SUBACK: ${answer.cmd}`);
    return answer.granted;
  }

  send(packet: Packet): void {
    this.sendBytes(generate(packet));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(new Uint8Array(bytes));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** The next packet that is no message. */
  async next(): Promise<Packet> {
    for (;;) {
      const packet = this.#packets.shift();
      if (packet !== undefined) return packet;
      await this.#wake.promise;
    }
  }

  /** The next messages, as many. */
  async messages(count: number): Promise<readonly Message[]> {
    while (this.#messages.length < count) await this.#wake.promise;
    return this.#messages.splice(0, count);
  }

  get waiting(): number {
    return this.#messages.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  #keep(packet: Packet): void {
    if (packet.cmd === "publish") {
      const [sequenceId = "", runId = "", kind = ""] = packet.topic.split("/").slice(4);
      this.#messages.push({ sequenceId, runId, kind, body: JSON.parse(packet.payload.toString()) });
    } else {
      this.#packets.push(packet);
    }
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

/** The topics of a suite, as the public command line asks for them. */
export function topicsOf(account: string, suite: string): string {
  return `account/${account}/ad-hoc-check-results/${suite}/+/+/+`;
}
