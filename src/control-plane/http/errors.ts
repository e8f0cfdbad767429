import { STATUS_CODES } from "node:http";
import { AppError, type ErrorAttributes, type ErrorCode } from "#domain/app-error.ts";

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly statusCode: number;
    readonly error: string;
    readonly message: string;
    readonly attributes?: ErrorAttributes;
  } & ToldToClients;
}

/** What the public command line reads of an error, and where it looks for it. */
interface ToldToClients {
  readonly deploymentId?: string;
  readonly errorCode?: string;
}

function toldToClients({ deploymentId, errorCode }: ErrorAttributes): ToldToClients {
  return {
    ...(typeof deploymentId === "string" && { deploymentId }),
    ...(typeof errorCode === "string" && { errorCode }),
  };
}

/** The one place that turns errors into status codes (behaviour 1, Errors). */
const statusOf: Readonly<Record<ErrorCode, number>> = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  try_again: 408,
  conflict: 409,
  lease_lost: 409,
  too_large: 413,
  unsupported: 415,
  upgrade_required: 426,
  rate_limited: 429,
  unavailable: 503,
  deadline_exceeded: 503,
  unreachable: 503,
  cancelled: 503,
};

/** How long a client should wait before it asks again, by status, seconds. */
const retryAfterSeconds: Readonly<Record<number, number>> = { 408: 1, 429: 60, 503: 5 };

/** What a client is told about an error. Anything unknown is a 500 that tells nothing; the caller logs it. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof AppError) return answer(statusOf[error.code], error.message, error.attributes);
  const framework = frameworkError(error);
  return framework === undefined ? answer(500, "Something went wrong on our side") : answer(framework.status, framework.message);
}

function answer(status: number, message: string, attributes: ErrorAttributes = {}): ErrorAnswer {
  const body = { statusCode: status, error: STATUS_CODES[status] ?? "Error", message };
  const told = attributes["retryAfterSeconds"];
  const retryAfter = typeof told === "number" ? Math.max(1, Math.ceil(told)) : retryAfterSeconds[status];
  return {
    status,
    headers: {
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
      ...(status === 401 && { "www-authenticate": "Bearer" }), // RFC 9110 §15.5.2
    },
    body: Object.keys(attributes).length === 0 ? body : { ...body, ...toldToClients(attributes), attributes },
  };
}

const frameworkMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "The content type must be application/json",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "The body is shorter or longer than its content-length",
  FST_ERR_BAD_URL: "The address is not a valid URL",
  FST_ERR_MAX_PARAM_LENGTH: "A part of the address is too long to name anything",
};

/** Where the framework's own status says something else than ours would. */
const frameworkStatuses: Readonly<Record<string, number>> = { FST_ERR_MAX_PARAM_LENGTH: 404 };

const brokenBody = ["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE"];

/** Errors of the web framework and of decompression: told as the client's fault only when they are. */
function frameworkError(error: unknown): { status: number; message: string } | undefined {
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  if (!(error instanceof Error) || typeof code !== "string") return undefined;
  if (code.startsWith("Z_")) return { status: 400, message: "The body is not valid gzip" };
  if (brokenBody.includes(code)) return { status: 400, message: "The body ended early" };
  const clientsFault = code.startsWith("FST_ERR_") && typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
  if (!clientsFault) return undefined;
  return { status: frameworkStatuses[code] ?? statusCode, message: frameworkMessages[code] ?? STATUS_CODES[statusCode] ?? "Bad Request" };
}
