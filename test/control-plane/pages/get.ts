import { request } from "node:http";

export interface PageAnswerOf {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** One POST of a form as a browser would send it, with any Host. */
export function postForm(
  base: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<PageAnswerOf> {
  const body = new URLSearchParams(fields).toString();
  return ask(base, path, { ...headers, "content-type": "application/x-www-form-urlencoded" }, body);
}

/** One GET as a browser would send it, with any Host and without following redirections: `fetch` can do neither. */
export function get(base: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<PageAnswerOf> {
  return ask(base, path, headers);
}

function ask(base: string, path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<PageAnswerOf> {
  const { hostname, port } = new URL(base);
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const sent = request({ method, hostname, port, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const answered = new Headers();
        for (const [name, values] of Object.entries(answer.headersDistinct)) for (const value of values ?? []) answered.append(name, value);
        resolve({ status: answer.statusCode ?? 0, headers: answered, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject).end(body);
  });
}
