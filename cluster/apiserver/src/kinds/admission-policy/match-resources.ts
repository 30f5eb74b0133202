import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  validateDns1035Label,
  validateDns1123Subdomain,
  validateLabelSelector,
  validatePathSegmentName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { MatchResources, ParamKind, ParamRef } from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf } from "../../registry/label-selector.ts";
import { named, oneOf } from "../validation/field-rules.ts";
import { validateNamedRule } from "../validation/resource-rules.ts";

/** What is wrong with what a policy, or a binding of it, says of the requests that it is about. */
export function validateMatchResources(
  resources: Decoded<MatchResources> | undefined,
  path: FieldPath,
): FieldError[] {
  if (resources === undefined) return [];
  const { namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = resources;
  return [
    ...oneOf(resources.matchPolicy, ["Equivalent", "Exact"], path.child("matchPolicy")),
    ...validateLabelSelector(labelSelectorOf(namespaceSelector), path.child("namespaceSelector")),
    ...validateLabelSelector(labelSelectorOf(objectSelector), path.child("objectSelector")),
    ...resourceRules.flatMap((rule, i) => validateNamedRule(rule, path.child("resourceRules").index(i))),
    ...excludeResourceRules.flatMap((rule, i) =>
      validateNamedRule(rule, path.child("excludeResourceRules").index(i)),
    ),
  ];
}

const mutable = ["*", "CONNECT", "CREATE", "UPDATE"];

/** What is deleted cannot be changed. */
export function onlyMutable(resources: Decoded<MatchResources> | undefined, path: FieldPath): FieldError[] {
  return (resources?.resourceRules ?? []).flatMap(({ operations = [] }) =>
    operations
      .filter((operation) => !mutable.includes(operation))
      .map((operation) =>
        fieldNotSupported(path.child("resourceRules").child("operations"), operation, mutable),
      ),
  );
}

/** What is wrong with the kind of a policy's parameters. */
export function validateParamKind(kind: Decoded<ParamKind>, path: FieldPath): FieldError[] {
  return [
    ...apiVersionErrors(kind.apiVersion ?? "", path.child("apiVersion")),
    ...kindErrors(kind.kind ?? "", path.child("kind")),
  ];
}

function apiVersionErrors(apiVersion: string, path: FieldPath): FieldError[] {
  if (apiVersion === "") return [fieldRequired(path)];
  const parts = apiVersion === "/" ? [""] : apiVersion.split("/");
  if (parts.length > 2)
    return [fieldInvalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group = "", version = ""] = parts.length === 1 ? ["", ...parts] : parts;
  const wrongGroup = group === "" ? [] : validateDns1123Subdomain(group);
  const wrongVersion = version === "" ? [] : validateDns1035Label(version);
  return [
    ...(wrongGroup.length > 0 ? [fieldInvalid(path, group, wrongGroup.join(","))] : []),
    ...(version === "" ? [fieldInvalid(path, apiVersion, "version must be specified")] : []),
    ...(wrongVersion.length > 0 ? [fieldInvalid(path, version, wrongVersion.join(","))] : []),
  ];
}

function kindErrors(kind: string, path: FieldPath): FieldError[] {
  if (kind === "") return [fieldRequired(path)];
  const wrong = validateDns1035Label(kind.toLowerCase());
  if (wrong.length === 0) return [];
  return [fieldInvalid(path, kind, `may have mixed case, but should otherwise match: ${wrong.join(",")}`)];
}

const exclusive = "name and selector are mutually exclusive";

/** What is wrong with how a binding finds its parameters. */
export function validateParamRef(ref: Decoded<ParamRef> | undefined, path: FieldPath): FieldError[] {
  if (ref === undefined) return [];
  const { name = "", selector, parameterNotFoundAction } = ref;
  return [
    ...(name === "" ? [] : named(name, validatePathSegmentName, path.child("name"))),
    ...(name !== "" && selector !== undefined ? [fieldForbidden(path.child("name"), exclusive)] : []),
    ...validateLabelSelector(labelSelectorOf(selector), path.child("selector")),
    ...(name !== "" && selector !== undefined ? [fieldForbidden(path.child("selector"), exclusive)] : []),
    ...(name === "" && selector === undefined
      ? [fieldRequired(path, "one of name or selector must be specified")]
      : []),
    ...oneOf(parameterNotFoundAction, ["Deny", "Allow"], path.child("parameterNotFoundAction")),
  ];
}
