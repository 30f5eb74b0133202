import { forbidden, type GroupVersionKind, type Kind, type StatusError } from "@kedge/machinery";
import type { StoredApiObject } from "../registry/types.ts";
import type { AdmissionRequest } from "./types.ts";

/** Whether a request is about objects of a kind themselves: of no subresource, and of no other kind in its place. */
export function isAbout(
  { resource, subresource }: AdmissionRequest<StoredApiObject>,
  { group, plural }: Pick<Kind, "group" | "plural"> & GroupVersionKind,
): boolean {
  return resource.plural === plural && resource.group === group && subresource === "";
}

/** 403 for a request that a plug-in refuses. An object without a name is told by what its name begins with. */
export function refusal(
  { resource, name, object }: AdmissionRequest<StoredApiObject>,
  why: string,
): StatusError {
  const { name: own = "", generateName = "" } = object?.metadata ?? {};
  const told = [name, own, generateName, "Unknown"].find((text) => text !== "");
  return forbidden(resource, told ?? "", why);
}
