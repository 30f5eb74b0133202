/** The path of a proxied request, in two: what names the object, and what is asked of it. */
export interface ProxiedPath {
  /** Up to `proxy`, without a slash at its end. */
  readonly prefix: string;
  /** Empty, or with a slash at its beginning. */
  readonly below: string;
}

/**
 * Cuts a path behind the part `proxy` that follows the name: by counting, for namespaces, names and what is below may
 * be called `proxy`, too.
 */
export function cutProxiedPath(path: string): ProxiedPath {
  const parts = path.split("/");
  const first = parts.findIndex((part) => part !== "");
  // api/v1/namespaces/<namespace>/pods/<name>/proxy, or api/v1/nodes/<name>/proxy
  const count = parts[first + 2] === "namespaces" ? 7 : 5;
  const prefix = parts.slice(0, first + count).join("/");
  return { prefix, below: path.slice(prefix.length) };
}
