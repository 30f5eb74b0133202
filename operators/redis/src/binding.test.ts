import { controllerReference, resourceVersion, uid } from "@kedge/machinery";
import { expect, it } from "vitest";
import { bindingData, bindingState } from "./binding.ts";
import { instanceOf } from "./testing/builders.ts";

const instance = instanceOf();
const open = instanceOf({ auth: { enabled: false } });

function secret(data: Readonly<Record<string, string>>, owner: typeof instance | undefined = instance) {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      namespace: "shop",
      name: "any",
      uid: uid("s"),
      resourceVersion: resourceVersion("1"),
      creationTimestamp: "2026-11-16T00:00:00Z",
      ownerReferences: owner === undefined ? [] : [controllerReference(owner)],
    },
    data,
  };
}
const inUse = secret({ password: Buffer.from("a/b c").toString("base64") });
const decoded = (data: ReturnType<typeof bindingData>): unknown =>
  data === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
      );

it("says all that servicebinding.io asks for", () => {
  expect(decoded(bindingData(instance, inUse))).toEqual({
    type: "redis",
    provider: "kedge",
    host: "cache.shop.svc",
    port: "6379",
    username: "default",
    password: "a/b c",
    uri: "redis://default:a%2Fb%20c@cache.shop.svc:6379",
  });
});

it("has no password where none is asked for, also when there is one", () => {
  expect(decoded(bindingData(open, inUse))).toEqual({
    type: "redis",
    provider: "kedge",
    host: "cache.shop.svc",
    port: "6379",
    uri: "redis://cache.shop.svc:6379",
  });
});

const right = { ...bindingData(instance, inUse) };
it.each([
  ["nothing yet without a password", undefined, undefined, "none"],
  ["to be made", inUse, undefined, "stale"],
  ["as it should be", inUse, secret(right), "there"],
  ["of another password", inUse, secret({ ...right, password: "b3RoZXI=" }), "stale"],
  ["with more than it should say", inUse, secret({ ...right, more: "" }), "stale"],
  ["somebody else's", inUse, secret(right, instanceOf({}, { metadata: { uid: uid("other") } })), "stale"],
] as const)("is %s", (_what, password, binding, state) => {
  expect(bindingState(instance, { inUse: password, binding })).toBe(state);
});
