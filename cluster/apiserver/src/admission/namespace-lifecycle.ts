import { forbidden, notFound, StatusError } from "@kedge/machinery";
import { Namespace } from "@kedge/machinery/kinds/core/v1";
import { lookUp } from "../registry/lookup.ts";
import { isAbout, refusal } from "./request.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "./types.ts";

/** Keeps what is written in namespaces that exist, lets nothing new into one that goes, and keeps some for good. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  operations: ["CREATE", "UPDATE", "DELETE"],
  admit: (request, context) => {
    if (isAbout(request, Namespace)) checkImmortal(request);
    // Whether somebody may do something in a namespace can be asked before it is there.
    else if (
      request.resource.review === undefined &&
      request.operation !== "DELETE" &&
      request.namespace !== ""
    )
      checkNamespace(request, context);
  },
};

const immortal: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

function checkImmortal({ operation, name }: AdmissionRequest): void {
  if (operation === "DELETE" && immortal.has(name))
    throw forbidden(Namespace, name, "this namespace may not be deleted");
}

function checkNamespace(request: AdmissionRequest, { objects }: AdmissionContext): void {
  const { namespace, operation } = request;
  const found = lookUp(objects, Namespace, { name: namespace });
  if (found === undefined) throw notFound(Namespace, namespace);
  if (operation !== "CREATE" || found.metadata?.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = refusal(request, why);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  throw new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
