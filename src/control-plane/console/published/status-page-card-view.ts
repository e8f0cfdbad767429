import type { StatusPageService } from "#contract/status-pages/services.ts";
import { actionTexts } from "../../texts/actions.ts";
import { publishedTexts } from "../../texts/published.ts";
import { statusPageFormTexts as texts } from "../../texts/status-page-form.ts";
import { type Html, html } from "../../view/html.ts";
import { type FormProblems, field, hidden, select } from "../form-view.ts";
import { type CardDraft, type CardStep, stepText } from "./status-page-cards.ts";

/** What of the form leads back to it. */
interface CardsView {
  readonly cards: readonly CardDraft[];
  readonly services: readonly StatusPageService[];
  /** Where the form is sent. */
  readonly path: string;
  readonly problems: FormProblems;
}

/** The cards with their services; whatever a button does to them is shown, and not saved yet. */
export function cardSection(view: CardsView): Html {
  const { cards, services, path, problems } = view;
  const pages = html`<a href="/pages#services">${publishedTexts.title}</a>`;
  return html`<section id="cards"><h2>${texts.cards}</h2><p class="hint">${texts.aboutCards}</p>
${problems["cards"] !== undefined && html`<p class="problem" role="alert">${problems["cards"]}</p>`}
${services.length === 0 && html`<p class="box">${texts.noServices(pages)}</p>`}
${cards.length === 0 && services.length > 0 && html`<p class="box">${texts.noCards}</p>`}
${cards.map((card, index) => cardView(view, card, index))}
${stepButton(path, stepText("addCard"), texts.addCard, "", cards.length)}</section>`;
}

function cardView({ cards, services, path, problems }: CardsView, card: CardDraft, index: number): Html {
  const { id, name, serviceIds } = card;
  const named = (part: string): string => `cards[${index}].${part}`;
  const wrong = problems[named("services")];
  const called = texts.card(index + 1);
  const others = services.filter((one) => !serviceIds.includes(one.id)).map((one) => [one.id, one.name] as const);
  const step = (what: CardStep, label: string): Html => stepButton(path, stepText(what, index), label, called, placeAfter(what, index));
  return html`<fieldset class="piece" id="card-${index}"><legend>${called}</legend>
${id !== "" && hidden(named("id"), id)}
${field({ name: named("name"), label: texts.cardName, value: name, autocomplete: "off", maxLength: 255, problems })}
${wrong !== undefined && html`<p class="problem" role="alert">${wrong}</p>`}
${
  serviceIds.length === 0
    ? html`<p class="hint">${texts.noServicesOnCard}</p>`
    : html`<ol class="placed">${serviceIds.map((serviceId, place) => serviceRow({ path, index, place, count: serviceIds.length }, serviceId, services))}</ol>`
}
${
  others.length > 0 &&
  html`<div class="one">${select({ name: named("another"), label: texts.anotherService, value: "", options: [["", texts.choose], ...others] })}
${stepButton(path, stepText("addService", index), actionTexts.add, called, index)}</div>`
}
<div class="steps">${index > 0 && step("up", texts.cardUp)}${index < cards.length - 1 && step("down", texts.cardDown)}${step("remove", texts.removeCard)}</div></fieldset>`;
}

/** Where the card is that a button moved. */
function placeAfter(step: CardStep, index: number): number {
  return { up: index - 1, down: index + 1 }[step as string] ?? index;
}

interface Place {
  readonly path: string;
  /** Of the card. */
  readonly index: number;
  readonly place: number;
  readonly count: number;
}

function serviceRow({ path, index, place, count }: Place, id: string, services: readonly StatusPageService[]): Html {
  const name = services.find((one) => one.id === id)?.name ?? texts.goneService;
  const step = (what: CardStep, label: string): Html => stepButton(path, stepText(what, index, place), label, name, index);
  return html`<li><span class="name">${name}</span>${hidden(`cards[${index}].services`, id)}
<span class="steps">${place > 0 && step("up", texts.up)}${place < count - 1 && step("down", texts.down)}${step("remove", actionTexts.remove)}</span></li>`;
}

/** Sends all that was typed, and comes back to a card with it. @param about for readers of the screen */
function stepButton(path: string, step: string, label: string, about: string, card: number): Html {
  return html`<button class="quiet" name="step" value="${step}" formaction="${path}#card-${card}" formnovalidate>${label}${about !== "" && html`<span class="hidden"> ${about}</span>`}</button>`;
}
