import { fieldInvalid, fieldRequired, type FieldError, type FieldPath } from "@kedge/machinery";
import type { PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateIp } from "../validation/ip-address.ts";

/** What is wrong with how a pod resolves names. */
export function validateDnsConfig({ dnsConfig, dnsPolicy }: Decoded<PodSpec>, path: FieldPath): FieldError[] {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  const servers = path.child("nameservers");
  if (dnsPolicy === "None") {
    if (dnsConfig === undefined)
      return [fieldRequired(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (nameservers.length === 0)
      return [fieldRequired(servers, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
  }
  return [
    ...(nameservers.length > 3
      ? [fieldInvalid(servers, nameservers, "must not have more than 3 nameservers")]
      : []),
    ...nameservers.flatMap((address, i) => validateIp(address, servers.index(i))),
    ...searchErrors(searches, path.child("searches")),
    ...options.flatMap(({ name = "" }, i) =>
      name === "" ? [fieldRequired(path.child("options").index(i), "must not be empty")] : [],
    ),
  ];
}

function searchErrors(searches: readonly string[], path: FieldPath): FieldError[] {
  return [
    ...(searches.length > 32
      ? [fieldInvalid(path, searches, "must not have more than 32 search paths")]
      : []),
    ...(searches.join(" ").length > 2048
      ? [
          fieldInvalid(
            path,
            searches,
            "must not have more than 2048 characters (including spaces) in the search list",
          ),
        ]
      : []),
    ...searches.flatMap((search, i) => pathErrors(search, path.index(i))),
  ];
}

/** Search paths may have underscores, which names of hosts may not. */
function pathErrors(search: string, path: FieldPath): FieldError[] {
  const name = search.replace(/(?<=.)\.$/u, "");
  if (search === "." || new RegExp(`^${searchPattern}$`, "u").test(name)) return [];
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [
    fieldInvalid(path, name, `${rule} (e.g. 'example.com', regex used for validation is '${searchPattern}')`),
  ];
}

const labelPattern = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const searchPattern = String.raw`${labelPattern}(\.${labelPattern})*`;
