import { httpServer } from "../../test/support/http-servers/http-server.ts";

/** Names end with the number of their check; one message may tell of several alerts. */
const sentence = /bench (\d+) has (?:failed|recovered)/g;
/** A list names fifty. */
const unnamed = /and (\d+) more/;

/** Receives what a webhook tells, and may be away. */
export async function alertReceiver() {
  const told = new Map<string, { readonly named: readonly number[]; readonly unnamed: number }>();
  let [received, refused] = [0, 0];
  const state = { isAway: false };
  const server = await httpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (state.isAway) {
        refused += 1;
        return void response.writeHead(503).end();
      }
      received += 1;
      const id = String(request.headers["x-service-delivery-id"]);
      const text = Buffer.concat(chunks).toString();
      told.set(id, {
        named: Array.from(text.matchAll(sentence), ([, number]) => Number(number)),
        unnamed: Number(unnamed.exec(text)?.[1] ?? 0),
      });
      response.end("ok");
    });
  });
  return {
    ...server,
    get isAway() {
      return state.isAway;
    },
    set isAway(isAway: boolean) {
      state.isAway = isAway;
    },
    /** How often each check was told of by name: a message that came twice under its id counts once. */
    timesTold: () =>
      Map.groupBy(
        [...told.values()].flatMap(({ named }) => named),
        (number) => number,
      ),
    /** What lists only counted, of whichever checks. */
    timesUnnamed: () => [...told.values()].reduce((sum, list) => sum + list.unnamed, 0),
    counts: () => ({ received, refused, messages: told.size }),
  };
}
export type AlertReceiver = Awaited<ReturnType<typeof alertReceiver>>;
