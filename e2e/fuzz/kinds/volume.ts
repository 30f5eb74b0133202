import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { labelSelector, quantity } from "./values.ts";

/** A volume of a pod. */
export function volume(choose: Chooser, name: string): JsonObject {
  const sources: Readonly<Record<string, () => JsonObject>> = {
    emptyDir: () =>
      choose.fields({
        sizeLimit: [30, () => quantity(choose)],
        medium: [20, () => choose.one(["Memory", "", "HugePages"], ["Bad"])],
      }),
    configMap: () => ({ ...choose.fields({ name: [100, () => "m"] }), ...files(choose) }),
    secret: () => ({ ...choose.fields({ secretName: [100, () => "s"] }), ...files(choose) }),
    hostPath: () =>
      choose.fields({
        path: [100, () => choose.one(["/x"], ["", "a/../b"])],
        type: [40, () => choose.one(["", "File", "DirectoryOrCreate"], ["Bad"])],
      }),
    persistentVolumeClaim: () =>
      choose.fields({ claimName: [100, () => "c"], readOnly: [20, () => choose.maybe()] }),
    projected: () => ({
      sources: choose.list(2, () => projection(choose), 1),
      ...choose.fields({ defaultMode: [20, () => mode(choose)] }),
    }),
    downwardAPI: () => ({
      items: choose.list(2, () => downwardFile(choose)),
      ...choose.fields({ defaultMode: [20, () => mode(choose)] }),
    }),
    nfs: () => ({ server: choose.one(["s"], [""]), path: choose.one(["/x"], ["", "rel"]) }),
    csi: () =>
      choose.fields({
        driver: [100, () => choose.one(["d.e"], ["D_", ""])],
        volumeAttributes: [20, () => ({ a: "b" })],
      }),
    ephemeral: () =>
      choose.fields({
        volumeClaimTemplate: [
          100,
          () => ({
            ...choose.fields({ metadata: [30, () => ({ labels: { a: "b" } })] }),
            spec: claimSpec(choose),
          }),
        ],
      }),
    image: () =>
      choose.fields({
        reference: [100, () => "c:1"],
        pullPolicy: [30, () => choose.one(["Always"], ["Bad"])],
      }),
  };
  const names = Object.keys(sources);
  const common = choose.one([names, names.slice(0, 6)]);
  const chosen = choose.isFaulty
    ? choose.one([[], [choose.one(names), choose.one(names)]])
    : [choose.one(common)];
  return { name, ...Object.fromEntries(chosen.map((source) => [source, sources[source]?.()])) };
}

/** What a claim asks for. */
export function claimSpec(choose: Chooser): JsonObject {
  return choose.fields({
    accessModes: [
      100,
      () =>
        choose.one(
          [["ReadWriteOnce"], ["ReadOnlyMany", "ReadWriteMany"], ["ReadWriteOncePod"]],
          [[], ["Bad"], ["ReadWriteOnce", "ReadWriteOncePod"]],
        ),
    ],
    resources: [
      100,
      () => ({
        requests: choose.fields({
          storage: [100, () => choose.one(["1Gi", "10M", 1024, "1.5Gi"], ["0", "-1", "0.1"])],
        }),
        ...choose.fields({ limits: [10, () => ({ storage: "2Gi" })] }),
      }),
    ],
    volumeMode: [20, () => choose.one(["Block", "Filesystem"], ["Bad", ""])],
    storageClassName: [30, () => choose.one(["", "fast"], ["Bad_"])],
    selector: [10, () => labelSelector(choose)],
    volumeName: [10, () => choose.one(["pv", ""], ["Bad_"])],
    [choose.one(["dataSource", "dataSource", "dataSourceRef"])]: [
      10,
      () =>
        choose.one<JsonObject>(
          [
            { kind: "PersistentVolumeClaim", name: "a" },
            { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" },
            { kind: "X", name: "a" },
          ],
          [
            { kind: "", name: "a" },
            { kind: "PersistentVolumeClaim", name: "" },
          ],
        ),
    ],
  });
}

function files(choose: Chooser): JsonObject {
  return choose.fields({
    items: [30, () => items(choose)],
    defaultMode: [20, () => mode(choose)],
    optional: [15, () => choose.maybe()],
  });
}

function items(choose: Chooser): readonly JsonObject[] {
  return choose.named(["p", "q/r"], 2, (path) => ({
    ...choose.fields({ key: [100, () => choose.one(["k", "l"], [""])], mode: [20, () => mode(choose)] }),
    path: choose.one([path], ["/abs", "..x", "a/../b", ""]),
  }));
}

function mode(choose: Chooser): number {
  return choose.one([0o644, 0, 0o777], [9999, -1]);
}

function projection(choose: Chooser): JsonObject {
  const ways: Readonly<Record<string, () => JsonObject>> = {
    serviceAccountToken: () =>
      choose.fields({
        path: [100, () => choose.one(["t", "u"], ["", "../x"])],
        expirationSeconds: [30, () => choose.one([600, 3600], [5, 2 ** 33])],
        audience: [10, () => "a"],
      }),
    configMap: () => choose.fields({ name: [100, () => "m"], items: [30, () => items(choose)] }),
    secret: () =>
      choose.fields({ name: [100, () => "s"], items: [30, () => items(choose)], optional: [10, () => true] }),
    downwardAPI: () => ({ items: choose.list(2, () => downwardFile(choose)) }),
  };
  const names = Object.keys(ways);
  const chosen = choose.isFaulty ? choose.one([[], names.slice(0, 2)]) : [choose.one(names)];
  return Object.fromEntries(chosen.map((name) => [name, ways[name]?.()]));
}

function downwardFile(choose: Chooser): JsonObject {
  return choose.fields({
    path: [100, () => choose.one(["d", "e/f"], ["/x", "", ".."])],
    fieldRef: [
      100,
      () => ({
        fieldPath: choose.one(
          ["metadata.name", "metadata.labels", "metadata.annotations['a']"],
          ["spec.nodeName", "x"],
        ),
      }),
    ],
    mode: [10, () => mode(choose)],
  });
}
