import {
  deepEqual,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooMany,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { Endpoint, EndpointPort } from "@kedge/machinery/kinds/discovery/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { immutable, named, oneOf } from "../validation/field-rules.ts";
import { isIpv6, validateEndpointIp, validateIp } from "../validation/ip-address.ts";
import { protocols } from "../validation/port.ts";

/** What is wrong with an endpoint slice by itself. Endpoints that stay as they are were right when they came. */
export function validateEndpointSlice(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const { addressType = "", ports, endpoints } = decodedAs(EndpointSlice, object);
  return [
    ...oneOf(addressType, ["FQDN", "IPv4", "IPv6"], fieldPath("addressType")),
    ...portErrors(ports ?? [], fieldPath("ports")),
    ...(previous !== undefined && deepEqual(object["endpoints"], previous["endpoints"])
      ? []
      : endpointErrors(endpoints ?? [], addressType, fieldPath("endpoints"))),
  ];
}

/** What is wrong with changing an endpoint slice so. */
export function validateEndpointSliceUpdate(
  object: StoredApiObject,
  previous: StoredApiObject,
): FieldError[] {
  return immutable(object["addressType"], previous["addressType"], fieldPath("addressType"));
}

function portErrors(ports: readonly Decoded<EndpointPort>[], path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = "", protocol, appProtocol }, i) => {
    const item = path.index(i);
    const isSecond = names.has(name);
    names.add(name);
    return [
      ...(name === "" ? [] : named(name, validateDns1123Label, item.child("name"))),
      ...(isSecond ? [fieldDuplicate(item.child("name"), name)] : []),
      ...(protocol === ""
        ? [fieldNotSupported(item.child("protocol"), "", protocols)]
        : oneOf(protocol, protocols, item.child("protocol"))),
      ...(appProtocol === undefined
        ? []
        : named(appProtocol, validateQualifiedName, item.child("appProtocol"))),
    ];
  });
}

function endpointErrors(
  endpoints: readonly Decoded<Endpoint>[],
  addressType: string,
  path: FieldPath,
): FieldError[] {
  if (endpoints.length > 1000) return [fieldTooMany(path, endpoints.length, 1000)];
  return endpoints.flatMap(({ addresses, nodeName, hostname }, i) => [
    ...addressErrors(addresses ?? [], addressType, path.index(i).child("addresses")),
    ...(nodeName === undefined
      ? []
      : named(nodeName, validateDns1123Subdomain, path.index(i).child("nodeName"))),
    ...(hostname === undefined ? [] : named(hostname, validateDns1123Label, path.index(i).child("hostname"))),
  ]);
}

function addressErrors(addresses: readonly string[], addressType: string, path: FieldPath): FieldError[] {
  if (addresses.length === 0) return [fieldRequired(path, "must contain at least 1 address")];
  return [
    ...(addresses.length > 100 ? [fieldTooMany(path, addresses.length, 100)] : []),
    ...addresses.flatMap((address, i) => {
      if (addressType === "FQDN") return hostErrors(address, path.index(i));
      if (addressType !== "IPv4" && addressType !== "IPv6") return [];
      if (validateIp(address, path).length > 0) return validateIp(address, path.index(i));
      return [
        ...(isIpv6(address) === (addressType === "IPv6")
          ? []
          : [fieldInvalid(path, address, `must be an ${addressType} address`)]),
        ...validateEndpointIp(address, path.index(i)),
      ];
    }),
  ];
}

function hostErrors(host: string, path: FieldPath): FieldError[] {
  if (host === "") return [fieldRequired(path)];
  const name = host.replace(/\.$/u, "");
  const errors = named(name, validateDns1123Subdomain, path);
  if (errors.length > 0 || name.includes(".")) return errors;
  return [fieldInvalid(path, host, "should be a domain with at least two segments separated by dots")];
}
