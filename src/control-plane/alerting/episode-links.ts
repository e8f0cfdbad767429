import { timingSafeEqual } from "node:crypto";

/*
 * Links in messages by which who got one acknowledges or snoozes an episode without signing in. Each is for one episode and one channel,
 * and keyed with the installation's pepper, so nobody else makes one.
 */

export interface EpisodeLink {
  readonly accountId: number;
  readonly episodeId: number;
  /** Whose message it stands in. */
  readonly channelId: number;
  readonly expiresAtMs: number;
}

export interface EpisodeLinkDeps {
  readonly hashOf: (text: string) => string;
  readonly publicUrl: () => string;
}

/** A message is looked at for some days; after them the console is the way. */
export const linkForMs = 7 * 86_400_000;

/** Of the page that asks once more: programs open links to look at them, too. */
export function episodeLink({ hashOf, publicUrl }: EpisodeLinkDeps, link: EpisodeLink): string {
  return `${publicUrl().replace(/\/+$/, "")}/alerts/respond/${partsOf(link).join(".")}.${proof(hashOf, link)}`;
}

/** What a token of such a link is for; undefined where we did not make it, or it is too old. */
export function episodeLinkOf(hashOf: EpisodeLinkDeps["hashOf"], token: string, nowMs: number): EpisodeLink | undefined {
  const [, account = "", episode = "", channel = "", seconds = "", given = ""] =
    /^([1-9]\d{0,14})\.([1-9]\d{0,14})\.([1-9]\d{0,14})\.([1-9]\d{0,10})\.([0-9a-f]{64})$/.exec(token) ?? [];
  const link = { accountId: Number(account), episodeId: Number(episode), channelId: Number(channel), expiresAtMs: Number(seconds) * 1_000 };
  const expected = proof(hashOf, link);
  const isOurs = given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  return isOurs && link.expiresAtMs > nowMs ? link : undefined;
}

function partsOf({ accountId, episodeId, channelId, expiresAtMs }: EpisodeLink): readonly number[] {
  return [accountId, episodeId, channelId, Math.ceil(expiresAtMs / 1_000)];
}

function proof(hashOf: EpisodeLinkDeps["hashOf"], link: EpisodeLink): string {
  return hashOf(`respond episode ${partsOf(link).join(" ")}`);
}
