import type { AnnouncedWindow } from "#domain/maintenance-news.ts";

/** What is stored of a window; open where status pages show it. */
export type StoredWindow = AnnouncedWindow;

export const windowKind = "maintenance-window";
