import {
  AlertChannelType,
  AlertChannelWrite,
  createAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
  testAlertChannel,
  updateAlertChannel,
} from "#contract/alert-channels.ts";
import { AppError } from "#domain/app-error.ts";
import { refuseLargeBody, restBounds } from "../../http/budgets/json-bounds.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { parsePart } from "../../http/validation.ts";
import { channelTexts as texts } from "../../texts/channels.ts";
import type { Ask } from "../ask.ts";
import { hasProblem } from "../form-view.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { channelFields } from "./channel-fields.ts";
import { draftOf, emptyDraft, typedDraft, writtenChannel } from "./channel-form.ts";
import { channelFormPage } from "./channel-form-page.ts";
import { allChannels, type ChannelRead, channelName } from "./channel-words.ts";
import { channelsPage } from "./channels-page.ts";

const access = "write";

/** Where alerts go. */
export function channelPages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/channels", access: "read", answer: (visit) => list(ask, visit, { done: visit.request.query.get("done") }) },
    { method: "GET", path: "/channels/new", access, answer: async (visit) => blank(visit) },
    { method: "POST", path: "/channels", access, answer: (visit) => create(ask, visit) },
    { method: "GET", path: "/channels/{id}", access, answer: (visit) => show(ask, visit) },
    { method: "POST", path: "/channels/{id}", access, answer: (visit) => change(ask, visit) },
    { method: "POST", path: "/channels/{id}/test", access, answer: (visit) => test(ask, visit) },
    { method: "POST", path: "/channels/{id}/delete", access, answer: (visit) => remove(ask, visit) },
  ];
}

async function list(ask: Ask, visit: Visit, view: Omit<Parameters<typeof channelsPage>[1], "channels">): Promise<FormAnswer> {
  return channelsPage(visit, { channels: await allChannels(ask, visit), ...view });
}

function blank(visit: Visit): FormAnswer {
  return channelFormPage(visit, { draft: emptyDraft(typeOf(visit.request.query)), channel: null });
}

async function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const type = typeOf(visit.request.form);
  return written(visit, type, null, async (body) => {
    await ask(visit, createAlertChannel, { body });
    return redirect("/channels?done=created");
  });
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const channel = await find(ask, visit);
  return channelFormPage(visit, { draft: draftOf(channel), channel: named(channel) });
}

async function change(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const channel = await find(ask, visit);
  return written(visit, channel.type, channel, async (body) => {
    await ask(visit, updateAlertChannel, { params: { id: String(channel.id) }, body });
    return redirect("/channels?done=changed");
  });
}

/** What `write` answers; the form once more, with what was typed, where it refuses that. */
async function written(
  visit: Visit,
  type: AlertChannelType,
  before: ChannelRead | null,
  write: (body: object) => Promise<FormAnswer>,
): Promise<FormAnswer> {
  const { form } = visit.request;
  const { body, problems } = writtenChannel(type, form, before);
  refuseLargeBody(body, restBounds);
  const again = (found: typeof problems): FormAnswer =>
    channelFormPage(visit, {
      draft: typedDraft(type, form, before),
      channel: before && named(before),
      problems: found,
      status: 400,
    });
  const names = [...channelFields[type].map(({ name }) => `config.${name}`), "sslExpiryThreshold"];
  try {
    // What is wrong is told at once, the lines and all else.
    if (hasProblem(problems)) parsePart(AlertChannelWrite, body);
    return hasProblem(problems) ? again(problems) : await write(body);
  } catch (error) {
    return again({ ...refusedFields(error, names), ...problems });
  }
}

async function test(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const channel = await find(ask, visit);
  const answer = await ask(visit, testAlertChannel, { params: { id: String(channel.id) } });
  return list(ask, visit, { tested: { channel, answer } });
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { id } = await find(ask, visit);
  await ask(visit, deleteAlertChannel, { params: { id: String(id) } });
  return redirect("/channels?done=deleted");
}

/** @throws {AppError} not_found also for what is no id, and for channels of other accounts */
async function find(ask: Ask, visit: Visit): Promise<ChannelRead> {
  const id = visit.request.params["id"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", texts.missing);
  return ask(visit, getAlertChannel, { params: { id } });
}

function named(channel: ChannelRead): { readonly id: number; readonly name: string } {
  return { id: channel.id, name: channelName(channel) };
}

/** @throws {AppError} invalid_input for what no page of ours asks for */
function typeOf(from: URLSearchParams): AlertChannelType {
  const type = AlertChannelType.options.find((one) => one === from.get("type"));
  if (type === undefined) throw new AppError("invalid_input", `"type" must be one of ${AlertChannelType.options.join(", ")}.`);
  return type;
}
