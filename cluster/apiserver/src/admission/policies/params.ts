import { parseApiVersion, selectorFromLabelSelector, selectorMatches } from "@kedge/machinery";
import type { ParamKind, ParamRef } from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf, labelsOf } from "../../registry/label-selector.ts";
import type { ObjectReader, Resource, StoredApiObject } from "../../registry/types.ts";

/** Thrown when a policy or a binding cannot be used: the policy's failure policy decides. */
export class ConfigurationError extends Error {}

/**
 * The parameters that a binding names: the policy is evaluated with each. One that is undefined when there are none to
 * be named. Throws a `ConfigurationError`.
 */
export function paramsOf(
  paramKind: Decoded<ParamKind> | undefined,
  paramRef: Decoded<ParamRef> | undefined,
  { objects, namespace }: { readonly objects: ObjectReader; readonly namespace: string },
): readonly (StoredApiObject | undefined)[] {
  if (paramKind === undefined || paramRef === undefined) return [undefined];
  const resource = resourceOf(paramKind, objects);
  if (resource === undefined) return [];
  const found = find(resource, paramRef, { objects, namespace });
  if (found.length === 0 && paramRef.parameterNotFoundAction === "Deny")
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  return found;
}

/** The resource of the kind of parameters; undefined when it is not served. */
export function resourceOf(
  { apiVersion = "", kind = "" }: Decoded<ParamKind>,
  { registry }: ObjectReader,
): Resource | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return registry.byKind(group, kind, version);
}

function find(
  resource: Resource,
  { name = "", namespace: named = "", selector }: Decoded<ParamRef>,
  { objects, namespace: asked }: { readonly objects: ObjectReader; readonly namespace: string },
): readonly StoredApiObject[] {
  const isNamespaced = resource.scope === "Namespaced";
  if (!isNamespaced && named !== "")
    throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  const namespace = !isNamespaced ? undefined : named === "" ? asked : named;
  if (namespace === "")
    throw new ConfigurationError(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  if (name !== "") {
    const found = objects.get(resource, { name, namespace });
    return found === undefined ? [] : [found];
  }
  const selected = selectorFromLabelSelector(labelSelectorOf(selector));
  return objects
    .list(resource, namespace)
    .filter(({ metadata }) => selectorMatches(selected, labelsOf(metadata.labels)));
}

/** Why a policy cannot be used by anybody: its kind of parameters is not served. Undefined when it can. */
export function kindProblem(
  paramKind: Decoded<ParamKind> | undefined,
  objects: ObjectReader,
): string | undefined {
  if (paramKind === undefined || resourceOf(paramKind, objects) !== undefined) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  return `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`;
}
