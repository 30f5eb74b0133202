/** What a proxied path names: `web`, `web:80`, `https:web:8443`. */
export interface ProxiedName {
  readonly scheme: "" | "http" | "https";
  readonly name: string;
  /** A number or a name; empty: the first. */
  readonly port: string;
}

/** Reads the name of a proxied path; undefined when it cannot be one. */
export function parseProxiedName(text: string): ProxiedName | undefined {
  const parts = text.split(":");
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 1) return { scheme: "", name: first, port: "" };
  if (parts.length === 2) return { scheme: "", name: first, port: second };
  if (parts.length > 3 || (first !== "" && first !== "http" && first !== "https")) return undefined;
  return { scheme: first, name: second, port: third };
}
