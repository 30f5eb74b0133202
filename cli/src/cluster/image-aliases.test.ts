import { expect, it } from "vitest";
import { withAliases } from "./image-aliases.ts";

const nginx = { "nginx:latest": "kedge.dev/echo:1" };

it.each<[string, Record<string, string>, string[], Record<string, string>]>([
  ["none is none", {}, [], {}],
  ["one that is given is there", {}, ["nginx:latest=kedge.dev/echo:1"], nginx],
  ["what was given before is remembered", nginx, [], nginx],
  ["another one comes beside it", nginx, ["web=busybox:1.35"], { ...nginx, web: "busybox:1.35" }],
  ["the newer of two counts", nginx, ["nginx:latest=busybox:1"], { "nginx:latest": "busybox:1" }],
  ["a name that means itself is forgotten", nginx, ["nginx:latest=nginx:latest"], {}],
  ["a name of Object is only a name", {}, ["constructor=busybox:1"], { constructor: "busybox:1" }],
])("image aliases: %s", (_what, known, given, expected) => {
  expect(withAliases(known, given)).toEqual(expected);
});
