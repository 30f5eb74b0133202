import {
  notFound,
  selectorFromLabelSelector,
  selectorMatches,
  type StatusError,
  type Selector,
} from "@kedge/machinery";
import { Namespace } from "@kedge/machinery/kinds/core/v1";
import type { LabelSelector } from "@kedge/machinery/kinds/meta/v1";
import { lookUp } from "../../registry/lookup.ts";
import type { Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf, labelsOf } from "../../registry/label-selector.ts";
import type { ObjectReader, StoredApiObject } from "../../registry/types.ts";
import type { AdmissionRequest } from "../types.ts";
import { isOfNamespaces, namespaceOf } from "./rules.ts";

/** Which objects of which namespaces a webhook or a policy is about. */
export interface Selectors {
  readonly namespaces: Selector;
  readonly objects: Selector;
}

/** Reads them as they were sent. */
export function selectorsOf(source: {
  readonly namespaceSelector?: Decoded<LabelSelector> | undefined;
  readonly objectSelector?: Decoded<LabelSelector> | undefined;
}): Selectors {
  return {
    namespaces: selectorFromLabelSelector(labelSelectorOf(source.namespaceSelector ?? {})),
    objects: selectorFromLabelSelector(labelSelectorOf(source.objectSelector ?? {})),
  };
}

/** Whether they choose a request; an error, when its namespace is not there and it matters. */
export function selects(
  { namespaces, objects }: Selectors,
  request: AdmissionRequest<StoredApiObject>,
  reader: ObjectReader,
): boolean | StatusError {
  const inNamespace = namespaceSelected(namespaces, request, reader);
  if (inNamespace === false) return false;
  if (!isEmpty(objects) && ![request.object, request.oldObject].some((object) => labelled(object, objects)))
    return false;
  return inNamespace;
}

function labelled(object: StoredApiObject | undefined, selector: Selector): boolean {
  return object !== undefined && selectorMatches(selector, labelsOf(object.metadata.labels));
}

/** What is of the cluster is in no namespace that could be left out. */
function namespaceSelected(
  selector: Selector,
  request: AdmissionRequest<StoredApiObject>,
  reader: ObjectReader,
): boolean | StatusError {
  const namespace = namespaceOf(request);
  if (isEmpty(selector) || (namespace === "" && !isOfNamespaces(request))) return true;
  const { object, operation, subresource } = request;
  if (isOfNamespaces(request) && subresource === "" && (operation === "CREATE" || operation === "UPDATE"))
    return labelled(object, selector);
  const found = lookUp(reader, Namespace, { name: namespace });
  if (found === undefined) return notFound(Namespace, namespace);
  return selectorMatches(selector, labelsOf(found.metadata?.labels));
}

function isEmpty(selector: Selector): boolean {
  return selector.selectable && selector.requirements.length === 0;
}
