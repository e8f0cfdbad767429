/**
 * A command line that makes a check over REST. What users wrote stands between single quotes, in which a shell reads nothing; the key comes from the
 * environment, so that it stays out of the shell's history.
 */
export function curlLine(baseUrl: string, json: string): string {
  return `curl -sS ${quoted(`${baseUrl}/v1/checks?autoAssignAlerts=false`)} \\
  -H "Authorization: Bearer $OUTPOST_API_KEY" \\
  -H 'content-type: application/json' \\
  --data-raw ${quoted(visible(json))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Letters that are not seen, or turn the direction of those around them, as JSON can write them too. */
function visible(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (letter) => {
    const code = letter.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
}
