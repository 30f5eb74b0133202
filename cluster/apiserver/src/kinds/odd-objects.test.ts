import type { TypeSchema } from "@kedge/machinery";
import { expect, test } from "vitest";
import { startServer } from "../testing/start-server.ts";

const own: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** An object with every list and object that its type has, and nothing in them; or null wherever something could be. */
function odd(schema: TypeSchema | undefined, how: "empty" | "null", depth = 0): unknown {
  if (schema === undefined || depth > 8) return undefined;
  const { list, map } = schema;
  if (list !== undefined) {
    if (how === "null") return depth > 1 ? null : [];
    const empty = list.item.scalar === "string" ? "" : list.item.scalar === "numeric" ? 0 : {};
    return [odd(list.item, how, depth + 1) ?? empty];
  }
  if (map === undefined) return how === "null" ? null : undefined;
  const names = map.fieldNames.filter((name) => depth > 0 || !own.has(name));
  const fields = names.map((name) => [name, odd(map.field(name)?.type, how, depth + 1)] as const);
  return how === "null" && depth === 3 ? null : Object.fromEntries(fields);
}

test("no kind fails at an object that is empty, or full of nulls: it is refused or stored", async () => {
  await using server = await startServer();
  // Pods wait for the account of their namespace.
  await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const failed: string[] = [];
  // Errors of bindings are answered as they are, by Kubernetes too.
  const kinds = server.api.registry
    .all()
    .filter(({ verbs, kind }) => verbs.includes("create") && kind !== "Binding");
  for (const { group, version, plural, scope, schema } of kinds) {
    const base = group === "" ? "/api/v1" : `/apis/${group}/${version}`;
    const path = `${base}${scope === "Namespaced" ? "/namespaces/default" : ""}/${plural}`;
    for (const body of [{}, odd(schema, "empty"), odd(schema, "null")]) {
      const metadata = { name: `odd-${plural}` };
      const { status, body: answer } = await server.ask("POST", path, { ...Object(body), metadata });
      if (status >= 500) failed.push(`${path}: ${answer.message ?? ""}`);
    }
  }
  expect(failed).toEqual([]);
});
