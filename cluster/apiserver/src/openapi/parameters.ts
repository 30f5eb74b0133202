import type { JsonSchema } from "./json-schema.ts";

/** The parameters of these names, as operations list them. */
export function parametersOf(names: readonly ParameterName[]): readonly JsonSchema[] {
  return names.map((name) => {
    const isPath = name === "name" || name === "namespace";
    return {
      name,
      in: isPath ? "path" : "query",
      description: descriptions[name],
      ...(isPath ? { required: true } : {}),
      schema: { type: types[name] ?? "string", uniqueItems: true },
    };
  });
}

/** The names of all parameters. */
export type ParameterName = keyof typeof descriptions;

const descriptions = {
  allowWatchBookmarks: "Whether a watch may send bookmarks.",
  continue: "Where the page before ended.",
  dryRun: "With All, nothing is stored.",
  fieldManager: "Who makes this change, for server-side apply.",
  fieldSelector: "Which objects, by their fields.",
  fieldValidation: "What happens to unknown and duplicate fields: Ignore, Warn or Strict.",
  force: "Whether apply takes fields over from other managers.",
  gracePeriodSeconds: "Seconds until the object is gone; zero: at once.",
  labelSelector: "Which objects, by their labels.",
  limit: "How many objects a page has at most.",
  name: "Name of the object.",
  namespace: "Namespace of the object.",
  pretty: "Whether the answer is indented.",
  propagationPolicy: "What becomes of dependents: Orphan, Background or Foreground.",
  resourceVersion: "Which state of the objects.",
  resourceVersionMatch: "How resourceVersion is meant.",
  sendInitialEvents: "Whether a watch begins with what is there.",
  timeoutSeconds: "How long the answer may take.",
  watch: "Whether changes follow.",
} as const;

const types: Readonly<Partial<Record<ParameterName, string>>> = {
  allowWatchBookmarks: "boolean",
  force: "boolean",
  gracePeriodSeconds: "integer",
  limit: "integer",
  sendInitialEvents: "boolean",
  timeoutSeconds: "integer",
  watch: "boolean",
};

/** What lists and watches take. */
export const listParameters: readonly ParameterName[] = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];

/** What creating and replacing take. */
export const writeParameters: readonly ParameterName[] = ["dryRun", "fieldManager", "fieldValidation"];

/** What patching takes. kubectl looks for `fieldValidation` here to learn whether the server checks fields. */
export const patchParameters: readonly ParameterName[] = [...writeParameters, "force"];

/** What deleting takes. */
export const deleteParameters: readonly ParameterName[] = [
  "dryRun",
  "gracePeriodSeconds",
  "propagationPolicy",
];
