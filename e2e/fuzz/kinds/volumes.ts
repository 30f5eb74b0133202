import type { JsonObject } from "../../comparison/json.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";
import { claimSpec } from "./volume.ts";

/** Claims, volumes and their classes. */
export const volumes: readonly FuzzKind[] = [
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    path: `/api/v1/namespaces/${fuzzNamespace}/persistentvolumeclaims`,
    strategic: true,
    make: (choose) => ({ spec: claimSpec(choose) }),
    status: (choose) =>
      choose.fields({
        phase: [80, () => choose.one(["Bound", "Lost", "Pending"])],
        capacity: [50, () => ({ storage: choose.one(["1Gi", "1.5Gi"]) })],
        accessModes: [50, () => ["ReadWriteOnce"]],
      }),
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    path: "/api/v1/persistentvolumes",
    strategic: true,
    make: (choose) => {
      const source = choose.isFaulty
        ? choose.one<JsonObject>([
            {},
            { hostPath: { path: "/x" }, nfs: { server: "s", path: "/x" } },
            { hostPath: { path: "" } },
            { local: { path: "/x" } },
          ])
        : undefined;
      return {
        spec: {
          ...choose.fields({
            accessModes: [
              100,
              () =>
                choose.one(
                  [["ReadWriteOnce"], ["ReadOnlyMany", "ReadWriteMany"]],
                  [[], ["Bad"], ["ReadWriteOnce", "ReadWriteOncePod"]],
                ),
            ],
            capacity: [
              100,
              () =>
                choose.one<JsonObject>(
                  [{ storage: "1Gi" }, { storage: "10M" }],
                  [{}, { storage: "0" }, { storage: "-1" }, { cpu: "1" }],
                ),
            ],
            persistentVolumeReclaimPolicy: [30, () => choose.one(["Delete", "Retain"], ["Recycle", "Bad"])],
            storageClassName: [30, () => choose.one(["a", ""], ["B_"])],
            volumeMode: [20, () => choose.one(["Block", "Filesystem"], ["Bad"])],
            mountOptions: [10, () => ["ro"]],
            claimRef: [15, () => ({ namespace: "x", name: "y" })],
          }),
          ...(source ??
            choose.one<JsonObject>([
              { hostPath: { path: "/x" } },
              { nfs: { server: "s", path: "/x" } },
              { csi: { driver: "d.e", volumeHandle: "h" } },
            ])),
        },
      };
    },
    status: (choose) =>
      choose.fields({
        phase: [100, () => choose.one(["Available", "Bound", "Released"])],
        message: [20, () => "m"],
      }),
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    path: "/apis/storage.k8s.io/v1/storageclasses",
    strategic: true,
    make: (choose) =>
      choose.fields({
        provisioner: [100, () => choose.one(["a/b", "a.b/c"], ["a b", ""])],
        reclaimPolicy: [30, () => choose.one(["Retain", "Delete"], ["Bad", "Recycle"])],
        volumeBindingMode: [30, () => choose.one(["WaitForFirstConsumer", "Immediate"], ["Bad"])],
        parameters: [20, () => choose.map([{ a: "b" }, { c: "" }], [{ "": "x" }])],
        allowVolumeExpansion: [20, () => choose.maybe()],
        mountOptions: [20, () => ["a"]],
        allowedTopologies: [
          10,
          () => [
            {
              matchLabelExpressions: choose.one(
                [[{ key: "a", values: ["b"] }]],
                [[{ key: "a b", values: ["b"] }], [{ key: "a", values: [] }]],
              ),
            },
          ],
        ],
      }),
  },
];
