import { seededRandom, type Random } from "@kedge/machinery";
import { comparisonGroup, serveKind } from "../custom-kind.ts";
import { chance, oneOf, some } from "../generate/choose.ts";
import { anyJson } from "../generate/json.ts";
import { isObject, objectAt, without, type JsonObject } from "../json.ts";
import { mustWork, type BodyType } from "../server.ts";
import { refusalOf, type Refusal, type Stage } from "../topic.ts";

/** What is patched: a built-in kind with a map of texts, and a custom one that may hold anything in `doc`. */
export type Kind = "ConfigMap" | "Document";

/** What became of the document, or why it was refused. */
export type PatchReply = JsonObject | Refusal;

const documentKind = {
  kind: "Document",
  plural: "documents",
  schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** The documents of a kind that the patches are for. */
export function documents(kind: Kind): readonly JsonObject[] {
  const random = seededRandom(`documents of kind ${kind}`);
  return Array.from({ length: 12 }, () => {
    const metadata = {
      ...(chance(random, 60) ? { labels: { a: "1", "example.com/b": "2" } } : {}),
      ...(chance(random, 40) ? { annotations: { c: "3" } } : {}),
    };
    if (kind === "Document") {
      return { apiVersion: `${comparisonGroup}/v1`, kind, metadata, doc: anyJson(random, 4) };
    }
    const data = Object.fromEntries(
      some(random, [0, 5], () => [oneOf(random, ["a", "b", "c.d", "e_f", "0"]), textual(random)]),
    );
    return { apiVersion: "v1", kind, metadata, ...(Object.keys(data).length > 0 ? { data } : {}) };
  });
}

/** A text that a ConfigMap may hold. */
export function textual(random: Random): string {
  return oneOf(random, ["", "x", "y", "two\nlines", "<&>", "é", "null", "1"]);
}

/** Creates the documents. */
export async function prepareDocuments({ server, namespace }: Stage): Promise<null> {
  await serveKind(server, documentKind);
  for (const kind of ["ConfigMap", "Document"] as const) {
    for (const [index, document] of documents(kind).entries()) {
      const metadata = { ...objectAt(document, "metadata"), name: `d${index}` };
      await mustWork(
        server.ask({ method: "POST", path: pathOf(kind, namespace), body: { ...document, metadata } }),
      );
    }
  }
  return null;
}

/** Patches a document without keeping the result. */
export async function askToPatch(
  { server, namespace }: Stage,
  input: { readonly kind: Kind; readonly document: number; readonly patch: unknown },
  type: BodyType,
): Promise<PatchReply> {
  const { status, body } = await server.ask({
    method: "PATCH",
    path: `${pathOf(input.kind, namespace)}/d${input.document}`,
    // Unknown fields of a patch are another topic.
    query: { dryRun: "All", fieldValidation: "Ignore" },
    type,
    body: input.patch,
  });
  const refusal = refusalOf(status, body);
  // It goes on with the whole object.
  if (status >= 300) return refusal.field === "patch" ? unfit : { status, text: refusal.text };
  const metadata = without(objectAt(body, "metadata"), bookkeeping);
  return { ...body, metadata };
}

/**
 * The document as the server would print it: its types leave out empty maps, and read null as an empty text. Of the
 * custom kind that holds for the metadata only.
 */
export function asServed(kind: Kind, patched: unknown): unknown {
  if (!isObject(patched)) return patched;
  const { labels, annotations } = objectAt(patched, "metadata");
  const maps = [labels, annotations, kind === "ConfigMap" ? patched["data"] : undefined];
  if (!maps.every(isTextMap)) return unfit;
  const metadata = typed(objectAt(patched, "metadata"));
  if (kind === "Document") return { ...patched, metadata };
  return { ...typed(without(patched, ["metadata"])), metadata };
}

/** The refusal of a result that is no object of its kind any more. */
const unfit = { status: 422, text: "the result is not of the kind" };

function isTextMap(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isObject(value) && Object.values(value).every((text) => text === null || typeof text === "string");
}

function typed(holder: JsonObject): JsonObject {
  const fields = Object.entries(holder).map(([key, value]) => [
    key,
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, text ?? ""]))
      : value,
  ]);
  return Object.fromEntries(
    fields.filter(([, value]) => value !== null && (!isObject(value) || Object.keys(value).length > 0)),
  ) as JsonObject;
}

const bookkeeping = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "generation",
  "managedFields",
];

function pathOf(kind: Kind, namespace: string): string {
  return kind === "ConfigMap"
    ? `/api/v1/namespaces/${namespace}/configmaps`
    : `/apis/${comparisonGroup}/v1/namespaces/${namespace}/documents`;
}
