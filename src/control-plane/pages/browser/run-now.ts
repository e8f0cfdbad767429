import { ask } from "./ask.ts";
import { type Listeners, type LiveStream, listen, withQuery } from "./live-stream.ts";
import { elementOf, morph } from "./morph.ts";

interface RunEvent {
  readonly html: string;
}

interface Started extends RunEvent {
  readonly run: string;
}

/** Listens for the run that the page names, and whatever else. @param addressOf what to ask for now @returns what listens for another run from then on */
export function listenToRun(more: Listeners = {}, addressOf?: (address: string) => string): (id: string) => void {
  const bar = document.querySelector<HTMLElement>("#live");
  if (bar === null) return () => undefined;
  const address = bar.dataset["address"] ?? "";
  const withRun = (id: string): string => withQuery(address, "run", id);
  const named = document.querySelector<HTMLElement>("#run")?.dataset["run"];
  if (named !== undefined) bar.dataset["address"] = withRun(named);
  const stream: LiveStream = listen(bar, { ...more, run: placeRun }, addressOf);
  return (id) => stream.move(withRun(id));
}

/** What came of a run so far, beside the button that started it. */
function placeRun({ html }: RunEvent): void {
  const place = document.querySelector("#run");
  const [box, fresh] = [place?.firstElementChild ?? null, elementOf(html)];
  if (place === null || fresh === null) return;
  fresh.querySelector(".again")?.remove();
  if (box === null) place.append(fresh);
  else morph(box, fresh);
}

/** `Run now` without leaving the page. What goes wrong there is told by the page that the form leads to. */
export function runsNow(onStarted: (id: string) => void): void {
  const form = document.querySelector<HTMLFormElement>("form.run-now");
  const button = form?.querySelector("button");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (button) button.disabled = true;
    void start(form, onStarted).finally(() => {
      if (button) button.disabled = false;
    });
  });
}

async function start(form: HTMLFormElement, onStarted: (id: string) => void): Promise<void> {
  const body = new URLSearchParams([...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
  const answer = await ask<Started>(form.action, { method: "POST", body, headers: { accept: "application/json" } });
  if (answer === undefined) return form.submit();
  placeRun(answer);
  onStarted(answer.run);
}
