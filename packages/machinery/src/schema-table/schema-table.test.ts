import { describe, expect, test } from "vitest";
import { builtinTable, tableSchemas, zeroObject, type TableShape } from "./index.ts";
import { tableText } from "./table-text.ts";

const table = builtinTable();
const core = "io.k8s.api.core.v1";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

function field(type: string, name: string) {
  const found = table.type(type)?.fields.get(name);
  if (found === undefined) throw new Error(`${type}.${name} is not in the table`);
  return found;
}

describe("types", () => {
  test("are found by name and by kind", () => {
    const pod = table.type(`${core}.Pod`);
    expect(pod).toMatchObject({ title: "Pod", kind: { group: "", version: "v1", kind: "Pod" } });
    expect(table.kind({ group: "", version: "v1", kind: "Pod" })).toBe(pod);
    expect(table.kind({ group: "apps", version: "v1", kind: "Deployment" })?.name).toBe(
      "io.k8s.api.apps.v1.Deployment",
    );
    expect(table.kind({ group: "", version: "v1", kind: "Status" })?.name).toBe(`${meta}.Status`);
  });

  test("that travel in every group version are found in every one", () => {
    expect(table.kind({ group: "batch", version: "v1", kind: "DeleteOptions" })?.name).toBe(
      `${meta}.DeleteOptions`,
    );
  });

  test("that are not there, or are parts only, are not found", () => {
    expect(table.type(`${core}.Nothing`)).toBeUndefined();
    expect(table.kind({ group: "", version: "v1", kind: "PodSpec" })).toBeUndefined();
    expect(table.kind({ group: "apps", version: "v1beta1", kind: "Deployment" })).toBeUndefined();
  });

  test("that are no structs have a shape", () => {
    expect(table.type(`${meta}.Time`)?.shape).toEqual({ is: "date-time" });
    expect(table.type("io.k8s.apimachinery.pkg.util.intstr.IntOrString")?.shape).toEqual({
      is: "int-or-string",
    });
  });

  test("are all there, and refer only to each other", () => {
    expect(table.names.length).toBe(771);
    const missing = table.names.flatMap((name) =>
      [...(table.type(name)?.fields.values() ?? [])].flatMap(({ shape }) => references(shape)),
    );
    expect(missing.length).toBeGreaterThan(800);
    expect(missing.filter((name) => table.type(name) === undefined)).toEqual([]);
  });

  test("take little room", () => {
    expect(tableText.length).toBeLessThan(100_000);
  });
});

describe("fields", () => {
  test("have a shape, and say whether they are required", () => {
    expect(field(`${core}.PodSpec`, "containers")).toMatchObject({
      shape: { is: "list", of: { is: "reference", to: `${core}.Container` } },
      required: true,
    });
    expect(field(`${core}.Secret`, "data").shape).toEqual({ is: "map", of: { is: "bytes" } });
    expect(field(`${core}.PodSpec`, "nodeName").required).toBe(false);
  });

  test("say how lists and maps are merged", () => {
    expect(field(`${core}.Container`, "ports").listType).toEqual({
      type: "map",
      keys: ["containerPort", "protocol"],
    });
    expect(field(`${meta}.ObjectMeta`, "finalizers").listType).toEqual({ type: "set", keys: [] });
    expect(field(`${core}.Container`, "args").listType).toEqual({ type: "atomic", keys: [] });
    expect(field(`${core}.Service`, "metadata").listType).toBeUndefined();
    expect(field(`${core}.PodSpec`, "nodeSelector").mapType).toBe("atomic");
    expect(table.type(`${meta}.LabelSelector`)?.mapType).toBe("atomic");
  });

  test("say how strategic merge patches treat them", () => {
    expect(field(`${core}.PodSpec`, "volumes")).toMatchObject({
      patchStrategies: ["merge", "retainKeys"],
      patchMergeKey: "name",
    });
    expect(field("io.k8s.api.apps.v1.DeploymentSpec", "strategy").patchStrategies).toEqual(["retainKeys"]);
  });

  test("have the protobuf numbers of the way to them", () => {
    expect(field(`${core}.PodSpec`, "containers").protobuf).toEqual({ path: [2], wrapped: false });
    expect(field(`${core}.Probe`, "httpGet").protobuf).toEqual({ path: [1, 2], wrapped: false });
    expect(
      field("io.k8s.api.admissionregistration.v1.NamedRuleWithOperations", "apiGroups").protobuf?.path,
    ).toEqual([2, 2, 1]);
    expect(field("io.k8s.api.authentication.v1.UserInfo", "extra").protobuf?.wrapped).toBe(true);
    expect(field(`${core}.Event`, "kind").protobuf).toBeUndefined();
  });

  test("say whether zero is something else than unset", () => {
    expect(field("io.k8s.api.apps.v1.DeploymentSpec", "replicas").zeroCounts).toBe(true);
    expect(field("io.k8s.api.apps.v1.DeploymentSpec", "minReadySeconds").zeroCounts).toBe(false);
    expect(field(`${core}.PersistentVolumeClaimSpec`, "storageClassName").zeroCounts).toBe(true);
  });

  test("have defaults where the API definition states them", () => {
    expect(field(`${core}.ServicePort`, "protocol").default).toBe("TCP");
    expect(field(`${core}.ServicePort`, "name").default).toBeUndefined();
  });
});

test("an object that nothing was said of is what Kubernetes writes for it", () => {
  expect(zeroObject(table, { group: "apps", version: "v1", kind: "StatefulSet" })).toEqual({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {},
    spec: {
      selector: null,
      serviceName: "",
      template: { metadata: {}, spec: { containers: null } },
      updateStrategy: {},
    },
    status: { availableReplicas: 0, replicas: 0 },
  });
  expect(zeroObject(table, { group: "", version: "v1", kind: "Event" })).toMatchObject({
    eventTime: null,
    reportingComponent: "",
    source: {},
  });
  expect(zeroObject(table, { group: "", version: "v1", kind: "Nothing" })).toBeUndefined();
});

describe("schemas for merging", () => {
  const schemas = tableSchemas(table);

  test("are made once", () => {
    expect(schemas(`${core}.Pod`)).toBe(schemas(`${core}.Pod`));
    expect(schemas("nothing")).toBeUndefined();
  });

  test("know keys of list items, and what stands in for those that are left out", () => {
    const ports = schemas(`${core}.Container`)?.map?.field("ports")?.type.list;
    expect(ports).toMatchObject({ type: "map", keys: ["containerPort", "protocol"] });
    expect(ports?.item.map?.field("protocol")?.default).toBe("TCP");
    expect(ports?.item.map?.field("containerPort")?.default).toBe(0);
    expect(ports?.item.map?.field("hostIP")?.default).toBeUndefined();
  });

  test("treat a list without a list type as the patch strategy says", () => {
    expect(field(`${core}.PodStatus`, "podIPs").listType?.type).toBe("map");
    const strategyOnly = table.names.flatMap((name) =>
      [...(table.type(name)?.fields.values() ?? [])].filter(
        ({ shape, listType, patchStrategies }) =>
          shape.is === "list" && listType === undefined && patchStrategies.includes("merge"),
      ),
    );
    expect(strategyOnly).toEqual([]);
  });

  test("take raw content as a whole, and quantities as any scalar", () => {
    expect(schemas("io.k8s.apimachinery.pkg.runtime.RawExtension")?.map?.atomic).toBe(true);
    expect(schemas("io.k8s.apimachinery.pkg.api.resource.Quantity")).toMatchObject({
      scalar: "untyped",
      map: undefined,
    });
  });

  test("let a field override how the type that it refers to is merged", () => {
    expect(schemas(`${core}.ObjectReference`)?.map?.atomic).toBe(true);
    expect(schemas(`${core}.PersistentVolumeSpec`)?.map?.field("claimRef")?.type.map?.atomic).toBe(false);
  });
});

function references(shape: TableShape): readonly string[] {
  if (shape.is === "reference") return [shape.to];
  return shape.is === "list" || shape.is === "map" ? references(shape.of) : [];
}
