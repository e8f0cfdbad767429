import type { Headers } from "../../http/authenticate.ts";
import { cookiesOf } from "../../http/cookies.ts";

/** The cookies of the console. Scripts see none of them, and no other site's requests but plain links bring them. */
export interface ConsoleCookies {
  /** The token of the sign-in. */
  readonly session: Cookie;
  /** What binds forms to a browser before anybody is signed in there. */
  readonly visitor: Cookie;
  /** See `known-browser.ts`. */
  readonly known: Cookie;
  /** See `enter.ts`. */
  readonly half: Cookie;
  /** Binds what a provider sends back to the browser that asked. */
  readonly sso: Cookie;
}

export interface Cookie {
  readonly read: (headers: Headers) => string | undefined;
  readonly set: (value: string, maxAgeSeconds: number) => string;
  readonly clear: () => string;
}

const sessionCookies = { secure: "__Host-outpost", plain: "outpost_session" } as const;

/** Whether a browser was signed in here at some time; whether it still is, the page says that it asks for next. */
export function knowsConsole(cookies: ReadonlyMap<string, string>): boolean {
  return Object.values(sessionCookies).some((name) => cookies.has(name));
}

/** `isSecure` where browsers reach the console by https: then no neighbour under the same domain can set these cookies. */
export function consoleCookies(isSecure: boolean): ConsoleCookies {
  return isSecure
    ? {
        session: cookie(sessionCookies.secure, "; Secure"),
        visitor: cookie("__Host-outpost-form", "; Secure"),
        known: cookie("__Host-outpost-known", "; Secure"),
        half: cookie("__Host-outpost-half", "; Secure"),
        sso: cookie("__Host-outpost-sso", "; Secure"),
      }
    : {
        session: cookie(sessionCookies.plain, ""),
        visitor: cookie("outpost_form", ""),
        known: cookie("outpost_known", ""),
        half: cookie("outpost_half", ""),
        sso: cookie("outpost_sso", ""),
      };
}

function cookie(name: string, secure: string): Cookie {
  const rest = `Path=/; HttpOnly; SameSite=Lax${secure}`;
  return {
    read: (headers) => tokenNamed(name, headers["cookie"]),
    set: (value, maxAgeSeconds) => `${name}=${value}; Max-Age=${maxAgeSeconds}; ${rest}`,
    clear: () => `${name}=; Max-Age=0; ${rest}`,
  };
}

/** Undefined also for what cannot be a token of ours. */
function tokenNamed(name: string, header: string | string[] | undefined): string | undefined {
  const value = typeof header === "string" ? cookiesOf(header).get(name) : undefined;
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}
