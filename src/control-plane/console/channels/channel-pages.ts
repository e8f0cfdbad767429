import { AlertChannelType, AlertChannelWrite, testAlertChannel } from "#contract/alert-channels.ts";
import { AppError } from "#domain/app-error.ts";
import { refuseLargeBody, restBounds } from "../../http/budgets/json-bounds.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { parsePart } from "../../http/validation.ts";
import type { Ask } from "../ask.ts";
import { type FormProblems, hasProblem } from "../form-view.ts";
import { findStored, kindPages } from "../kind-pages.ts";
import { refusedFields } from "../refused-fields.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { channelFields } from "./channel-fields.ts";
import { type ChannelDraft, draftOf, emptyDraft, typedDraft, writtenChannel } from "./channel-form.ts";
import { channelFormPage } from "./channel-form-page.ts";
import { allChannels, type ChannelRead, channelName } from "./channel-words.ts";
import { channelsPage } from "./channels-page.ts";

/** Where alerts go. */
export function channelPages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/channels", access: "read", answer: (visit) => list(ask, visit, { done: visit.request.query.get("done") }) },
    ...kindPages<"alert-channel", ChannelDraft>(ask, {
      kind: "alert-channel",
      path: "/channels",
      after: (done) => `/channels?done=${done}`,
      page: (visit, { stored, ...view }) => channelFormPage(visit, { channel: stored && named(stored), ...view }),
      blank: ({ request }) => emptyDraft(typeOf(request.query)),
      drafted: draftOf,
      typed: (form, stored) => typedDraft(stored?.type ?? typeOf(form), form, stored),
      body: ({ type }, stored, form) => writtenChannel(type, form, stored).body,
      fields: ({ type }) => fieldsOf(type),
      problems,
    }),
    { method: "POST", path: "/channels/{id}/test", access: "write", answer: (visit) => test(ask, visit) },
  ];
}

async function list(ask: Ask, visit: Visit, view: Omit<Parameters<typeof channelsPage>[1], "channels">): Promise<FormAnswer> {
  return channelsPage(visit, { channels: await allChannels(ask, visit), ...view });
}

/** What is wrong is told at once, the lines and all else. */
function problems(form: URLSearchParams, stored: ChannelRead | null): FormProblems {
  const type = stored?.type ?? typeOf(form);
  const { body, problems: ofLines } = writtenChannel(type, form, stored);
  refuseLargeBody(body, restBounds);
  if (!hasProblem(ofLines)) return ofLines;
  try {
    parsePart(AlertChannelWrite, body);
    return ofLines;
  } catch (error) {
    return { ...refusedFields(error, fieldsOf(type)), ...ofLines };
  }
}

function fieldsOf(type: AlertChannelType): readonly string[] {
  return [...channelFields[type].map(({ name }) => `config.${name}`), "sslExpiryThreshold", "retryHours"];
}

async function test(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const channel = await findStored(ask, visit, "alert-channel");
  const answer = await ask(visit, testAlertChannel, { params: { id: String(channel.id) } });
  return list(ask, visit, { tested: { channel, answer } });
}

function named(channel: ChannelRead): { readonly id: number; readonly name: string } {
  return { id: channel.id, name: channelName(channel) };
}

/** @throws {AppError} invalid_input for what no page of ours asks for */
/** E-mail, where none is asked for. */
function typeOf(from: URLSearchParams): AlertChannelType {
  if (!from.has("type")) return "EMAIL";
  const type = AlertChannelType.options.find((one) => one === from.get("type"));
  if (type === undefined) throw new AppError("invalid_input", `"type" must be one of ${AlertChannelType.options.join(", ")}.`);
  return type;
}
