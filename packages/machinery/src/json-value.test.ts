import { describe, expect, test } from "vitest";
import { getOwn, isJsonList, isJsonObject, setOwn } from "./json-value.ts";

test.each([
  ["an object", {}, true, false],
  ["a list", [], false, true],
  ["null", null, false, false],
  ["a text", "{}", false, false],
  ["nothing", undefined, false, false],
])("%s", (_name, value, isObject, isList) => {
  expect(isJsonObject(value)).toBe(isObject);
  expect(isJsonList(value)).toBe(isList);
});

describe("own keys", () => {
  test("what every object inherits is not found", () => {
    expect(getOwn({}, "constructor")).toBeUndefined();
    expect(getOwn({}, "__proto__")).toBeUndefined();
    expect(getOwn({ constructor: 1 }, "constructor")).toBe(1);
  });

  test("__proto__ becomes a key like any other and changes no prototype", () => {
    const object = {};
    setOwn(object, "__proto__", { polluted: true });
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(getOwn(object, "__proto__")).toEqual({ polluted: true });
    expect(JSON.stringify(object)).toBe('{"__proto__":{"polluted":true}}');
  });
});
