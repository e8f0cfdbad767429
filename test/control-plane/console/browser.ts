/** A browser without scripts, as far as forms need one: cookies, redirects, the token of the page that it shows. */
export interface Browser {
  readonly cookies: Map<string, string>;
  /** Follows no redirect. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Page>;
  /** Sends a form of the page that was got last, with its token unless `fields` has another one. */
  readonly post: (
    path: string,
    fields?: Readonly<Record<string, string | readonly string[]>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Page>;
  readonly csrf: () => string;
}

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
  readonly headers: Headers;
}

export function browser(base: string): Browser {
  const cookies = new Map<string, string>();
  let csrf = "";

  async function request(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers(init.headers);
    if (cookie !== "") headers.set("cookie", cookie);
    const response = await fetch(base + path, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? csrf;
    return { status: response.status, text, location: response.headers.get("location"), headers: response.headers };
  }

  return {
    cookies,
    csrf: () => csrf,
    get: (path, headers = {}) => request(path, { headers }),
    post: (path, fields = {}, headers = {}) => {
      const sent = Object.entries({ csrf, ...fields }).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
      const body = new URLSearchParams(sent).toString();
      return request(path, { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded", ...headers } });
    },
  };
}
