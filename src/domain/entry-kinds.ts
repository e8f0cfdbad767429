const kinds: Readonly<Record<string, string>> = {
  File: "file",
  OldFile: "file",
  ContiguousFile: "file",
  Directory: "folder",
  GNUDumpDir: "folder",
  SymbolicLink: "link",
  Link: "hard link",
  CharacterDevice: "device",
  BlockDevice: "device",
  FIFO: "pipe",
};

/** What an entry of a tar is, in plain words. @param type as the `tar` package names it */
export function entryKind(type: string): string {
  return kinds[type] ?? type;
}
