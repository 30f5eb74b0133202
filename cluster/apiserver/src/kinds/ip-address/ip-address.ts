import {
  fieldPath,
  fieldRequired,
  validateDns1123Subdomain,
  validatePathSegmentName,
  type FieldError,
} from "@kedge/machinery";
import { IPAddress } from "@kedge/machinery/kinds/networking/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { validateIp } from "../validation/ip-address.ts";
import { immutable, named, required } from "../validation/field-rules.ts";

/** IPAddresses: who has an address. They are named by it. */
export function ipAddressDefinition(): KindDefinition {
  return {
    kind: IPAddress,
    printer,
    strategy: {
      nameRule: (name) => validateIp(name, fieldPath("metadata", "name")).map(({ detail }) => detail),
      validate,
      validateUpdate: (object, previous) =>
        immutable(
          decodedAs(IPAddress, object).spec?.parentRef,
          decodedAs(IPAddress, previous).spec?.parentRef,
          fieldPath("spec", "parentRef"),
        ),
      generation: "none",
    },
  };
}

function validate(object: StoredApiObject): FieldError[] {
  const parent = decodedAs(IPAddress, object).spec?.parentRef;
  const path = fieldPath("spec", "parentRef");
  if (parent === undefined) return [fieldRequired(path)];
  const { group = "", resource = "", name = "", namespace = "" } = parent;
  const segment = (text: string, field: string): FieldError[] =>
    text === "" ? [] : named(text, validatePathSegmentName, path.child(field));
  return [
    ...(group === "" ? [] : named(group, validateDns1123Subdomain, path.child("group"))),
    ...required(resource, path.child("resource")),
    ...segment(resource, "resource"),
    ...required(name, path.child("name")),
    ...segment(name, "name"),
    ...segment(namespace, "namespace"),
  ];
}

const printer = printerOf(
  IPAddress,
  // Kubernetes shows one cell more than it has columns.
  [nameColumn, column("ParentRef", "Who has it.")],
  ({ metadata, spec }, now) => {
    const { group = "", resource = "", namespace = "", name = "" } = spec?.parentRef ?? {};
    const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
    const parts = [kind, ...(namespace === "" ? [] : [namespace]), name];
    return [
      metadata?.name,
      spec?.parentRef === undefined ? "<none>" : parts.join("/"),
      age(metadata?.creationTimestamp, now),
    ];
  },
);
