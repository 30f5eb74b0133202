import { changesBetween, type Changes } from "../changes.ts";
import { strategicPatch, withLists } from "../generate/strategic-patch.ts";
import type { Random, TypeSchema } from "@kedge/machinery";
import { builtinTable, tableSchemas } from "@kedge/machinery/schema-table";
import { objectAt, without, type JsonObject } from "../json.ts";
import { mustWork } from "../server.ts";
import { refusalOf, type Refusal, type Stage } from "../topic.ts";
import { asBuiltin } from "../typed.ts";
import type { StrategicObject } from "./strategic-object.ts";
import { strategicObjects } from "./strategic-objects.ts";

/** The name of an object that patches are for. */
export type StrategicName = keyof typeof strategicObjects;

/** All of them. */
export const strategicNames = Object.keys(strategicObjects) as StrategicName[];

/** The objects as the server has them, all defaults set. */
export type StrategicFixtures = Readonly<Record<StrategicName, JsonObject>>;

/** What a patch changed, or why it was refused. */
export type StrategicReply = { readonly changes: Changes } | Refusal;

/** Any patch of an object. */
export function anyStrategicPatch(random: Random, of: StrategicName): JsonObject {
  return withLists(strategicPatch(random, strategicObjects[of].sites)) as JsonObject;
}

/** Creates the objects. */
export async function prepareStrategicObjects({ server, namespace }: Stage): Promise<StrategicFixtures> {
  const made = strategicNames.map(async (of) => {
    const { object, path } = strategicObjects[of];
    // Nodes and webhooks are there already when another topic was here before.
    await server.ask({ method: "POST", path: path.replace("NAMESPACE", namespace), body: object });
    const written = {
      method: "PATCH",
      path: pathOf(strategicObjects[of], namespace),
      type: "merge-patch+json",
      body: { status: object["status"] },
    } as const;
    return [of, masked(await mustWork(server.ask(written)))];
  });
  return Object.fromEntries(await Promise.all(made)) as StrategicFixtures;
}

/** Patches an object without keeping the result. Undefined when the result was not valid: it is not shown then. */
export async function askForStrategicPatch(
  { server, namespace }: Stage,
  { of, patch }: { readonly of: StrategicName; readonly patch: JsonObject },
  fixtures: StrategicFixtures,
): Promise<StrategicReply | undefined> {
  const { status, body } = await server.ask({
    method: "PATCH",
    path: pathOf(strategicObjects[of], namespace),
    query: { dryRun: "All", fieldValidation: "Ignore" },
    type: "strategic-merge-patch+json",
    body: patch,
  });
  if (status < 300) return { changes: changesBetween(fixtures[of], masked(body)) };
  const isNamed = objectAt(body, "details")["name"] !== undefined;
  const isOfAnotherType = refusalOf(status, body).field === "patch";
  if (status === 422 && (isNamed || isOfAnotherType)) return undefined;
  return { status, text: String(body["message"]) };
}

/** The type of an object. */
export function strategicSchema(of: StrategicName): TypeSchema {
  const schema = schemas(strategicObjects[of].type);
  if (schema === undefined) throw new Error(`${strategicObjects[of].type} is not in the table`);
  return schema;
}

const schemas = tableSchemas(builtinTable());

/** Without what the server writes. */
export function masked(object: JsonObject): JsonObject {
  return asBuiltin({ ...object, metadata: without(objectAt(object, "metadata"), bookkeeping) });
}

const bookkeeping = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "namespace",
];

function pathOf({ path, object, subresource }: StrategicObject, namespace: string): string {
  const one = `${path.replace("NAMESPACE", namespace)}/${String(object.metadata["name"])}`;
  return subresource === undefined ? one : `${one}/${subresource}`;
}
