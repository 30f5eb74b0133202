import { notFound } from "@kedge/machinery";
import { Namespace } from "@kedge/machinery/kinds/core/v1";
import type { AdmissionInput } from "@kedge/validation";
import type { Authorizer } from "../../auth/types.ts";
import { lookUp } from "../../registry/lookup.ts";
import type { ObjectReader, StoredApiObject } from "../../registry/types.ts";
import { authorizationCheck } from "../matching/authorization-check.ts";
import { namespaceView } from "../matching/conditions.ts";
import { isOfNamespaces, namespaceOf, type Asked } from "../matching/rules.ts";
import type { Versioned } from "../matching/versions.ts";
import type { AdmissionRequest } from "../types.ts";
import { reviewRequest } from "../webhooks/review.ts";

/** What the expressions of a policy are about. Throws a 404 when the namespace of the request is not there. */
export function policyInput(
  request: AdmissionRequest<StoredApiObject>,
  {
    asked,
    versioned,
    params,
    objects,
    authorizer,
  }: {
    readonly asked: Asked;
    readonly versioned: Versioned;
    readonly params: StoredApiObject | undefined;
    readonly objects: ObjectReader;
    readonly authorizer: Authorizer;
  },
): AdmissionInput {
  const { resource, user, name, subresource } = request;
  const { group, plural } = resource;
  return {
    ...versioned,
    request: reviewRequest(request, asked),
    params,
    namespaceObject: namespaceView(namespaceObject(request, objects)),
    authorizer: {
      check: authorizationCheck(authorizer, user),
      requestResource: { group, plural, subresource, namespace: namespaceOf(request), name },
    },
  };
}

function namespaceObject(request: AdmissionRequest<StoredApiObject>, objects: ObjectReader): unknown {
  const { namespace } = request;
  if (namespace === "" || isOfNamespaces(request)) return undefined;
  const found = lookUp(objects, Namespace, { name: namespace });
  if (found === undefined) throw notFound(Namespace, namespace);
  return found;
}
