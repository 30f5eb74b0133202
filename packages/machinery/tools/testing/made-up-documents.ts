import type { ApiDocuments } from "../api-definition.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const garden = "io.example.api.garden.v1";
const group = "garden.example.org";
const text = { type: "string", description: "Prose that must not be copied." };
const ref = (to: string) => ({ $ref: `#/definitions/${to}`, description: "More prose." });
const kind = (name: string, version = "v1") => [{ group, version, kind: name }];
const identity = { apiVersion: text, kind: text, metadata: ref(`${meta}.ObjectMeta`) };

/** Documents of an API that does not exist: small, but with one of everything that the generator tells apart. */
export const madeUpDocuments: ApiDocuments = {
  swagger: {
    definitions: {
      [`${garden}.Tree`]: {
        type: "object",
        properties: { ...identity, spec: ref(`${garden}.TreeSpec`), status: ref(`${garden}.TreeStatus`) },
        "x-kubernetes-group-version-kind": kind("Tree"),
      },
      [`${garden}.TreeList`]: {
        type: "object",
        required: ["items"],
        properties: {
          apiVersion: text,
          items: { type: "array", items: ref(`${garden}.Tree`) },
          kind: text,
          metadata: ref(`${meta}.ListMeta`),
        },
        "x-kubernetes-group-version-kind": kind("TreeList"),
      },
      [`${garden}.TreeSpec`]: {
        type: "object",
        required: ["height", "rings"],
        properties: {
          height: ref("io.k8s.apimachinery.pkg.api.resource.Quantity"),
          rings: { type: "array", items: { type: "integer", format: "int32" } },
          evergreen: { type: "boolean" },
          bark: { type: "string", format: "byte" },
          spacing: { type: "array", items: ref("io.k8s.apimachinery.pkg.util.intstr.IntOrString") },
          tags: { type: "object", additionalProperties: { type: "array", items: text } },
          extension: ref("io.k8s.apimachinery.pkg.runtime.RawExtension"),
          "x-anything": {},
          untyped: { type: "object" },
          selector: ref(`${meta}.LabelSelector`),
        },
      },
      [`${garden}.TreeStatus`]: {
        type: "object",
        properties: { planted: ref(`${meta}.Time`), roots: ref(`${garden}.Roots`) },
      },
      [`${garden}.Roots`]: { type: "object" },
      [`${garden}.Park`]: {
        type: "object",
        properties: { ...identity, template: { type: "array", items: ref(`${garden}.Tree`) } },
        "x-kubernetes-group-version-kind": kind("Park"),
      },
      [`${garden}.Inspection`]: {
        type: "object",
        properties: { ...identity, spec: ref(`${garden}.Roots`), status: ref(`${garden}.Roots`) },
        "x-kubernetes-group-version-kind": kind("Inspection"),
      },
      [`${garden}.Watering`]: {
        type: "object",
        properties: { ...identity },
        "x-kubernetes-group-version-kind": kind("Watering"),
      },
      "io.k8s.api.core.v1.Namespace": {
        type: "object",
        properties: { ...identity, spec: ref("io.k8s.api.core.v1.NamespaceSpec") },
        "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Namespace" }],
      },
      "io.k8s.api.core.v1.NamespaceSpec": { type: "object", properties: { finalizers: text } },
      "io.k8s.api.rbac.v1.Role": {
        type: "object",
        properties: { rules: { type: "array", items: text } },
      },
      [`${meta}.LabelSelector`]: {
        type: "object",
        properties: { matchLabels: { type: "object", additionalProperties: text } },
      },
      [`${meta}.ListMeta`]: { type: "object", properties: { continue: text } },
      [`${meta}.ObjectMeta`]: { type: "object", properties: { name: text } },
      [`${meta}.Time`]: { type: "string", format: "date-time" },
      "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "string" },
      "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
      "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: "string", format: "int-or-string" },
    },
  },
  core: {
    groupVersion: "v1",
    resources: [
      {
        name: "namespaces",
        singularName: "namespace",
        namespaced: false,
        kind: "Namespace",
        shortNames: ["ns"],
        verbs: ["get", "watch"],
      },
      { name: "namespaces/status", singularName: "", namespaced: false, kind: "Namespace", verbs: ["get"] },
      {
        name: "namespaces/finalize",
        singularName: "",
        namespaced: false,
        kind: "Namespace",
        verbs: ["update"],
      },
    ],
  },
  groups: {
    items: [
      {
        metadata: { name: group },
        versions: [
          {
            version: "v1",
            resources: [
              {
                resource: "trees",
                singularResource: "tree",
                scope: "Namespaced",
                responseKind: { group: "", version: "", kind: "Tree" },
                verbs: ["create", "get", "list", "watch"],
                categories: ["all", "wood"],
                subresources: [
                  {
                    subresource: "water",
                    responseKind: { group, version: "v1", kind: "Watering" },
                    verbs: ["create"],
                  },
                  {
                    subresource: "status",
                    responseKind: { group: "", version: "", kind: "Tree" },
                    verbs: ["get"],
                  },
                ],
              },
              {
                resource: "parks",
                singularResource: "park",
                scope: "Cluster",
                responseKind: { group: "", version: "", kind: "Park" },
                verbs: ["get", "list"],
              },
              {
                resource: "inspections",
                singularResource: "inspection",
                scope: "Cluster",
                responseKind: { group: "", version: "", kind: "Inspection" },
                verbs: ["create"],
              },
            ],
          },
        ],
      },
    ],
  },
};
