import { elementOf, morph } from "./morph.ts";

export interface RunEvent {
  readonly html: string;
}

/** What came of a run so far, beside the button that started it. */
export function placeRun({ html }: RunEvent): void {
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
  const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } }).catch(() => undefined);
  if (answer?.ok !== true) return form.submit();
  const { run, html } = (await answer.json()) as RunEvent & { readonly run: string };
  placeRun({ html });
  onStarted(run);
}
