import { describe, expect, test } from "vitest";
import { StatusError } from "../errors/status.ts";
import type { JsonObject } from "../json-value.ts";
import { setOf } from "./field-set.ts";
import { keepTimes } from "./no-op.ts";
import { metaOf, withMeta } from "./object-meta.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { configMaps, deployments, objectOf, owners } from "./testing/apply-to.ts";
import { trackUpdate } from "./track-update.ts";

const monday = "2026-11-16T10:00:00Z";
const tuesday = "2026-11-17T10:00:00Z";

function configMap(data: object): JsonObject {
  return objectOf(configMaps, { data });
}

function applyMap(live: Readonly<JsonObject> | undefined, manager: string, data: object, more: object = {}) {
  return serverSideApply(
    { live: live ?? configMaps.emptyObject ?? {}, applied: configMap(data), manager, time: monday, ...more },
    configMaps,
  );
}

function stored(object: Readonly<JsonObject>): Readonly<JsonObject> {
  return withMeta(object, "uid", "1");
}

function failure(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error("did not fail");
}

describe("creating", () => {
  test("gives the applied object, owned by who applied it", () => {
    const object = applyMap(undefined, "me", { a: "1" });
    expect(object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "x",
        namespace: "default",
        managedFields: [
          {
            manager: "me",
            operation: "Apply",
            apiVersion: "v1",
            time: monday,
            fieldsType: "FieldsV1",
            fieldsV1: { "f:data": { "f:a": {} } },
          },
        ],
      },
      data: { a: "1" },
    });
  });

  test("nobody owns name, namespace, kind and what the server writes", () => {
    const applied = objectOf(configMaps, {
      metadata: { name: "x", uid: "1", resourceVersion: "2", creationTimestamp: monday, labels: { a: "b" } },
    });
    const object = serverSideApply({ live: {}, applied, manager: "me", time: monday }, configMaps);
    expect(owners(object)).toEqual(['me Apply {"f:metadata":{"f:labels":{"f:a":{}}}}']);
  });

  test("structs are not owned, maps' keys, list items and empty structs are", () => {
    const container = { name: "a", image: "i", ports: [{ containerPort: 80 }], resources: {} };
    const spec = { template: { spec: { containers: [container], nodeSelector: { x: "y" } } } };
    const applied = objectOf(deployments, { spec });
    const object = serverSideApply(
      { live: deployments.emptyObject ?? {}, applied, manager: "me", time: monday },
      deployments,
    );
    const item = `"k:{\\"name\\":\\"a\\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:containerPort":{}}},"f:resources":{}}`;
    expect(owners(object)).toEqual([
      `me Apply {"f:spec":{"f:template":{"f:spec":{"f:containers":{${item}},"f:nodeSelector":{}}}}}`,
    ]);
  });
});

describe("sharing, taking and giving up", () => {
  const mine = stored(applyMap(undefined, "one", { a: "1", b: "1" }));

  test("who applies other fields owns them, and leaves the rest alone", () => {
    const object = applyMap(mine, "two", { c: "2" });
    expect(object["data"]).toEqual({ a: "1", b: "1", c: "2" });
    expect(owners(object)).toEqual([
      'one Apply {"f:data":{"f:a":{},"f:b":{}}}',
      'two Apply {"f:data":{"f:c":{}}}',
    ]);
  });

  test("who applies the same value shares the field", () => {
    const object = applyMap(mine, "two", { a: "1" });
    // Nothing changed, so there is no time yet; that puts it first.
    expect(owners(object)).toEqual([
      'two Apply {"f:data":{"f:a":{}}}',
      'one Apply {"f:data":{"f:a":{},"f:b":{}}}',
    ]);
  });

  test("who applies another value fails, with the owner's name", () => {
    const error = failure(() => applyMap(mine, "two", { a: "2" }));
    expect(error.status).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      reason: "Conflict",
      details: {
        causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.a" }],
      },
      code: 409,
    });
  });

  test("conflicts with several managers are told by manager", () => {
    const theirs = trackUpdate(
      { live: mine, updated: { ...mine, data: { a: "1", b: "3" } }, manager: "edit", time: tuesday },
      { ...configMaps, subresource: "" },
    );
    const error = failure(() => applyMap(theirs, "two", { a: "2", b: "2" }));
    expect(error.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "edit" using v1:\n- .data.b\nconflicts with "one":\n- .data.a',
    );
    expect(error.status.details?.causes?.map(({ field }) => field)).toEqual([".data.b", ".data.a"]);
  });

  test("of very many conflicts the first are told, and how many there are", () => {
    const keys = Array.from({ length: 1200 }, (_, index) => `k${1000 + index}`);
    const data = (value: string) => Object.fromEntries(keys.map((key) => [key, value]));
    const many = stored(applyMap(undefined, "one", data("1")));
    const error = failure(() => applyMap(many, "two", data("2")));
    expect(error.message).toMatch(
      /^Apply failed with 1200 conflicts: conflicts with "one":\n- \.data\.k1000\n.*\n- \.data\.k1999\nand 200 more$/su,
    );
    expect(error.status.details?.causes?.length).toBe(1000);
  });

  test("who forces it takes the field away from its owner", () => {
    const object = applyMap(mine, "two", { a: "2" }, { force: true });
    expect(object["data"]).toEqual({ a: "2", b: "1" });
    expect(owners(object)).toEqual(['one Apply {"f:data":{"f:b":{}}}', 'two Apply {"f:data":{"f:a":{}}}']);
  });

  test("a field that its owner does not apply any more is removed", () => {
    const object = applyMap(mine, "one", { a: "1" });
    expect(object["data"]).toEqual({ a: "1" });
    expect(owners(object)).toEqual(['one Apply {"f:data":{"f:a":{}}}']);
  });

  test("unless somebody else owns it, too", () => {
    const shared = stored(applyMap(mine, "two", { b: "1" }));
    const object = applyMap(shared, "one", { a: "1" });
    expect(object["data"]).toEqual({ a: "1", b: "1" });
  });

  test("and what nobody applied stays", () => {
    const live = { ...mine, data: { a: "1", b: "1", z: "9" } };
    expect(applyMap(live, "one", {})["data"]).toEqual({ z: "9" });
  });

  test("who gives up everything is forgotten", () => {
    const both = stored(applyMap(mine, "two", { c: "2" }));
    const object = serverSideApply(
      { live: both, applied: objectOf(configMaps), manager: "one", time: tuesday },
      configMaps,
    );
    expect(object["data"]).toEqual({ c: "2" });
    expect(owners(object)).toEqual(['two Apply {"f:data":{"f:c":{}}}']);
  });

  test("the same manager of a subresource is another one", () => {
    const status = { ...configMaps, subresource: "status" };
    const error = failure(() =>
      serverSideApply({ live: mine, applied: configMap({ a: "2" }), manager: "one", time: tuesday }, status),
    );
    expect(error.message).toContain('conflict with "one": .data.a');
    const forced = serverSideApply(
      { live: mine, applied: configMap({ a: "2" }), manager: "one", time: tuesday, force: true },
      status,
    );
    expect(owners(forced)).toEqual([
      'one Apply {"f:data":{"f:b":{}}}',
      'one Apply status {"f:data":{"f:a":{}}}',
    ]);
  });
});

describe("doing it again", () => {
  const first = stored(applyMap(undefined, "me", { a: "1" }));

  test("changes nothing, not even times", () => {
    const again = applyMap(first, "me", { a: "1" }, { time: tuesday });
    expect(keepTimes(first, again)).toEqual(first);
  });

  test("with another value changes the time", () => {
    const [entry] = metaOf(applyMap(first, "me", { a: "2" }, { time: tuesday }))[
      "managedFields"
    ] as unknown[];
    expect(entry).toMatchObject({ time: tuesday });
  });

  test("old times are kept only when all else is the same", () => {
    const other = withMeta(first, "managedFields", [
      { ...(metaOf(first)["managedFields"] as object[])[0], time: tuesday },
    ]);
    expect(keepTimes(first, other)).toEqual(first);
    expect(keepTimes(first, { ...other, data: { a: "2" } })).toEqual({ ...other, data: { a: "2" } });
  });
});

describe("objects that were not applied before", () => {
  test("belong to before-first-apply", () => {
    const live = stored(configMap({ a: "1", b: "1" }));
    const object = applyMap(live, "me", { a: "1" });
    expect(owners(object)).toEqual([
      'me Apply {"f:data":{"f:a":{}}}',
      'before-first-apply Update {"f:data":{".":{},"f:a":{},"f:b":{}}}',
    ]);
    expect(failure(() => applyMap(live, "me", { a: "2" })).message).toContain(
      '"before-first-apply" using v1',
    );
  });

  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const live = stored(
    objectOf(configMaps, {
      metadata: { name: "x", annotations: { [annotation]: JSON.stringify(configMap({ a: "1" })) } },
      data: { a: "1", b: "1" },
    }),
  );

  test("kubectl may take what it applied in the old way, and keeps its annotation", () => {
    const object = serverSideApply(
      { live, applied: configMap({ a: "2" }), manager: "kubectl", time: monday },
      configMaps,
    );
    expect(object["data"]).toEqual({ a: "2", b: "1" });
    expect(metaOf(object)["annotations"]).toEqual({
      [annotation]: `{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"x","namespace":"default"}}\n`,
    });
  });

  test("but not what it applied in another version", () => {
    const text = JSON.stringify({ ...configMap({ a: "1" }), apiVersion: "v0" });
    const old = withMeta(live, "annotations", { [annotation]: text });
    expect(failure(() => applyMap(old, "kubectl", { a: "2" })).code).toBe(409);
  });

  test("others may not, nor kubectl what it did not apply", () => {
    expect(failure(() => applyMap(live, "me", { a: "2" })).code).toBe(409);
    expect(failure(() => applyMap(live, "kubectl", { a: "2", b: "2" })).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.b',
    );
  });
});

describe("requests that make no sense", () => {
  test("another kind is refused", () => {
    const applied = { ...configMap({}), kind: "Secret" };
    expect(
      failure(() => serverSideApply({ live: {}, applied, manager: "me", time: monday }, configMaps)).status,
    ).toMatchObject({ code: 400, message: "invalid object type: /v1, Kind=Secret" });
  });

  test("managedFields cannot be applied", () => {
    const applied = objectOf(configMaps, { metadata: { name: "x", managedFields: [] } });
    expect(
      failure(() => serverSideApply({ live: {}, applied, manager: "me", time: monday }, configMaps)).status,
    ).toMatchObject({ code: 400, message: "metadata.managedFields must be nil" });
  });

  test("broken managedFields of the object are an error of the server's", () => {
    const live = withMeta(configMap({}), "managedFields", [{ manager: "x" }]);
    expect(() => applyMap(live, "me", {})).toThrow(
      "failed to decode managed fields: operation must be `Apply` or `Update`",
    );
  });
});

test("fields that an endpoint resets are neither compared nor owned", () => {
  const options = { ...deployments, resetFields: setOf([["f:status"]]) };
  const applied = objectOf(deployments, { spec: { replicas: 1 }, status: { replicas: 3 } });
  const object = serverSideApply(
    { live: deployments.emptyObject ?? {}, applied, manager: "me", time: monday },
    options,
  );
  expect(owners(object)).toEqual(['me Apply {"f:spec":{"f:replicas":{}}}']);
});

test("entries of versions that are not served any more are forgotten", () => {
  const live = stored(applyMap(undefined, "one", { a: "1" }));
  const options = { ...configMaps, isServed: (version: string) => version !== "v1" };
  const object = serverSideApply(
    { live, applied: configMap({ a: "2" }), manager: "two", time: monday },
    options,
  );
  expect(owners(object).map((line) => line.split(" ")[0])).toEqual(["two"]);
});
