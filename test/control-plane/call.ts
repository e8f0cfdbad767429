export interface Call {
  readonly key?: string | undefined;
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, else the text; undefined when empty. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
  readonly text: string;
}

/** One request to a server under test. */
export async function call(base: string, method: string, path: string, { key, body, headers = {}, signal }: Call = {}): Promise<Answer> {
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : isJson ? JSON.parse(text) : text };
}
