import type { Client } from "@kedge/client";
import type { AnyObject } from "./situation.ts";

/** Reads `pod/web-0`, or `pod web-0`, as kubectl takes them. */
export function parseTarget(words: readonly string[]): { readonly kind: string; readonly name: string } {
  if (words.length > 1 && words.some((word) => word.includes("/")))
    throw new Error(
      `one object at a time: \`kedge why ${words[0] ?? ""}\`, then \`kedge why ${words[1] ?? ""}\``,
    );
  const [kind, name, ...more] = words.length === 1 ? (words[0] ?? "").split("/") : words;
  if (kind === undefined || kind === "" || name === undefined || name === "" || more.length > 0)
    throw new Error(
      `what is \`${words.join(" ")}\`? Say a kind and a name, for example: kedge why redisinstance/sample`,
    );
  return { kind, name };
}

/** Gets the object that is asked about. */
export async function getTarget(
  client: Client,
  { kind, name }: { readonly kind: string; readonly name: string },
  namespace: string,
): Promise<AnyObject> {
  const served = await client.discovery.kindNamed(kind);
  const key = served.scope === "Namespaced" ? { namespace, name } : { name };
  return await client.of(served).get(key);
}
