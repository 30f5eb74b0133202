import { controllerReference } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { rotationStep, type RotationStep } from "./rotation.ts";
import { instanceOf } from "./testing/builders.ts";

const instance = instanceOf();
const asked = (what: string) =>
  instanceOf({}, { metadata: { annotations: { "redis.github.com/rotate-password": what } } });

const named = (what = "none") =>
  instanceOf(
    { auth: { secretRef: { name: "shop-redis", key: "pass" } } },
    { metadata: { annotations: { "redis.github.com/rotate-password": what } } },
  );

function secret(data: Readonly<Record<string, string>>, isOurs: boolean) {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  return {
    metadata: {
      namespace: "shop",
      name: "any",
      ...(isOurs && { ownerReferences: [controllerReference(instance)] }),
    },
    data: Object.fromEntries(encoded) as Record<string, string>,
  } as never;
}
const theirs = (password: string) => secret({ password }, false);
const made = (password: string) => secret({ password }, true);
const inUse = (data: Readonly<Record<string, string>>) => secret(data, true);

describe("the next step of a rotation", () => {
  it.each<[RotationStep, string, Partial<Parameters<typeof rotationStep>[0]>]>([
    ["none", "nothing is to be done", { authSecret: theirs("a"), inUse: inUse({ password: "a" }) }],
    ["begin", "the Secret has another one", { authSecret: theirs("b"), inUse: inUse({ password: "a" }) }],
    ["none", "it has one that no server takes", { authSecret: theirs('"'), inUse: inUse({ password: "a" }) }],
    [
      "spreading",
      "it was written down",
      { authSecret: theirs("b"), inUse: inUse({ password: "a", next: "b" }) },
    ],
    [
      "begin",
      "it was changed again",
      { authSecret: theirs("c"), inUse: inUse({ password: "a", next: "b" }) },
    ],
    ["cancel", "it was set back", { authSecret: theirs("a"), inUse: inUse({ password: "a", next: "b" }) }],
    [
      "make",
      "one is asked for",
      { instance: asked("client"), authSecret: made("a"), inUse: inUse({ password: "a" }) },
    ],
    [
      "make",
      "all are asked for",
      { instance: asked("all"), authSecret: made("a"), inUse: inUse({ password: "a" }) },
    ],
    [
      "none",
      "others are asked for",
      { instance: asked("system"), authSecret: made("a"), inUse: inUse({ password: "a" }) },
    ],
    [
      "none",
      "one is asked for, but it is the user's",
      { instance: asked("client"), authSecret: theirs("a"), inUse: inUse({ password: "a" }) },
    ],
    [
      "spreading",
      "one was made",
      { authSecret: made("a"), inUse: inUse({ password: "a", next: "b", "next-is-ours": "yes" }) },
    ],
    [
      "spreading",
      "it was handed out",
      { authSecret: made("b"), inUse: inUse({ password: "a", next: "b", "next-is-ours": "yes" }) },
    ],
    [
      "begin",
      "the user has another wish",
      { authSecret: made("c"), inUse: inUse({ password: "a", next: "b", "next-is-ours": "yes" }) },
    ],
    [
      "none",
      "clients are asked for none",
      {
        instance: instanceOf({ auth: { enabled: false } }),
        authSecret: theirs("b"),
        inUse: inUse({ password: "a" }),
      },
    ],
    [
      "begin",
      "the Secret of the user's choice has another one",
      { instance: named(), authSecret: secret({ pass: "b" }, false), inUse: inUse({ password: "a" }) },
    ],
    [
      "cancel",
      "the user names a Secret while another one is handed out that was made here",
      {
        instance: named(),
        authSecret: secret({ pass: "a" }, false),
        inUse: inUse({ password: "a", next: "b", "next-is-ours": "yes" }),
      },
    ],
    [
      "none",
      "one is asked for, but the user names a Secret, whoever controls it",
      {
        instance: named("client"),
        authSecret: secret({ pass: "a" }, true),
        inUse: inUse({ password: "a" }),
      },
    ],
    ["none", "ours is not ours", { authSecret: theirs("b"), inUse: theirs("a") }],
    ["spreading", "the Secret is deleted meanwhile", { inUse: inUse({ password: "a", next: "b" }) }],
  ])("is %s when %s", (step, _when, facts) => {
    expect(rotationStep({ instance, authSecret: undefined, inUse: undefined, ...facts })).toBe(step);
  });
});
