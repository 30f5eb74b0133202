import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json-value.ts";
import { setOf } from "./field-set.ts";
import { metaOf, withMeta } from "./object-meta.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { configMaps, deployments, objectOf, owners } from "./testing/apply-to.ts";
import { trackUpdate } from "./track-update.ts";

const monday = "2026-11-16T10:00:00Z";
const tuesday = "2026-11-17T10:00:00Z";

function configMap(data: object): JsonObject {
  return objectOf(configMaps, { data });
}

function create(manager: string, data: object): Readonly<JsonObject> {
  const live = configMaps.emptyObject ?? {};
  return stored(trackUpdate({ live, updated: configMap(data), manager, time: monday }, configMaps));
}

function update(live: Readonly<JsonObject>, manager: string, data: object): Readonly<JsonObject> {
  return trackUpdate({ live, updated: { ...live, data }, manager, time: tuesday }, configMaps);
}

function stored(object: Readonly<JsonObject>): Readonly<JsonObject> {
  return withMeta(object, "uid", "1");
}

function times(object: Readonly<JsonObject>): readonly unknown[] {
  const entries = metaOf(object)["managedFields"];
  return Array.isArray(entries) ? entries.map((entry: Record<string, unknown>) => entry["time"]) : [];
}

describe("creating", () => {
  test("makes the creator own what he wrote", () => {
    const object = create("kubectl-create", { a: "1" });
    expect(owners(object)).toEqual(['kubectl-create Update {"f:data":{".":{},"f:a":{}}}']);
    expect(times(object)).toEqual([monday]);
  });

  test("compares with what Kubernetes writes for an empty object", () => {
    const live = deployments.emptyObject ?? {};
    const spec = {
      selector: { matchLabels: { a: "b" } },
      strategy: {},
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", resources: {} }] } },
    };
    const updated = { ...objectOf(deployments, { spec }), status: {} };
    const object = trackUpdate({ live, updated, manager: "me", time: monday }, deployments);
    expect(owners(object)).toEqual([
      'me Update {"f:spec":{"f:selector":{},"f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:name":{},"f:resources":{}}}}}}}',
    ]);
  });

  test("without a manager's name makes unknown the owner", () => {
    expect(owners(create("", { a: "1" }))[0]).toMatch(/^unknown Update/);
  });
});

describe("updating", () => {
  const live = create("one", { a: "1", b: "1" });

  test("moves what changed to who changed it", () => {
    const object = update(live, "two", { a: "2", b: "1", c: "3" });
    expect(owners(object)).toEqual([
      'one Update {"f:data":{".":{},"f:b":{}}}',
      'two Update {"f:data":{"f:a":{},"f:c":{}}}',
    ]);
    expect(times(object)).toEqual([monday, tuesday]);
  });

  test("adds to what the same manager owned, with a new time", () => {
    const object = update(live, "one", { a: "1", b: "1", c: "1" });
    expect(owners(object)).toEqual(['one Update {"f:data":{".":{},"f:a":{},"f:b":{},"f:c":{}}}']);
    expect(times(object)).toEqual([tuesday]);
  });

  test("takes what is removed from its owners, and gives it to nobody", () => {
    const object = update(live, "two", { b: "1" });
    expect(owners(object)).toEqual(['one Update {"f:data":{".":{},"f:b":{}}}']);
    expect(times(object)).toEqual([monday]);
  });

  test("that changes nothing leaves everything", () => {
    expect(update(live, "two", { a: "1", b: "1" })).toEqual(live);
  });

  test("of a subresource is owned apart", () => {
    const updated = { ...live, data: { a: "2", b: "1" } };
    const options = { ...configMaps, subresource: "status" };
    expect(owners(trackUpdate({ live, updated, manager: "one", time: tuesday }, options))[1]).toBe(
      'one Update status {"f:data":{"f:a":{}}}',
    );
  });

  test("does not count fields that the endpoint resets", () => {
    const options = { ...configMaps, resetFields: setOf([["f:data"]]) };
    const updated = { ...live, data: { a: "2" }, immutable: true };
    expect(owners(trackUpdate({ live, updated, manager: "two", time: tuesday }, options))).toEqual([
      'one Update {"f:data":{".":{},"f:a":{},"f:b":{}}}',
      'two Update {"f:immutable":{}}',
    ]);
  });
});

describe("what a writer sends as managedFields", () => {
  const live = create("one", { a: "1" });
  const write = (managedFields: unknown, options = configMaps) =>
    owners(
      trackUpdate(
        {
          live,
          updated: withMeta({ ...live, data: { a: "2" } }, "managedFields", managedFields),
          manager: "two",
          time: tuesday,
        },
        options,
      ),
    );
  const changed = ['one Update {"f:data":{}}', 'two Update {"f:data":{"f:a":{}}}'];

  test.each([
    ["nothing leaves them", undefined, changed],
    ["null leaves them", null, changed],
    ["an empty list resets them", [], []],
    ["an empty entry resets them", [{}], []],
    ["broken entries are as good as none", [{ manager: "x", operation: "Fly" }], changed],
    [
      "good entries replace them",
      [
        {
          manager: "x",
          operation: "Apply",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { "f:z": {} } },
        },
      ],
      ['x Apply {"f:data":{"f:z":{}}}', 'two Update {"f:data":{"f:a":{}}}'],
    ],
  ])("%s", (_, sent, expected) => {
    expect(write(sent)).toEqual(expected);
  });

  test("does not matter for subresources", () => {
    expect(write([], { ...configMaps, subresource: "status" })).toHaveLength(2);
  });
});

test("an object that nobody manages stays so until it is applied to", () => {
  const live = stored(configMap({ a: "1" }));
  const object = update(live, "me", { a: "2" });
  expect(owners(object)).toEqual([]);
  const applied = serverSideApply(
    { live: object, applied: configMap({ a: "2" }), manager: "me", time: monday },
    configMaps,
  );
  expect(owners(applied)).toHaveLength(2);
});

test("an object that does not fit its schema loses its managedFields, and is written all the same", () => {
  const live = create("one", { a: "1" });
  const updated = { ...live, nonsense: 1 };
  expect(trackUpdate({ live, updated, manager: "two", time: tuesday }, configMaps)).toEqual(
    withMeta(updated, "managedFields", undefined),
  );
});

test("more than ten updaters: the oldest become ancient-changes", () => {
  let live = create("u00", { u00: "1" });
  for (let index = 1; index <= 11; index++) {
    const name = `u${String(index).padStart(2, "0")}`;
    const data = { ...(live["data"] as object), [name]: "1" };
    const time = `2026-11-16T10:${String(index).padStart(2, "0")}:00Z`;
    live = trackUpdate({ live, updated: { ...live, data }, manager: name, time }, configMaps);
  }
  expect(owners(live)).toHaveLength(10);
  expect(owners(live)[0]).toBe('ancient-changes Update {"f:data":{".":{},"f:u00":{},"f:u01":{},"f:u02":{}}}');
  expect(times(live)[0]).toBe("2026-11-16T10:02:00Z");
  expect(owners(live)[9]).toBe('u11 Update {"f:data":{"f:u11":{}}}');
});

test("updaters that are too many all at once are put together until there are ten", () => {
  const entry = (index: number) => ({
    manager: `u${index}`,
    operation: "Update",
    apiVersion: "v1",
    time: `2026-11-16T10:${10 + index}:00Z`,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { [`f:k${index}`]: {} } },
  });
  const live = withMeta(
    create("one", { a: "1" }),
    "managedFields",
    Array.from({ length: 13 }, (_, i) => entry(i)),
  );
  const object = update(live, "me", { a: "2" });
  expect(owners(object)).toHaveLength(10);
  expect(owners(object)[0]).toBe(
    'ancient-changes Update {"f:data":{"f:k0":{},"f:k1":{},"f:k2":{},"f:k3":{},"f:k4":{}}}',
  );
  expect(owners(object)[9]).toBe('me Update {"f:data":{"f:a":{}}}');
});
