import { fieldErrorText, isForbidden, VirtualClock } from "@kedge/machinery";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ApiObject, Objects, Resource } from "../registry/types.ts";
import { createCustomResources, type CustomResources } from "./create-custom-resources.ts";
import { definitionResource } from "./definition/definition-resource.ts";
import { definitionOf } from "./definition/definition.ts";
import { memoryObjects } from "./testing/memory-objects.ts";
import { allErrors } from "../write/errors-of.ts";

const definitions = definitionResource();

let objects: Objects;
let custom: CustomResources;

beforeEach(() => {
  const clock = new VirtualClock();
  objects = memoryObjects([definitions], clock);
  custom = createCustomResources({ objects, definitions, clock });
});

afterEach(() => custom.stop());

function definition(name: string, spec: Readonly<Record<string, unknown>> = {}): ApiObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: name, kind: "Thing" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
      ...spec,
    },
  };
}

async function define(name: string, spec?: Readonly<Record<string, unknown>>): Promise<void> {
  await objects.create(definitions, definition(name, spec));
  await custom.idle();
}

function conditions(name: string): Record<string, string> {
  const object = objects.get(definitions, { name: `${name}.example.com` });
  if (object === undefined) return { gone: "True" };
  const all = definitionOf(object).status?.conditions ?? [];
  return Object.fromEntries(all.map(({ type = "", status, reason }) => [type, `${status} ${reason}`]));
}

function served(plural = "things", version = "v1"): Resource {
  const resource = objects.registry.resource("example.com", version, plural);
  if (resource === undefined) throw new Error(`${version} ${plural} is not served`);
  return resource;
}

const thing = (fields: Readonly<Record<string, unknown>> = {}): ApiObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a", namespace: "default" },
  ...fields,
});

describe("a definition", () => {
  test("gets its names, is served, and is established", async () => {
    await define("things", { names: { plural: "things", kind: "Thing", shortNames: ["th"] } });
    expect(conditions("things")).toEqual({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
    const { spec, status } = definitionOf(
      objects.get(definitions, { name: "things.example.com" }) ?? definition("none"),
    );
    expect(status?.acceptedNames).toEqual(spec?.names);
    expect(status?.storedVersions).toEqual(["v1"]);
    expect(served()).toMatchObject({
      kind: "Thing",
      listKind: "ThingList",
      singular: "thing",
      shortNames: ["th"],
    });
  });

  test("is served before it says that it is established", async () => {
    const seen: boolean[] = [];
    objects.onChange(definitions, () => {
      if (conditions("things")["Established"]?.startsWith("True") !== true) return;
      seen.push(objects.registry.resource("example.com", "v1", "things") !== undefined);
    });
    await define("things");
    expect(seen).toEqual([true]);
  });

  test("that cannot be served keeps no server from starting", async () => {
    await define("things");
    custom.stop();
    const clock = new VirtualClock();
    const broken = objects.list(definitions).map((object) => ({
      ...object,
      metadata: { ...object.metadata, name: "others.example.com" },
      spec: { group: "example.com", names: { plural: "others", kind: "Thing" }, versions: [null] },
    }));
    vi.spyOn(objects, "list").mockReturnValue([...broken, ...objects.list(definitions)]);
    expect(() => (custom = createCustomResources({ objects, definitions, clock }))).not.toThrow();
  });

  test("whose names another one has waits until that one is gone", async () => {
    await define("things");
    await define("others");
    expect(conditions("others")).toEqual({
      NamesAccepted: "False ListKindConflict",
      Established: "False NotAccepted",
    });
    expect(objects.registry.resource("example.com", "v1", "others")).toBeUndefined();
    await objects.delete(definitions, { name: "things.example.com" });
    await custom.idle();
    expect(conditions("things")).toEqual({ gone: "True" });
    expect(conditions("others")).toEqual({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
    expect(served("others").kind).toBe("Thing");
  });

  test("serves its served versions, the newest first, and what it says now", async () => {
    const version = (name: string, fields: object = {}): object => ({
      name,
      served: true,
      storage: name === "v1",
      schema: { openAPIV3Schema: { type: "object" } },
      ...fields,
    });
    await define("things", {
      versions: [
        version("v1", { deprecated: true }),
        version("v2"),
        version("v2beta1"),
        version("v3", { served: false }),
      ],
    });
    const versions = (): string[] =>
      objects.registry
        .all()
        .filter(({ group }) => group === "example.com")
        .map((each) => each.version);
    expect(versions()).toEqual(["v2", "v1", "v2beta1"]);
    expect(served("things", "v1").deprecationWarning).toBe(
      "example.com/v1 Thing is deprecated; use example.com/v2 Thing",
    );
    await objects.update(definitions, { name: "things.example.com" }, (object) => {
      object["spec"] = { ...definitionOf(object).spec, versions: [version("v1")] };
      return true;
    });
    await custom.idle();
    expect(versions()).toEqual(["v1"]);
  });

  test("that was established is served at once after a restart", async () => {
    await define("things");
    custom.stop();
    objects.registry.replace([served()], []);
    custom = createCustomResources({ objects, definitions, clock: new VirtualClock() });
    expect(served().kind).toBe("Thing");
  });
});

describe("a definition that is deleted", () => {
  test("goes when its objects are gone, and takes no new ones", async () => {
    await define("things");
    await objects.create(
      served(),
      thing({ metadata: { name: "held", namespace: "default", finalizers: ["x.example.com/1"] } }),
    );
    await objects.create(served(), thing());
    await objects.delete(definitions, { name: "things.example.com" });
    expect(conditions("things")["Terminating"]).toBe("True InstanceDeletionPending");
    await custom.idle();
    expect(conditions("things")["Terminating"]).toBe("True InstanceDeletionInProgress");
    expect(objects.list(served()).map(({ metadata }) => metadata.name)).toEqual(["held"]);
    const late = objects.create(served(), thing({ metadata: { name: "late", namespace: "default" } }));
    await expect(late).rejects.toSatisfy(isForbidden);
    await objects.update(served(), { namespace: "default", name: "held" }, ({ metadata }) => {
      metadata.finalizers = [];
      return true;
    });
    await custom.idle();
    expect(conditions("things")).toEqual({ gone: "True" });
    expect(objects.registry.resource("example.com", "v1", "things")).toBeUndefined();
  });

  test("goes at once when it was never established", async () => {
    await define("things");
    await define("others");
    await objects.delete(definitions, { name: "others.example.com" });
    await custom.idle();
    expect(conditions("others")).toEqual({ gone: "True" });
    expect(served().kind).toBe("Thing");
  });
});

describe("objects of a custom kind", () => {
  const schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { size: { type: "integer", maximum: 9, default: 3 }, colour: { type: "string" } },
      },
      status: { type: "object", properties: { ready: { type: "boolean" }, size: { type: "integer" } } },
    },
  };
  const version = (fields: object): Record<string, unknown> => ({
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...fields }],
  });
  const errorsOf = (object: ApiObject, previous?: ApiObject): string[] =>
    allErrors(served().strategy.validate?.(object, previous)).map(fieldErrorText);

  test("are pruned, filled in and checked by their schema", async () => {
    await define("things", version({}));
    const object = thing({ spec: { bogus: 1 } });
    expect(served().custom?.prune(object)).toEqual(["spec.bogus"]);
    served().custom?.default(object);
    expect(object["spec"]).toEqual({ size: 3 });
    const tooLarge = "spec.size: Invalid value: 12: spec.size in body should be less than or equal to 9";
    expect(errorsOf(thing({ spec: { size: 12 } }))).toEqual([tooLarge]);
    expect(errorsOf(thing({ spec: { size: 12 } }), thing({ spec: { size: 11 } }))).toEqual([tooLarge]);
    expect(errorsOf(thing({ spec: { size: 12, colour: "red" } }), thing({ spec: { size: 12 } }))).toEqual([]);
    expect(errorsOf({ ...thing(), kind: "Other" })).toEqual(['kind: Invalid value: "Other": must be Thing']);
  });

  test("of a version that is not stored are checked before they lose what the stored one does not know", async () => {
    const older = { type: "object", required: ["old"], properties: { old: { type: "string" } } };
    const other = { name: "v0", served: true, storage: false, schema: { openAPIV3Schema: older } };
    await define("things", {
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }, other],
    });
    const { strategy, custom: decoder } = served("things", "v0");
    const object = { ...thing({ old: "yes" }), apiVersion: "example.com/v0" };
    expect(allErrors(strategy.validate?.(object)).map(fieldErrorText)).toEqual([]);
    decoder?.settle?.(object);
    expect(object).not.toHaveProperty("old");
    expect(served().custom).not.toHaveProperty("settle");
  });

  test("have a status that is written apart, with the subresource", async () => {
    await define("things", version({ subresources: { status: {} } }));
    await objects.create(served(), thing({ spec: { size: 1 }, status: { ready: true } }));
    const key = { namespace: "default", name: "a" };
    expect(objects.get(served(), key)?.["status"]).toBeUndefined();
    const write = async (change: Readonly<Record<string, unknown>>, subresource?: string): Promise<unknown> =>
      await objects.update(
        served(),
        key,
        (object) => {
          Object.assign(object, change);
          return true;
        },
        subresource === undefined ? {} : { subresource },
      );
    expect(await write({ status: { ready: true }, spec: { size: 5 }, extra: 1 }, "status")).toMatchObject({
      spec: { size: 1 },
      status: { ready: true },
    });
    expect(objects.get(served(), key)).not.toHaveProperty("extra");
    expect(await write({ status: { ready: false }, spec: { size: 5 } })).toMatchObject({
      spec: { size: 5 },
      status: { ready: true },
    });
    await expect(write({ status: { ready: "yes" } }, "status")).rejects.toThrow(
      'status.ready: Invalid value: "string": ready in body must be of type boolean: "string"',
    );
    expect(served().strategy.generation).toBeUndefined();
  });

  test("have a status that is a field like others, without the subresource", async () => {
    await define("things", version({}));
    expect(served().subresources.size).toBe(0);
    const { generation } = served().strategy;
    expect(typeof generation === "function" && generation(thing({ status: { ready: true } }), thing())).toBe(
      true,
    );
    expect(
      typeof generation === "function" &&
        generation(thing({ metadata: { name: "a", labels: { a: "b" } } }), thing()),
    ).toBe(false);
  });

  test("are scaled, selected and shown as their definition says", async () => {
    await define(
      "things",
      version({
        subresources: {
          scale: {
            specReplicasPath: ".spec.size",
            statusReplicasPath: ".status.size",
            labelSelectorPath: ".status.selector",
          },
        },
        selectableFields: [{ jsonPath: ".spec.colour" }],
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
      }),
    );
    const scale = served().subresources.get("scale");
    expect(scale?.type === "scale" && scale.selector(thing({ status: { selector: "app=a" } }))).toBe("app=a");
    expect(errorsOf(thing({ spec: { size: -5 }, status: { size: 2 ** 31 } }))).toEqual([
      ".spec.size: Invalid value: -5: should be a non-negative integer",
      ".status.size: Invalid value: 2147483648: should be less than or equal to 2147483647",
    ]);
    const { selectableFieldNames, selectableFields } = served().strategy;
    expect(selectableFieldNames).toEqual(["spec.colour"]);
    expect(selectableFields?.(thing({ spec: { colour: "red" } }))).toEqual({ "spec.colour": "red" });
    expect(selectableFields?.(thing())).toEqual({ "spec.colour": "" });
    expect(served().table.cells(thing({ spec: { size: 3 } }), 0)).toEqual(["a", 3]);
  });

  test("warn of finalizers that others might use", async () => {
    await define("things");
    const object = thing({ metadata: { name: "a", finalizers: ["mine", "a.b", "x.example.com/1"] } });
    expect(served().strategy.warnings?.(object, undefined)).toEqual([
      'metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });
});
