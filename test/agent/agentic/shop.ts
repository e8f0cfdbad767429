import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";

/** A shop with a sign-in, and what may change or go wrong in it. */
export interface Shop extends HttpServer {
  /** The link to the form, and what greets who signed in. */
  link: string;
  greeting: string;
  /** A text in each page, such as one that speaks to models. */
  note: string;
  /** Where it stands. */
  noteIn: "text" | "title" | "alternative text" | "header" | "console";
  /** Every request answers so. */
  status: number;
  /** Where `/away` leads. */
  away: string;
  readonly requests: string[];
}

export const shopPassword = "pw-S3cret/77+x";

export async function shop(): Promise<Shop> {
  const state = {
    link: "Sign in",
    greeting: "Hello, Ann",
    note: "",
    noteIn: "text" as Shop["noteIn"],
    status: 200,
    away: "",
    requests: [] as string[],
  };
  const server = await httpServer((request, response) => void answer(state, request, response));
  return Object.assign(state, server);
}

type State = Pick<Shop, "link" | "greeting" | "note" | "noteIn" | "status" | "away" | "requests">;

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString();
  const { pathname } = new URL(request.url ?? "/", "http://shop");
  state.requests.push(`${request.method} ${pathname}`);
  const noted = (place: Shop["noteIn"]): string => (state.noteIn === place ? state.note : "");
  const page = (title: string, inner: string): string =>
    `<!doctype html><html lang="en"><title>${title}${noted("title")}</title><body><h1>${title}</h1>${inner}<p>${noted("text")}</p><img src="data:," alt="${noted("alternative text")}"><script>console.error(${JSON.stringify(noted("console"))})</script></body></html>`;
  const send = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): void =>
    void response.writeHead(status, { "content-type": "text/html", "x-note": noted("header"), ...headers }).end(text);
  if (state.status !== 200) return send(state.status, page("Out of order", ""));
  if (pathname === "/away") return send(302, "", { location: state.away });
  if (pathname === "/form")
    return send(
      200,
      page(
        "Who are you?",
        '<form method="post" action="/in"><label>User <input name="user"></label><label>Password <input name="password"></label><button>Go</button></form>',
      ),
    );
  if (pathname === "/in") {
    const given = new URLSearchParams(body);
    const isRight = given.get("user") === "ann" && given.get("password") === shopPassword;
    return send(200, page(isRight ? state.greeting : "Wrong password", `<p>You typed ${given.get("password") ?? ""}</p>`));
  }
  return send(200, page("Shop", `<a href="/form">${state.link}</a> <a href="/away">Leave</a>`));
}
