import type { ApiObject } from "../../registry/types.ts";
import { definitionOf } from "./definition.ts";

/** Fills in singular and list kind, conversion and the stored versions. In place. */
export function defaultDefinition(object: ApiObject): void {
  const { spec = {}, status } = definitionOf(object);
  const names = spec.names ?? {};
  const { kind = "" } = names;
  if ((names.singular ?? "") === "" && kind !== "") names.singular = kind.toLowerCase();
  if ((names.listKind ?? "") === "" && kind !== "") names.listKind = `${kind}List`;
  if (spec.names !== undefined) spec.names = names;
  spec.conversion ??= { strategy: "None" };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;
  object["spec"] = spec;
  const storage = spec.versions?.find((version) => version.storage === true)?.name;
  if (status !== undefined && storage !== undefined && (status.storedVersions ?? []).length === 0) {
    status.storedVersions = [storage];
  }
}
