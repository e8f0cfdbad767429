interface SharedFile {
  readonly path: string;
  readonly content: string;
}

const dependencyLists = ["dependencies", "setupScriptDependencies", "tearDownScriptDependencies"] as const;

/** The body of a check of code: files stand in it whole, or as numbers of files that several checks share. */
export function withSharedFiles(
  body: Readonly<Record<string, unknown>>,
  sharedFiles: readonly SharedFile[],
): Readonly<Record<string, unknown>> {
  const lists = dependencyLists.flatMap((name) => {
    const given = body[name];
    return Array.isArray(given) ? [[name, given.map((one: unknown) => (typeof one === "number" ? sharedFiles[one] : one))] as const] : [];
  });
  return { ...body, ...Object.fromEntries(lists) };
}
