import { ProbeError } from "../net/probe-error.ts";

/** What this proxy itself refuses, before anything is dialled. */
export class Refused extends Error {
  readonly status: 400 | 403 | 407 | 409 | 502;
  readonly code: string;

  constructor(status: 400 | 403 | 407 | 409 | 502, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Refusal {
  readonly status: number;
  readonly phrase: string;
  readonly code: string;
  readonly message: string;
  /** JSON with `code` and `message`. */
  readonly body: Buffer;
}

const phrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  407: "Proxy Authentication Required",
  409: "Conflict",
  502: "Bad Gateway",
};

/** How the proxy tells why there is no connection: the error's own code, so that its client fails like any other. */
export function refusalOf(error: unknown): Refusal {
  const { status, code, message } = partsOf(error);
  const phrase = phrases[status] ?? "Error";
  return { status, phrase, code, message, body: Buffer.from(JSON.stringify({ code, message })) };
}

function partsOf(error: unknown): { readonly status: number; readonly code: string; readonly message: string } {
  if (error instanceof Refused) return error;
  if (error instanceof ProbeError) return { status: error.code === "EPOLICY" ? 403 : 502, code: error.code, message: error.message };
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "ECONNABORTED";
  return { status: 502, code, message: error instanceof Error ? error.message : "the connection failed" };
}
