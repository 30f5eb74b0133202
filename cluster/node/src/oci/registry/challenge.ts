/** What a registry asks for in `WWW-Authenticate`. */
export type Challenge =
  | { readonly scheme: "basic" }
  | { readonly scheme: "bearer"; readonly realm: string; readonly service: string; readonly scope: string };

/** Longer headers no registry sends. */
const longest = 4096;

/** Reads `Bearer realm="https://…",service="…",scope="…"` or `Basic realm="…"`; the first one that is known counts. */
export function readChallenge(header: string): Challenge | undefined {
  const text = header.slice(0, longest);
  const bearer = /(?:^|,\s*)bearer\s+(.*)$/isu.exec(text)?.[1];
  if (bearer !== undefined) {
    const fields = new Map<string, string>();
    for (const [, key = "", quoted, bare] of bearer.matchAll(/([a-z_]+)=(?:"([^"]*)"|([^\s",]+))/giu)) {
      if (!fields.has(key.toLowerCase())) fields.set(key.toLowerCase(), quoted ?? bare ?? "");
    }
    const realm = fields.get("realm") ?? "";
    if (realm !== "") {
      return {
        scheme: "bearer",
        realm,
        service: fields.get("service") ?? "",
        scope: fields.get("scope") ?? "",
      };
    }
  }
  return /(?:^|,\s*)basic(?:\s|$)/iu.test(text) ? { scheme: "basic" } : undefined;
}
