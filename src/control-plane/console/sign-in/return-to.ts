/** Of an address that somebody is led back to: more fits into no header of a proxy. */
export const longestWay = 2_000;
/** In the address of the sign-in page: a form was sent after the sign-in had ended. */
export const lostForm = "lost";
const anywhere = "http://localhost";

/** The address of a page of ours, with query and fragment; `/` for everything that would lead elsewhere. */
export function returnTo(given: string | null): string {
  if (given === null || given.length > longestWay || !given.startsWith("/")) return "/";
  const url = URL.parse(given, anywhere);
  if (url === null || url.origin !== anywhere) return "/";
  const local = url.pathname + url.search + url.hash;
  // `/.//elsewhere.example` has become `//elsewhere.example`, which browsers take for another host.
  return /^\/(?![/\\])/.test(local) ? local : "/";
}
