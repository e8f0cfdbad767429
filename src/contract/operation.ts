import type { z } from "zod";

/** Who may call: `public` needs no key; the others name the lowest sufficient role; `agent` is an agent's key or token. */
export type Access = "public" | "read" | "run" | "write" | "admin" | "agent-key" | "agent-session";

/** Which rate limit counts the call. Limits are per key; `trigger` is for addresses that carry their own token. */
export type RateLimitClass =
  | "standard"
  | "results"
  | "analytics"
  | "alert-notifications"
  | "dashboards"
  | "location-metrics"
  | "triggers"
  | "none";

/** A request as the documentation shows it. A test sends it, its well-known ids (`example-ids.ts`) replaced by those of real objects. */
export interface OperationExample {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: unknown;
}

/** One REST operation. Routing, validation, the typed client and OpenAPI all read this object. */
export interface Operation {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `{name}` for path parameters. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  /** What the summary leaves open: units, order, what is kept, what happens at the edges. */
  readonly description?: string;
  readonly example?: OperationExample;
  readonly access: Access;
  readonly rateLimit: RateLimitClass;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Stands in the document in the place of a body whose type depends on what is stored; the handler parses it. */
  readonly bodyShown?: z.ZodType;
  /** Takes the body as it comes, as application/octet-stream, instead of JSON. */
  readonly bytes?: true;
  /** Its body may be far larger than others: a whole project. */
  readonly isLarge?: true;
  /** Absent for 204 and for files. */
  readonly output?: z.ZodType;
  /** Answers a file for download instead of JSON. */
  readonly file?: true;
  /** Answers server-sent events instead of JSON; the handler returns them, one after another. */
  readonly events?: true;
  /** Answers text of this content type instead of JSON; the handler returns the text. */
  readonly text?: "image/svg+xml" | "text/plain; version=0.0.4" | "text/plain; charset=utf-8";
  /** How long anybody may keep the text; absent: nobody keeps it. */
  readonly maxAgeSeconds?: number;
  readonly successStatus: 200 | 201 | 202 | 204;
  /** Another status, which some answers of the same form travel with. */
  readonly alternative?: { readonly status: number; readonly description: string; readonly holds: (answer: never) => boolean };
  /** Of a request that changes things by its method: whether this one changed nothing, so that no audit log keeps it. Absent: never. */
  readonly changesNothing?: (query: never, answer: never) => boolean;
  /** Other statuses that the operation answers, beside those every operation has. */
  readonly errors?: readonly number[];
  /** A bare-array list whose total travels in `Content-Range`. */
  readonly paged?: true;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler receives: every part parsed, defaults filled in. */
export interface InputOf<O extends Operation> {
  readonly params: Parsed<O["params"]>;
  readonly query: Parsed<O["query"]>;
  readonly body: O extends { readonly bytes: true } ? AsyncIterable<Uint8Array> : Parsed<O["body"]>;
}

/** What an operation with `file` answers. */
export interface FileOutput {
  /** Goes into a header as it is: lower-case letters, digits, dots and hyphens. */
  readonly name: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** One server-sent event: its name, and what is its data as JSON. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

export type OutputOf<O extends Operation> = O extends { readonly file: true }
  ? FileOutput
  : O extends { readonly events: true }
    ? AsyncIterable<ServerEvent | null>
    : O extends { readonly text: string }
      ? string
      : O["output"] extends z.ZodType
        ? z.input<O["output"]>
        : undefined;
