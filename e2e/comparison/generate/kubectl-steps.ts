import type { JsonObject } from "../json.ts";
import type { Step } from "./apply-steps.ts";

/** The annotation of `kubectl apply` without `--server-side`. */
const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** An object that `kubectl apply` made in the old way, and is applied to by the server from now on. */
export const kubectlSteps: readonly (readonly Step[])[] = [
  [created({ a: "1", b: "1" }), kubectl({ a: "2" }), kubectl({ a: "2", c: "1" }), kubectl({})],
  [
    created({ a: "1", b: "1" }),
    { by: "b", merge: { data: { a: "3" } } },
    kubectl({ a: "2", b: "2" }),
    kubectl({ a: "3", b: "2" }),
  ],
  [
    created({ a: "1" }),
    { by: "b", apply: { data: { b: "1" } } },
    kubectl({ a: "2", b: "2" }),
    { ...kubectl({ a: "2", b: "2" }), force: true },
  ],
  [
    created({ a: "1" }),
    { by: "other", apply: { data: { a: "2" } } },
    { by: "other", apply: { data: { a: "2" } }, force: true },
    kubectl({ a: "3" }),
  ],
  // Somebody else's words in the annotation, and none that can be read.
  [created({ a: "1" }, { a: "0" }), kubectl({ a: "2" })],
  [created({ a: "1" }, "no JSON"), kubectl({ a: "2" }), { ...kubectl({ a: "2" }), force: true }],
  [created({ a: "1" }), { by: "b", merge: { metadata: { annotations: null } } }, kubectl({ a: "2" })],
  [
    created({ a: "1" }),
    {
      by: "kubectl",
      apply: { metadata: { annotations: { n: "<&>" }, labels: { x: "1" } }, data: { a: "é" } },
    },
  ],
  [
    { by: "kubectl", apply: { data: { a: "1" } } },
    kubectl({ a: "2" }),
    { by: "b", put: { data: { a: "3" } }, managedFields: "reset" },
    kubectl({ a: "4" }),
  ],
];

function created(data: JsonObject, last: JsonObject | string = data): Step {
  const configuration = {
    apiVersion: "v1",
    data: last,
    kind: "ConfigMap",
    metadata: { annotations: {}, name: "x" },
  };
  const text = typeof last === "string" ? last : `${JSON.stringify(configuration)}\n`;
  return {
    by: "kubectl-client-side-apply",
    create: { metadata: { annotations: { [annotation]: text } }, data },
  };
}

function kubectl(data: JsonObject): Extract<Step, { readonly apply: JsonObject }> {
  return { by: "kubectl", apply: { data } };
}
