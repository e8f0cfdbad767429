import type { ApiCheckResult } from "#contract/checks/api.ts";
import type { CheckType, ResultOf, SettingsOf } from "#contract/checks/index.ts";
import type { Observation } from "../runners/check-runner.ts";
import type { ScriptRequest, ScriptResponse } from "../sandbox/sandbox.ts";
import { type Checked } from "./checked.ts";
import { seenRequest, withChanges } from "./script-request.ts";
import { isCut, secretsOfResponse, seenResponse, withBody } from "./script-response.ts";

/** How scripts see the checks of one type, and what they can change. */
export interface ScriptView<T extends CheckType> {
  readonly request: (settings: SettingsOf<T>) => ScriptRequest;
  /** The settings with what differs between the two; the same where nothing does. */
  readonly withChanges: (settings: SettingsOf<T>, before: ScriptRequest, after: ScriptRequest) => Checked<SettingsOf<T>>;
  /** Null where no (whole) answer came. */
  readonly response: (observation: Observation<T>) => ScriptResponse | null;
  /** Whether scripts see but the beginning of the answer's body. */
  readonly isCut: (observation: Observation<T>) => boolean;
  readonly withBody: (observation: Observation<T>, body: string) => Observation<T>;
  /** What of an answer is secret in any case, as scripts may log it. */
  readonly secretsOf: (observation: Observation<T>) => readonly string[];
}

/** Types whose checks have scripts; others ignore them. */
export const scriptViews: { readonly [T in CheckType]?: ScriptView<T> } = {
  API: { request: seenRequest, withChanges, response: seenResponse, isCut, withBody, secretsOf: secretsOfResponse },
};

type Logged = Pick<ApiCheckResult, "jobLog" | "sandboxLevel" | "scriptEgress">;

/** How the results of one type tell what happened around the request. */
export interface LogView<T extends CheckType> {
  /** What is asked for, in a line. */
  readonly subject: (settings: SettingsOf<T>) => string;
  readonly with: (result: ResultOf<T>, logged: Logged) => ResultOf<T>;
  /** The result of a run whose request was never sent. */
  readonly unsent: (settings: SettingsOf<T>, requestError: string, logged: Logged) => ResultOf<T>;
}

const httpLog = {
  subject: ({ request: { method, url } }: SettingsOf<"API" | "URL">): string => `${method} ${url}`,
  with: (result: ApiCheckResult, logged: Logged): ApiCheckResult => ({ ...result, ...logged }),
};

/** Types whose results have a `jobLog`. */
export const logViews: { readonly [T in CheckType]?: LogView<T> } = {
  API: {
    ...httpLog,
    unsent: ({ request }, requestError, logged) => {
      const { method, url, body, headers, queryParameters } = seenRequest({ request });
      return { ...nothingSent({ method, url, data: body, headers, params: queryParameters }, requestError), ...logged };
    },
  },
  URL: {
    ...httpLog,
    unsent: ({ request: { method, url } }, requestError, logged) => {
      return { ...nothingSent({ method, url, data: "", headers: {}, params: {} }, requestError), ...logged };
    },
  },
};

function nothingSent(request: ApiCheckResult["request"], requestError: string): ApiCheckResult {
  return {
    assertions: null,
    request,
    response: null,
    connection: null,
    redirects: [],
    requestError,
    jobLog: null,
    jobAssets: null,
    pcapDataUrl: null,
  };
}
