import { controllerReference, resourceVersion, uid } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { passwordSource, passwordState, whyUnusable, type PasswordState } from "./password.ts";
import { authRefusals } from "./rules/auth-rules.ts";
import { instanceOf, statefulSetFor } from "./testing/builders.ts";

const instance = instanceOf();
const servers = statefulSetFor(instance);
const openServers = statefulSetFor(instanceOf({ auth: { enabled: false } }));

function secret(password: string | undefined, owner?: typeof instance) {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      namespace: "shop",
      name: "any",
      uid: uid("secret"),
      resourceVersion: resourceVersion("1"),
      creationTimestamp: "2026-11-16T00:00:00Z",
      ...(owner !== undefined && { ownerReferences: [controllerReference(owner)] }),
    },
    ...(password !== undefined && { data: { password: Buffer.from(password).toString("base64") } }),
  };
}

describe("the state of the password", () => {
  it.each<[PasswordState, string, Partial<Parameters<typeof passwordState>[0]>]>([
    ["missing", "there is nothing yet", {}],
    ["missing", "the servers ask for none", { statefulSet: openServers }],
    ["new", "users have brought one", { authSecret: secret("a") }],
    ["new", "ours was deleted", { authSecret: secret("a"), statefulSet: servers }],
    ["new", "ours is not ours", { authSecret: secret("a"), inUse: secret("b") }],
    ["unusable", "users have brought none", { authSecret: secret(undefined) }],
    ["there", "both have the same", { authSecret: secret("a"), inUse: secret("a", instance) }],
    ["changed", "they differ", { authSecret: secret("b"), inUse: secret("a", instance) }],
    ["spoilt", "theirs has none any more", { authSecret: secret(undefined), inUse: secret("a", instance) }],
    ["deleted", "theirs is gone", { inUse: secret("a", instance), statefulSet: servers }],
    ["lost", "both are gone", { statefulSet: servers }],
  ])("is %s when %s", (state, _when, facts) => {
    const nothing = { instance, authSecret: undefined, inUse: undefined, statefulSet: undefined };
    expect(passwordState({ ...nothing, ...facts })).toBe(state);
  });
});

describe("the state of a password in a Secret of the user's choice", () => {
  const named = instanceOf({ auth: { secretRef: { name: "shop-redis", key: "pass" } } });
  const given = (password: string) => {
    const { data: _, ...rest } = secret(undefined);
    return { ...rest, data: { password: "b3RoZXI=", pass: Buffer.from(password).toString("base64") } };
  };
  const ours = secret("a", named);

  it.each<[PasswordState, string, Partial<Parameters<typeof passwordState>[0]>]>([
    ["unusable", "it is not there: none is made", {}],
    ["unusable", "it is not there, and neither is ours", { statefulSet: servers }],
    ["unusable", "it has no such key", { authSecret: secret("a") }],
    ["new", "servers have none", { authSecret: given("a") }],
    ["there", "it is in use", { authSecret: given("a"), inUse: ours }],
    ["changed", "it is another one", { authSecret: given("b"), inUse: ours }],
    ["spoilt", "it is gone: servers keep theirs, and nobody makes it again", { inUse: ours }],
    ["spoilt", "its key is gone", { authSecret: secret("a"), inUse: ours }],
  ])("is %s when %s", (state, _when, facts) => {
    const nothing = { instance: named, authSecret: undefined, inUse: undefined, statefulSet: undefined };
    expect(passwordState({ ...nothing, ...facts })).toBe(state);
  });

  it.each(["cache.password-in-use", "cache.system", "cache-binding"])("is never in our own %s", (name) => {
    const circular = instanceOf({ auth: { secretRef: { name } } });
    expect(authRefusals("cache", circular.spec)).toMatchObject([{ field: "spec.auth.secretRef.name" }]);
    expect(passwordSource(circular)).toEqual({ secret: "cache-auth", key: "password", isGiven: false });
  });
});

describe("a password that no server can take", () => {
  it.each([undefined, "", 'a"b', String.raw`a\b`, "a\nb", "x".repeat(513)])("%j", (password) => {
    expect(whyUnusable(secret(password), "password")).toMatch(/^has /u);
  });

  it("is not any other", () => {
    expect(whyUnusable(secret("s3 cr$t'é"), "password")).toBeUndefined();
    expect(whyUnusable(secret("x".repeat(512)), "password")).toBeUndefined();
  });
});
