import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { resourceVersion, uid, type StoredObject } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { keepObject } from "./kept-object.ts";

const fieldsV1 = { "f:data": {} };
const entry = (manager: string) => ({ manager, operation: "Apply" as const, apiVersion: "v1", fieldsV1 });

function widget(managers: readonly string[]): StoredObject {
  return {
    apiVersion: "v1",
    kind: "Widget",
    metadata: {
      name: "a",
      namespace: "b",
      uid: uid("u"),
      resourceVersion: resourceVersion("1"),
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(managers.length > 0 && { managedFields: managers.map(entry) }),
    },
  };
}

describe("a kept object", () => {
  it.each([[[]], [["one"]], [["one", "two"]]])("has no managedFields: %s", (managers) => {
    const { object, applied } = keepObject(widget(managers), new Set(["two"]));
    expect(object.metadata).not.toHaveProperty("managedFields");
    expect([...applied]).toEqual(managers.includes("two") ? [["two", { fields: '{"f:data":{}}' }]] : []);
  });

  it("has metadata that V8 keeps as an object, not as a dictionary of twice the size", () => {
    setFlagsFromString("--allow-natives-syntax");
    const isFast = runInThisContext("(object) => %HasFastProperties(object)") as (object: object) => boolean;
    expect(isFast(keepObject(widget(["one"]), new Set()).object.metadata)).toBe(true);
  });
});
