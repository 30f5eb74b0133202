import { forbidden, type StatusError } from "@kedge/machinery";
import type { User } from "../registry/types.ts";
import type { Target } from "../request/target.ts";
import type { Attributes, Authorizer } from "./types.ts";

/** Throws a 403 in Kubernetes' words unless the user may. */
export function authorize(authorizer: Authorizer, attributes: Attributes): void {
  const { allowed, reason } = authorizer(attributes);
  if (!allowed) throw refusal(attributes, reason);
}

/** What a user wants who asks for a target. */
export function attributesOf(user: User, target: Target, path: string): Attributes {
  if (target.type === "path") return { user, verb: target.verb, path };
  const { verb, group, version, plural, subresource, namespace, fieldSelector } = target;
  const name = target.name === "" ? target.selectedName : target.name;
  const resource = { group, version, plural, subresource, namespace, name };
  return { user, verb, path, resource: fieldSelector === "" ? resource : { ...resource, fieldSelector } };
}

/** 403 for what somebody may not do. */
export function refusal({ user, verb, resource, path }: Attributes, reason = ""): StatusError {
  const added = reason === "" ? "" : `: ${reason}`;
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (resource === undefined) return forbidden(undefined, "", `${who} path ${JSON.stringify(path)}${added}`);
  const { group, plural, subresource, namespace, name } = resource;
  const what = JSON.stringify(subresource === "" ? plural : `${plural}/${subresource}`);
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return forbidden(
    { group, plural },
    name,
    `${who} resource ${what} in API group ${JSON.stringify(group)} ${where}${added}`,
  );
}
