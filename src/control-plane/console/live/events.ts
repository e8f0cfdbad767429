/** One server-sent event. JSON has no line breaks of its own, so it is a single line of data. */
export function liveEvent(name: string, content: unknown): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(content)}\n\n`);
}
