import {
  badRequest,
  exactFieldOf,
  fieldSelectorMatches,
  goQuote,
  messageOf,
  parseFieldSelector,
  parseSelector,
  selectorMatches,
  type FieldSelector,
  type Selector,
} from "@kedge/machinery";
import type { Resource, StoredApiObject } from "../registry/types.ts";
import type { TextTrace } from "../storage/object-version.ts";

/** Which objects of a collection are meant. */
export interface Selection {
  matches(object: StoredApiObject): boolean;
  /** Whether no selector was given at all. */
  readonly isEverything: boolean;
  /** The one name that can match, if the selector demands one. */
  readonly name: string | undefined;
  /** What the JSON of every object that matches has in it, as it is stored: most others need not be decoded. */
  readonly traces: readonly Buffer[];
  /** The same for the field by which many watches of one kind are told apart, if the selector names it. */
  readonly text: TextTrace | undefined;
}

/** Reads labelSelector and fieldSelector of a query. Throws a 400. */
export function selectionOf(query: URLSearchParams, resource: Resource): Selection {
  const labels = parsed(() => parseSelector(query.get("labelSelector") ?? ""));
  const fields = parsed(() => parseFieldSelector(query.get("fieldSelector") ?? ""));
  checkFields(fields, resource);
  return {
    matches: (object) => matchesLabels(labels, object) && matchesFields(fields, object, resource),
    isEverything: labels.requirements.length === 0 && fields.requirements.length === 0,
    name: exactFieldOf(fields, "metadata.name"),
    traces: [...tracesOfLabels(labels), ...tracesOfFields(fields)],
    text: nodeNameIn(fields),
  };
}

/** The same selection, of one name only. */
export function selectionOfName(selection: Selection, name: string): Selection {
  return {
    matches: (object) => object.metadata.name === name && selection.matches(object),
    isEverything: false,
    name,
    text: selection.text,
    traces: [...selection.traces, traceOf("name", name)],
  };
}

function tracesOfLabels({ requirements }: Selector): readonly Buffer[] {
  return requirements.flatMap(({ key, operator, values: [value, ...others] }) =>
    ["=", "==", "in"].includes(operator) && value !== undefined && others.length === 0
      ? [traceOf(key, value)]
      : [],
  );
}

function tracesOfFields(fields: FieldSelector): readonly Buffer[] {
  return ["name", "namespace"].flatMap((field) => {
    const value = exactFieldOf(fields, `metadata.${field}`) ?? "";
    return value === "" ? [] : [traceOf(field, value)];
  });
}

/** Each node watches its own pods. */
function nodeNameIn(fields: FieldSelector): TextTrace | undefined {
  const name = exactFieldOf(fields, "spec.nodeName") ?? "";
  return name === "" ? undefined : { mark: nodeNameMark, text: JSON.stringify(name).slice(1, -1) };
}

const nodeNameMark = Buffer.from('"nodeName":"');

function traceOf(field: string, value: string): Buffer {
  return Buffer.from(`${JSON.stringify(field)}:${JSON.stringify(value)}`);
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw badRequest(messageOf(error));
  }
}

function checkFields({ requirements }: FieldSelector, { strategy }: Resource): void {
  const own = strategy.selectableFieldNames;
  for (const { field } of requirements) {
    if (field === "metadata.name" || field === "metadata.namespace" || own?.includes(field) === true)
      continue;
    throw badRequest(
      own === undefined
        ? `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : (strategy.unknownField?.(field) ?? `field label not supported: ${field}`),
    );
  }
}

function matchesLabels(selector: Selector, object: StoredApiObject): boolean {
  return selectorMatches(selector, object.metadata.labels ?? {});
}

function matchesFields(selector: FieldSelector, object: StoredApiObject, { strategy }: Resource): boolean {
  if (selector.requirements.length === 0) return true;
  const { name, namespace } = object.metadata;
  const own = strategy.selectableFields?.(object) ?? {};
  const fields: Readonly<Record<string, string | undefined>> = {
    ...own,
    "metadata.name": name,
    "metadata.namespace": namespace,
  };
  return fieldSelectorMatches(selector, (field) => fields[field]);
}
