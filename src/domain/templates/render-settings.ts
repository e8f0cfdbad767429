import type { ApiRequest } from "#contract/checks/api.ts";
import type { GrpcRequest } from "#contract/checks/grpc.ts";
import type { CheckType, SettingsOf } from "#contract/checks/index.ts";
import { AppError } from "../app-error.ts";
import { renderText, type TemplatePlace } from "./render-text.ts";
import type { TemplateContext } from "./template-context.ts";
import { hasTemplates } from "./template-tags.ts";

export interface RenderedSettings<T extends CheckType> {
  readonly settings: SettingsOf<T>;
  /** As `renderText` tells them; each once. */
  readonly unknown: readonly string[];
}

/** All texts of a request together, in characters. */
const maxRenderedRequest = 8_388_608;

/**
 * Fills the templates of a check's settings where behaviour 4 has them: URL, body, values of headers and parameters, and basic auth of
 * API checks; the URL of URL monitors; target, call, message and values of metadata of gRPC monitors. Settings of other types come back as they are.
 *
 * @throws {AppError} invalid_input where they grow beyond 8 MB
 */
export function renderSettings<T extends CheckType>(type: T, settings: SettingsOf<T>, context: TemplateContext): RenderedSettings<T> {
  if (!hasTemplates(settings)) return { settings, unknown: [] };
  const rendering = new Rendering(context);
  const rendered = renderers[type](settings, rendering);
  return { settings: rendered, unknown: [...rendering.unknown] };
}

type Renderers = { readonly [T in CheckType]: (settings: SettingsOf<T>, rendering: Rendering) => SettingsOf<T> };

const renderers: Renderers = {
  API: (settings, rendering) => ({ ...settings, request: renderedRequest(settings.request, rendering) }),
  URL: (settings, rendering) => ({ ...settings, request: { ...settings.request, url: rendering.filled(settings.request.url, "url") } }),
  TCP: asItIs,
  DNS: asItIs,
  ICMP: asItIs,
  SSL: asItIs,
  GRPC: (settings, rendering) => ({ ...settings, request: renderedCall(settings.request, rendering) }),
  TRACEROUTE: asItIs,
  MULTI_STEP: asItIs,
  BROWSER: asItIs,
  PLAYWRIGHT: asItIs,
  AGENTIC: asItIs,
};

function asItIs<Settings>(settings: Settings): Settings {
  return settings;
}

/** Parameters are encoded when the request is built, `{{X}}` and `{{{X}}}` alike. */
function renderedRequest(request: ApiRequest, rendering: Rendering): ApiRequest {
  const filled = (text: string): string => rendering.filled(text, "text");
  const entries = (of: ApiRequest["headers"]) => of.map((entry) => ({ ...entry, value: filled(entry.value) }));
  const { basicAuth } = request;
  return {
    ...request,
    url: rendering.filled(request.url, "url"),
    body: filled(request.body),
    headers: entries(request.headers),
    queryParameters: entries(request.queryParameters),
    ...(basicAuth && { basicAuth: { username: filled(basicAuth.username), password: filled(basicAuth.password) } }),
  };
}

/** Its target is no URL, so that nothing is encoded. */
function renderedCall(request: GrpcRequest, rendering: Rendering): GrpcRequest {
  const filled = (text: string): string => rendering.filled(text, "text");
  const orNull = (text: string | null): string | null => (text === null ? null : filled(text));
  const { url, port, grpcConfig } = request;
  const { service, method, message, metadata } = grpcConfig;
  return {
    ...request,
    url: filled(url),
    port: typeof port === "number" ? port : filled(port),
    grpcConfig: {
      ...grpcConfig,
      service: orNull(service),
      method: orNull(method),
      message: orNull(message),
      metadata: metadata.map(({ key, value }) => ({ key, value: filled(value) })),
    },
  };
}

/** The texts of one check: what they lack, and how long they have become. */
class Rendering {
  readonly unknown = new Set<string>();
  readonly #context: TemplateContext;
  #length = 0;

  constructor(context: TemplateContext) {
    this.#context = context;
  }

  filled(template: string, place: TemplatePlace): string {
    const { text, unknown } = renderText(template, this.#context, place);
    for (const name of unknown) this.unknown.add(name);
    this.#length += text.length;
    if (this.#length > maxRenderedRequest)
      throw new AppError("invalid_input", "the request grows beyond 8 MB by the values of its templates");
    return text;
  }
}
