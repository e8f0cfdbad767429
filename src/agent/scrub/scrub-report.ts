import type { GrpcMetadataEntry } from "#contract/checks/grpc.ts";
import type { CheckType, SettingsOf } from "#contract/checks/index.ts";
import { mask } from "#domain/scrub/scrub-stream.ts";
import { createScrubber, type Scrubber } from "#domain/scrub/scrubber.ts";
import { isSensitiveHeader, maskSensitiveHeaders, type RequestWithSecrets, sensitiveValues } from "#domain/scrub/sensitive.ts";
import { withScrubbedBytes } from "./stored-bytes.ts";

/** Masks what must not leave the agent in the parts of a report (behaviour 4). Runs before anything reaches the disk. */
export interface ReportScrubber {
  text(text: string): string;
  /** @param detail the result member of any check type */
  detail(detail: object): unknown;
  /** Same length: for a capture. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** One that knows these secrets, too: what an answer made one. */
  knowing(others: readonly string[]): ReportScrubber;
  /** All of them: for what else comes of the attempt, its artifacts, and for what the agent tells of itself meanwhile (`KnownSecrets.hold`). */
  readonly secrets: readonly string[];
}

/**
 * Types without headers, metadata and parameters have secrets in addresses only; of a script nobody can tell what is secret in it.
 *
 * @param secrets those that the request does not show: values of secret variables, SERVICE_SECRET_*. Which of them are
 *   not scrubbed, and why, is told by `refusalOf(value)`: a warning for the log of the check, by the secret's name
 * @param ofRun those that may be others in the next run, such as a script's own
 */
export function reportScrubber(
  settings: SettingsOf<CheckType>,
  proxyUrl: string | null,
  secrets: readonly string[] = [],
  ofRun: readonly string[] = [],
): ReportScrubber {
  const request = "request" in settings ? settings.request : null;
  const headers =
    request !== null && "grpcConfig" in request ? request.grpcConfig.metadata.map((entry) => ({ ...entry, locked: false })) : [];
  const withSecrets: RequestWithSecrets = { url: "", headers, queryParameters: [], ...request } as RequestWithSecrets;
  const all = new Set([...ofRun, ...sensitiveValues(withSecrets, proxyUrl === null ? [] : [proxyUrl])]);
  return scrubberOf(secrets, [...all.difference(new Set(secrets))]);
}

function scrubberOf(secrets: readonly string[], more: readonly string[]): ReportScrubber {
  const all = [...secrets, ...more];
  const scrubber = (): Scrubber => createScrubber(secrets, more); // compiled where it is not kept: what holds this must not hold that
  return {
    text: (text) => scrubber().scrubText(text),
    detail(detail) {
      const shown = withMaskedHeaders(detail);
      return scrubber().scrubJson(
        all.length === 0 || !shown.response ? shown : { ...shown, response: withScrubbedBytes(shown.response, scrubber()) },
      );
    },
    bytes: (bytes) => scrubber().scrubBytes(bytes),
    knowing(others) {
      const unknown = others.filter((value) => !all.includes(value));
      return unknown.length === 0 ? this : scrubberOf(secrets, [...more, ...unknown]);
    },
    secrets: all,
  };
}

interface Message extends Readonly<Record<string, unknown>> {
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Of a gRPC call; of a request only the keys. */
  readonly metadata?: readonly (string | GrpcMetadataEntry)[];
}

interface WithMessages {
  readonly request?: Message | undefined;
  readonly response?: Message | null | undefined;
}

function withMaskedHeaders(detail: WithMessages): WithMessages {
  return { ...detail, request: masked(detail.request), response: masked(detail.response) };
}

function masked<M extends Message | null | undefined>(message: M): M {
  if (message?.metadata !== undefined) return { ...message, metadata: message.metadata.map(maskedEntry) };
  return message?.headers === undefined ? message : { ...message, headers: maskSensitiveHeaders(message.headers) };
}

function maskedEntry(entry: string | GrpcMetadataEntry): string | GrpcMetadataEntry {
  return typeof entry !== "string" && isSensitiveHeader(entry.key) ? { ...entry, value: mask } : entry;
}
