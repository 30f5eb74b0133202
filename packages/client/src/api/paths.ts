import type { Kind, ObjectKey } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import type { Query } from "../transport/query.ts";
import type { Selection } from "./types.ts";

/** Path of all objects of a kind, in one namespace or (without one) everywhere. */
export function collectionPath(kind: Kind<unknown>, namespace: string | undefined): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (namespace === undefined || namespace === "") return `${root}/${kind.plural}`;
  if (kind.scope === "Cluster") {
    throw new ClientError(
      "USAGE",
      `${kind.kind} is cluster-scoped: it takes no namespace, got "${namespace}"`,
    );
  }
  return `${root}/namespaces/${segment("namespace", namespace)}/${kind.plural}`;
}

/** Path of one object, or of one of its subresources. */
export function objectPath(kind: Kind<unknown>, key: ObjectKey, subresource?: string): string {
  if (kind.scope === "Namespaced" && (key.namespace === undefined || key.namespace === "")) {
    throw new ClientError(
      "USAGE",
      `${kind.kind} "${key.name}": namespace must be set: ${kind.kind} is namespaced`,
    );
  }
  const path = `${collectionPath(kind, key.namespace)}/${segment("name", key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** A selection as query parameters. */
export function selectionQuery(selection: Selection): Query {
  const { labelSelector, fieldSelector } = selection;
  return {
    labelSelector: typeof labelSelector === "object" ? equalLabels(labelSelector) : labelSelector,
    fieldSelector,
  };
}

function equalLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** A name that would lead the path elsewhere must never reach the server. */
function segment(what: "name" | "namespace", value: string): string {
  if (value === "" || value === "." || value === ".." || value.includes("/") || value.includes("%")) {
    throw new ClientError(
      "USAGE",
      `${what} ${JSON.stringify(value)}: must not be empty, "." or "..", nor contain "/" or "%"`,
    );
  }
  return encodeURIComponent(value);
}
