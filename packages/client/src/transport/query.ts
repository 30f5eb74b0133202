/** Values of a query; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Appends a query to a path. */
export function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value === "object") for (const each of value) parameters.append(name, each);
    else parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}
