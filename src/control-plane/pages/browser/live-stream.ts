/** What a page hears, by the name of the event. */
export type Listeners = Readonly<Record<string, (content: never) => void>>;

export interface LiveStream {
  /** Hears from another address from now on. */
  readonly move: (address: string) => void;
}

/** How long until it is tried again where the server refused: longer each time. */
const pausesMs = [5_000, 15_000, 60_000];

/**
 * Listens to the address that the page's `#live` names, and says there whether it does. While nobody sees the page it is silent; who comes back
 * hears at once what changed meanwhile.
 *
 * @param addressOf what to ask for now, by the address
 */
export function listen(bar: HTMLElement, listeners: Listeners, addressOf = (address: string): string => address): LiveStream {
  let address = bar.dataset["address"] ?? "";
  let source: EventSource | undefined;
  let refused = 0;
  let timer = 0;

  function open(): void {
    close();
    if (document.hidden) return;
    source = new EventSource(addressOf(address));
    source.addEventListener("open", () => {
      refused = 0;
      mark(bar, "live");
    });
    source.addEventListener("error", onError);
    for (const [name, listener] of Object.entries(listeners)) {
      source.addEventListener(name, (event) => listener(JSON.parse((event as MessageEvent<string>).data) as never)); // as the server wrote it
    }
  }

  /** A lost connection the browser makes anew; a refused one it gives up. */
  function onError(): void {
    mark(bar, "waiting");
    if (source?.readyState !== EventSource.CLOSED) return;
    const pauseMs = pausesMs[Math.min(refused, pausesMs.length - 1)] ?? 0;
    refused += 1;
    if (refused > 1) mark(bar, "off");
    timer = setTimeout(open, pauseMs);
  }

  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  open();
  return {
    move(to) {
      address = to;
      open();
    },
  };
}

/** The address with this to say, too. */
export function withQuery(address: string, name: string, value: string): string {
  const url = new URL(address, location.href);
  url.searchParams.set(name, value);
  return url.href;
}

function mark(bar: HTMLElement, is: "live" | "waiting" | "off"): void {
  const place = bar.querySelector<HTMLElement>(".mark");
  if (place === null || place.dataset["is"] === is) return;
  place.dataset["is"] = is;
  place.textContent = bar.dataset[is] ?? "";
}
