/** For how many hours a check can be muted, so that it ends by itself. */
export const muteHours = [1, 8, 24] as const;
export type MuteHours = (typeof muteHours)[number];

export interface Muted {
  readonly muted: boolean;
  readonly mutedUntilMs: number | null;
}

/** Whether nobody is alerted now, and until when: `always` until somebody unmutes it, null: it is not muted. */
export function mutedNow({ muted, mutedUntilMs }: Muted, nowMs: number): "always" | number | null {
  if (muted) return "always";
  return mutedUntilMs !== null && mutedUntilMs > nowMs ? mutedUntilMs : null;
}

/** Undefined for what is no choice. */
export function muteHoursOf(text: string | null): MuteHours | undefined {
  return muteHours.find((hours) => String(hours) === text);
}
