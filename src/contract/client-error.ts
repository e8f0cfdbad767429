import { ErrorBody } from "./error-body.ts";

/** An answer that is no success, as the server told it; see `ErrorBody` for what its parts mean. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly statusCode: number;
  /** The status text, "Bad Request". */
  readonly error: string;
  readonly attributes: Readonly<Record<string, unknown>>;

  constructor({ statusCode, error, message, attributes = {} }: ErrorBody) {
    super(message);
    this.statusCode = statusCode;
    this.error = error;
    this.attributes = attributes;
  }
}

/** No answer came: the server was not found, refused the connection or broke it. `cause` says why. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** The error in an answer. What is not of our making (a proxy's page) is told by its status alone. */
export async function errorOf(response: Response, asked: string): Promise<ApiError> {
  const told = ErrorBody.safeParse(await response.json().catch(() => undefined));
  if (told.success) return new ApiError(told.data);
  const elsewhere = response.headers.get("location");
  return new ApiError({
    statusCode: response.status,
    error: response.statusText,
    message: `${asked} was answered with status ${response.status}${elsewhere === null ? "" : `, which leads to ${elsewhere}`}`,
  });
}
