import { expect, it } from "vitest";
import { wouldChange } from "./would-change.ts";

const meta = { name: "x", namespace: "a" };
const port = 'k:{"containerPort":80,"protocol":"TCP"}';

it.each<[string, boolean, object, object, object]>([
  ["equal values", false, { data: { a: "1" } }, { data: { a: "1", b: "2" } }, { "f:data": { "f:a": {} } }],
  ["another value", true, { data: { a: "2" } }, { data: { a: "1" } }, { "f:data": { "f:a": {} } }],
  [
    "a field that is not ours yet",
    true,
    { data: { a: "1", b: "2" } },
    { data: { a: "1", b: "2" } },
    { "f:data": { "f:a": {} } },
  ],
  ["a field given up", true, { data: {} }, { data: { a: "1" } }, { "f:data": { "f:a": {} } }],
  ["a whole branch given up", true, {}, { data: { a: "1" } }, { "f:data": { "f:a": {} } }],
  ["an atomic map of the same content", false, { s: { a: "1" } }, { s: { a: "1" } }, { "f:s": {} }],
  ["an atomic map with more in it", true, { s: { a: "1" } }, { s: { a: "1", b: "2" } }, { "f:s": {} }],
  [
    "a key that the server has completed",
    false,
    { ports: [{ containerPort: 80 }] },
    { ports: [{ containerPort: 80, protocol: "TCP" }] },
    { "f:ports": { [port]: { ".": {}, "f:containerPort": {} } } },
  ],
  [
    "a key that may mean two",
    true,
    { ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] },
    {
      ports: [
        { containerPort: 80, protocol: "TCP" },
        { containerPort: 80, protocol: "UDP" },
      ],
    },
    {
      "f:ports": {
        [port]: { ".": {}, "f:containerPort": {} },
        'k:{"containerPort":80,"protocol":"UDP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
      },
    },
  ],
  [
    "items in another order",
    true,
    { list: [{ name: "b" }, { name: "a" }] },
    { list: [{ name: "a" }, { name: "b" }] },
    {
      "f:list": { 'k:{"name":"a"}': { ".": {}, "f:name": {} }, 'k:{"name":"b"}': { ".": {}, "f:name": {} } },
    },
  ],
  ["a set", false, { tags: ["a"] }, { tags: ["z", "a"] }, { "f:tags": { 'v:"a"': {} } }],
  ["an item that a set lacks", true, { tags: ["a"] }, { tags: ["z"] }, { "f:tags": { 'v:"a"': {} } }],
  ["fields undefined, which are not sent", false, { a: 1, b: undefined }, { a: 1 }, { "f:a": {} }],
])("%s: %s", (_what, expected, desired, live, fields) => {
  const whole = { metadata: meta };
  expect(wouldChange({ desired: { ...whole, ...desired }, live: { ...whole, ...live }, fields })).toBe(
    expected,
  );
});

it("goes by what a writer can set of metadata", () => {
  const live = { metadata: { ...meta, uid: "u", labels: { a: "b", c: "d" }, finalizers: ["f"] } };
  const fields = { "f:metadata": { "f:labels": { "f:a": {} } } };
  expect(wouldChange({ desired: { metadata: { ...meta, labels: { a: "b" } } }, live, fields })).toBe(false);
  expect(wouldChange({ desired: { metadata: meta }, live, fields })).toBe(true);
});
