import { until } from "../support/processes.ts";

interface Result {
  readonly id: string;
  readonly hasFailures: boolean;
  readonly startedAt: string;
}

/** The REST API as far as each version has it since the first. */
export class RestClient {
  readonly #base: string;
  readonly #key: string;

  constructor(base: string, key: string) {
    this.#base = base;
    this.#key = key;
  }

  /** Makes a private location. @returns a key for its agents */
  async location(slugName: string): Promise<string> {
    const made = await this.ask<{ keys: { rawKey: string }[] }>("POST", "/v1/private-locations", { name: slugName, slugName });
    return made.keys[0]?.rawKey ?? "";
  }

  /** One that runs only when it is triggered. @returns its id */
  async apiCheck(name: string, url: string, privateLocations: readonly string[]): Promise<string> {
    const request = { method: "GET", url, assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200" }] };
    const rest = { privateLocations, frequency: 1440, retryStrategy: null, activated: true };
    return (await this.ask<{ id: string }>("POST", "/v1/checks/api", { name, ...rest, request })).id;
  }

  /** Triggers a check, and waits for the end. */
  async run(checkId: string): Promise<void> {
    const { sessions } = await this.ask<{ sessions: { checkSessionId: string }[] }>("POST", "/v2/check-sessions/trigger", {
      target: { checkId: [checkId] },
    });
    const id = sessions[0]?.checkSessionId ?? "";
    await until(
      `the end of session ${id}`,
      async () => (await this.ask<{ stoppedAt: string | null }>("GET", `/v2/check-sessions/${id}`)).stoppedAt !== null,
      60_000,
    );
  }

  /** The newest hundred. */
  async results(checkId: string): Promise<Result[]> {
    const { entries } = await this.ask<{ entries: Result[] }>("GET", `/v2/check-results/${checkId}?resultType=ALL&limit=100`);
    return entries.map(({ id, hasFailures, startedAt }) => ({ id, hasFailures, startedAt }));
  }

  async text(path: string): Promise<string> {
    return (await this.#send("GET", path)).text();
  }

  /** @returns the status, whatever it is */
  async tryPost(path: string, body: object): Promise<number> {
    return (await this.#send("POST", path, body)).status;
  }

  /** @throws for every answer that is no success */
  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    const reply = await this.#send(method, path, body);
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** A control plane that is about to start is asked again. */
  #send(method: string, path: string, body?: object): Promise<Response> {
    return until(`an answer of ${path}`, () =>
      fetch(`${this.#base}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#key}`, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(40_000),
      }),
    );
  }
}
