/** A card of a status page, as its form has it. */
export interface CardDraft {
  /** Empty: it is new. */
  readonly id: string;
  readonly name: string;
  /** In the order of the page. */
  readonly serviceIds: readonly string[];
}

/** More than the contract takes, so that it is the operation that refuses too many. */
const maxCards = 200;

/** The cards of a form. A service that was chosen is on its card, whichever button was pressed. */
export function cardsOf(form: URLSearchParams): readonly CardDraft[] {
  const count = Array.from({ length: maxCards }, (_, index) => index).findIndex((index) => !form.has(`cards[${index}].name`));
  return Array.from({ length: count === -1 ? maxCards : count }, (_, index) => {
    const given = (name: string): readonly string[] => form.getAll(`cards[${index}].${name}`).map((value) => value.trim());
    const serviceIds = [...given("services"), ...given("another").filter((id) => id !== "")];
    return { id: given("id")[0] ?? "", name: given("name")[0] ?? "", serviceIds };
  });
}

/** What a button of the cards does before anything is saved. */
export type CardStep = "addCard" | "addService" | "up" | "down" | "remove";

/** What such a button sends; without a place in a card it is about the card. */
export function stepText(step: CardStep, card?: number, service?: number): string {
  return [step, card, service].filter((part) => part !== undefined).join(" ");
}

/** The cards after a button; as they are after one that nobody has. */
export function afterStep(cards: readonly CardDraft[], text: string): readonly CardDraft[] {
  const [step = "", ...places] = text.split(" ");
  const [card = -1, service] = places.map(Number);
  if (step === "addCard") return [...cards, { id: "", name: "", serviceIds: [] }];
  if (service === undefined) return changed(cards, step, card);
  return cards.map((one, index) => (index === card ? { ...one, serviceIds: changed(one.serviceIds, step, service) } : one));
}

function changed<One>(all: readonly One[], step: string, place: number): readonly One[] {
  if (step === "remove") return all.filter((_, index) => index !== place);
  const to = { up: place - 1, down: place + 1 }[step] ?? place;
  const [one, other] = [all[place], all[to]];
  return one === undefined || other === undefined ? all : all.with(place, other).with(to, one);
}
