import { realClock } from "@kedge/machinery";
import { withConnections, type Connection } from "./connections.ts";
import { loadOf } from "./load.ts";
import type { Figures, Part } from "./part.ts";
import type { ServerProcess } from "../server-process.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const wides = "/apis/bench.example/v1/namespaces/default/wides";
const fields = 300;

/** A kind with 300 fields and 20 rules. */
function definition(): string {
  const field = (index: number) =>
    index % 3 === 0
      ? { type: "integer", minimum: 0, maximum: 1_000_000 }
      : { type: "string", maxLength: 64, ...(index % 3 === 1 && { pattern: "^[a-z0-9-]*$" }) };
  const properties = Object.fromEntries(
    Array.from({ length: fields }, (_, index) => [`field${index}`, field(index)]),
  );
  const rules = Array.from({ length: 20 }, (_, index) => ({
    rule:
      index % 2 === 0
        ? `!has(self.field${3 * index}) || self.field${3 * index} <= ${1000 + index}`
        : `!has(self.field${3 * index + 1}) || self.field${3 * index + 1}.startsWith('a')`,
    message: `rule ${index}`,
  }));
  const spec = { type: "object", properties, "x-kubernetes-validations": rules };
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "wides.bench.example" },
    spec: {
      group: "bench.example",
      scope: "Namespaced",
      names: { plural: "wides", singular: "wide", kind: "Wide", listKind: "WideList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  });
}

function wide(name: string): string {
  const spec = Object.fromEntries(
    Array.from({ length: fields }, (_, index) => [`field${index}`, index % 3 === 0 ? index : `a-${index}`]),
  );
  return JSON.stringify({ apiVersion: "bench.example/v1", kind: "Wide", metadata: { name }, spec });
}

/** Creates of objects of that kind. */
export function customObjects(clients: number): Part["run"] {
  const count = clients === 1 ? 300 : 1500;
  return async (server: ServerProcess): Promise<Figures> => {
    await withConnections(server.access, 1, async ([connection]) => {
      if (connection !== undefined) await define(connection);
    });
    return await loadOf(server, {
      title: `create, ${fields} fields, 20 rules, ${clients} ${clients === 1 ? "client" : "clients"}`,
      clients,
      count,
      send: (connection, index) => connection.send("POST", wides, wide(`w${clients}-${index}`)),
    });
  };
}

/** Until the kind is served: its first answers may still be that it is not there. */
async function define(connection: Connection): Promise<void> {
  await connection.send("POST", definitions, definition()).catch(() => undefined);
  for (let tries = 0; tries < 600; tries++) {
    const served = await connection.send("GET", wides).catch(() => undefined);
    if (served !== undefined) return;
    await realClock.sleep(50);
  }
  throw new Error("the server does not serve the kind that it was given");
}
