/** What a browser would send of the form of a check where nobody touched it. */
export function formFields(page: string): Readonly<Record<string, readonly string[]>> {
  const form = /<form [^>]*class="(?:edit|form)">([\s\S]*?)<\/form>/.exec(page)?.[1] ?? "";
  const found = [...form.matchAll(/<input ([^>]*)>|<textarea ([^>]*)>\n?([\s\S]*?)<\/textarea>|<select ([^>]*)>([\s\S]*?)<\/select>/g)];
  const sent = found.flatMap(([, input, area, text = "", select, options = ""]): readonly [string, string][] => {
    const attributes = input ?? area ?? select ?? "";
    const name = attribute(attributes, "name");
    if (area !== undefined) return [[name, plain(text).replaceAll(/\r\n?|\n/g, "\r\n")]];
    if (select !== undefined) return [[name, chosenOf(options)]];
    const isOff = /type="checkbox"/.test(attributes) && !/ checked/.test(attributes);
    return isOff
      ? []
      : [
          [
            name,
            /type="checkbox"/.test(attributes) && !/value=/.test(attributes)
              ? "on"
              : attribute(attributes, "value").replaceAll(/[\r\n]/g, ""),
          ],
        ];
  });
  const fields = Map.groupBy(sent, ([name]) => name);
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.map(([, value]) => value)]));
}

function chosenOf(options: string): string {
  const all = [...options.matchAll(/<option([^>]*)>([^<]*)/g)];
  const [, attributes = "", text = ""] = all.find(([, of = ""]) => of.includes(" selected")) ?? all[0] ?? [];
  return attributes.includes("value=") ? attribute(attributes, "value") : plain(text);
}

function attribute(attributes: string, name: string): string {
  return plain(new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

function plain(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}
