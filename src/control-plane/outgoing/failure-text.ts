import { AppError } from "#domain/app-error.ts";

/** The innermost reason; of several addresses that were tried the last one counts. */
export function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors.at(-1));
  if (error instanceof Error && error.cause instanceof Error && error.cause !== error) return innermost(error.cause);
  return error;
}

/** It as text, with the code of the system or the library where it has one. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const refused = /Proxy response \((\d+)\)|Proxy Authentication Required \((407)\)/.exec(error.message);
  if (refused !== null) return proxyRefusal(refused[1] ?? refused[2], "HTTPS_PROXY, HTTP_PROXY and NO_PROXY");
  if (error instanceof AppError || !("code" in error) || typeof error.code !== "string") return error.message;
  return error.message.includes(error.code) ? error.message : `${error.code}: ${error.message}`;
}

/** What a proxy's refusal is, and which settings lead to it: libraries name neither. */
export function proxyRefusal(status: string | undefined, settings: string): string {
  const what = status === "407" ? "the proxy asks for a user and a password" : "the proxy refused the connection";
  return `${what} (${status}); see ${settings} of the control plane`;
}
