import { posix } from "node:path";

/** Pages of docs/architecture/rooms by name, as text. */
export type RoomPages = Readonly<Record<string, string>>;

const heading = /^## `([^`]+)`$/;
/** A file, or a folder with its slash, as pages name them. */
const named = /`([\w./-]+(?:\.(?:c?ts|md)|\/))`/g;

/**
 * One sentence for each room without a section, with two, or that does not exist; for each page without a way of one thing, and for each file
 * that a page names and that is not there.
 *
 * @param exists whether a path below the repository is there
 */
export function roomProblems(pages: RoomPages, rooms: readonly string[], exists: (path: string) => boolean): string[] {
  const told = Object.values(pages).flatMap((text) => text.split("\n").flatMap((line) => heading.exec(line)?.[1] ?? []));
  return [
    ...rooms.filter((room) => !told.includes(room)).map((room) => `src/${room} has no section in docs/architecture/rooms`),
    ...told.filter((room, index) => told.indexOf(room) < index).map((room) => `${room} has two sections`),
    ...told.filter((room) => !rooms.includes(room)).map((room) => `${room} is no room of src/`),
    ...Object.entries(pages).flatMap(([page, text]) => [
      ...(/^1\. /m.test(text) ? [] : [`${page} has no way of one thing through its rooms`]),
      ...missingFiles(text, exists).map((file) => `${page} names ${file}, which is not there`),
    ]),
  ];
}

/** A section of a room names files as seen from the room; the others, from its process or from src/. */
function missingFiles(text: string, exists: (path: string) => boolean): string[] {
  const process = /^## `(agent|control-plane)\//m.exec(text)?.[1] ?? "";
  return text.split(/^(?=## )/m).flatMap((section) => {
    const room = heading.exec(section.split("\n")[0] ?? "")?.[1] ?? process;
    const from = [`src/${room}`, `src/${process}`, "src", "."];
    const files = [...section.matchAll(named)].map(([, file = ""]) => file);
    return files.filter((file) => !from.some((folder) => exists(posix.join(folder, file))));
  });
}
