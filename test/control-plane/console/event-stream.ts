import type { Browser } from "./browser.ts";

/** What our events may hold; a test says what it wants of it. */
interface Content {
  readonly id: string;
  readonly ids: readonly string[];
  readonly html: string;
  readonly isOver: boolean;
  readonly rows: readonly unknown[];
  readonly measured: string;
  readonly told: string;
  readonly state: string;
}

interface HeardEvent {
  readonly name: string;
  readonly content: Content;
}

/** What a page hears while it is open. */
export interface EventStream extends AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  /** The next event of this name; those before it are passed over. @throws when the stream ends before it */
  readonly next: (name: string) => Promise<Content>;
  /** Resolves when the server has ended it. */
  readonly ended: () => Promise<void>;
}

/** Opens a stream as a page of this browser does. */
export async function eventStream(
  base: string,
  { cookies }: Pick<Browser, "cookies">,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const closing = new AbortController();
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { accept: "text/event-stream", cookie, ...more };
  const response = await fetch(base + path, { headers, signal: closing.signal, redirect: "manual" });
  const events = read(response);
  const next = async (name: string): Promise<Content> => {
    for (;;) {
      const { value, done } = await events.next();
      if (done) throw new Error(`the stream ended without ${name}`);
      if (value.name === name) return value.content;
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    ended: async () => {
      while (!(await events.next()).done) {
        // what came before is passed over
      }
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await events.return(undefined).catch(() => undefined);
    },
  };
}

async function* read(response: Response): AsyncGenerator<HeardEvent, undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
      if (name !== "") yield { name, content: JSON.parse(data) };
    }
  }
}
