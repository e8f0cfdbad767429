/** Lets `3 min ago` go on while the page is open, in the words that an element has for it. */
export function tickAgo({ dataset: { justNow = "", ago = "" } }: HTMLElement): void {
  const textOf = (ms: number): string => (ms < 1_000 ? justNow : ago.replace("#", lengthText(ms)));
  tellAll(textOf);
  setInterval(tellAll, 1_000, textOf);
}

function tellAll(textOf: (ms: number) => string): void {
  if (document.hidden) return;
  const now = Date.now();
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-shows="ago"]')) {
    const text = textOf(now - Date.parse(element.dateTime));
    if (element.textContent !== text) element.textContent = text;
  }
}

/** In the two largest units, as pages tell lengths; below a minute in seconds. */
function lengthText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;
  return `${rest} min`;
}
