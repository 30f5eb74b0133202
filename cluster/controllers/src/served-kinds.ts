import type { Client, ServedKind } from "@kedge/client";

/** Kinds that are left alone: events go by themselves, and owning or owned they never are. */
const ignored = new Set(["/Event", "events.k8s.io/Event"]);

/** What the server serves now and lets us list, watch and delete: each kind once, in the server's preferred version. */
export async function servedKinds(client: Client): Promise<readonly ServedKind[]> {
  // Asking again is cheap: the server says that nothing changed.
  client.discovery.forget();
  const found = new Map<string, ServedKind>();
  for (const { kinds } of await client.discovery.served()) {
    for (const kind of kinds) {
      const name = `${kind.group}/${kind.kind}`;
      const usable = ["delete", "list", "watch"].every((verb) => kind.verbs.includes(verb));
      if (usable && !ignored.has(name) && !found.has(name)) found.set(name, kind);
    }
  }
  return [...found.values()];
}

/** Those of them that live in namespaces, and can be deleted all at once. */
export async function namespacedKinds(client: Client): Promise<readonly ServedKind[]> {
  const kinds = await servedKinds(client);
  return kinds.filter(({ scope, verbs }) => scope === "Namespaced" && verbs.includes("deletecollection"));
}

/** The kind of that name. Asks anew when it is not known: nothing would make us look again when its definition comes. */
export async function servedKind(
  client: Client,
  wanted: Parameters<Client["discovery"]["kind"]>[0],
): Promise<ServedKind | undefined> {
  const find = () => client.discovery.kind(wanted).catch(() => undefined);
  const known = await find();
  if (known !== undefined) return known;
  client.discovery.forget();
  return await find();
}
