import { controllerReference, resourceVersion, uid } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { passwordState, whyUnusable, type PasswordState } from "./password.ts";
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

describe("a password that no server can take", () => {
  it.each([undefined, "", 'a"b', String.raw`a\b`, "a\nb", "x".repeat(513)])("%j", (password) => {
    expect(whyUnusable(secret(password))).toMatch(/^has /u);
  });

  it("is not any other", () => {
    expect(whyUnusable(secret("s3 cr$t'é"))).toBeUndefined();
    expect(whyUnusable(secret("x".repeat(512)))).toBeUndefined();
  });
});
