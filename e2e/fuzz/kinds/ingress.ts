import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";

const apiVersion = "networking.k8s.io/v1";

/** Ingresses and their classes. */
export const ingresses: readonly FuzzKind[] = [
  {
    apiVersion,
    kind: "Ingress",
    path: `/apis/${apiVersion}/namespaces/${fuzzNamespace}/ingresses`,
    strategic: true,
    make: (choose) => ({
      spec: choose.fields({
        ingressClassName: [30, () => choose.one(["nginx", "a.b"], ["A_", ""])],
        defaultBackend: [30, () => backend(choose)],
        rules: [100, () => choose.list(2, () => rule(choose), 1)],
        tls: [
          30,
          () => [
            choose.fields({
              hosts: [70, () => [choose.one(["a.example.com", "*.example.com"], ["*.", "A_", ""])]],
              secretName: [70, () => choose.one(["s"], ["S_"])],
            }),
          ],
        ],
      }),
    }),
    status: (choose) => ({
      loadBalancer: choose.fields({
        ingress: [
          80,
          () => [
            choose.fields({
              ip: [60, () => choose.one(["10.0.0.1", "fd00::1"], ["x"])],
              hostname: [40, () => choose.one(["lb.example.com"], ["A_", "10.0.0.1"])],
            }),
          ],
        ],
      }),
    }),
  },
  {
    apiVersion,
    kind: "IngressClass",
    path: `/apis/${apiVersion}/ingressclasses`,
    strategic: true,
    make: (choose) => ({
      spec: choose.fields({
        controller: [
          100,
          () => choose.one(["example.com/a", "a/b/c"], ["", "a", "a/", "/b", "A_/b", "a/b c"]),
        ],
        parameters: [
          50,
          () =>
            choose.fields({
              apiGroup: [50, () => choose.one(["example.com"], ["A_"])],
              kind: [100, () => choose.one(["Thing"], ["", "a/b"])],
              name: [100, () => choose.one(["x"], ["", ".."])],
              scope: [50, () => choose.one(["Cluster", "Namespace"], ["Galaxy"])],
              namespace: [30, () => choose.one(["n"], ["N_"])],
            }),
        ],
      }),
    }),
  },
];

function rule(choose: Chooser): JsonObject {
  return choose.fields({
    host: [
      60,
      () => choose.one(["a.example.com", "*.example.com", "b.example.com"], ["10.0.0.1", "A_", "a.*"]),
    ],
    http: [90, () => ({ paths: choose.list(2, () => path(choose), choose.isFaulty ? 0 : 1) })],
  });
}

function path(choose: Chooser): JsonObject {
  return choose.fields({
    path: [90, () => choose.one(["/", "/a", "/a/b"], ["a", "", "/a//b", "/a/./b", "/a/..", "/a%2fb", "/."])],
    pathType: [100, () => choose.one(["Prefix", "Exact", "ImplementationSpecific"], ["Glob", ""])],
    backend: [100, () => backend(choose)],
  });
}

function backend(choose: Chooser): JsonObject {
  return choose.one<() => JsonObject>(
    [
      () => ({
        service: choose.fields({
          name: [100, () => choose.one(["web", "1web"], ["A_", ""])],
          port: [100, () => port(choose)],
        }),
      }),
      () => ({
        resource: choose.fields({
          apiGroup: [50, () => choose.one(["a.b"], ["A_"])],
          kind: [100, () => "Thing"],
          name: [100, () => choose.one(["x"], ["", "a/b"])],
        }),
      }),
    ],
    [
      () => ({}),
      () => ({ service: { name: "web", port: { number: 80 } }, resource: { kind: "Thing", name: "x" } }),
    ],
  )();
}

function port(choose: Chooser): JsonObject {
  return choose.one<JsonObject>(
    [{ number: 80 }, { name: "http" }],
    [{}, { number: 80, name: "http" }, { number: 70000 }, { number: -1 }, { name: "Bad Name" }],
  );
}
