import { expect, it } from "vitest";
import { imageAliases, imageAliasVariable } from "./image-aliases.ts";

it.each([
  [undefined, {}],
  ["", {}],
  [
    "nginx:latest=kedge.dev/echo:1 web=busybox:1.35",
    { "nginx:latest": "kedge.dev/echo:1", web: "busybox:1.35" },
  ],
])("reads %j", (text, expected) => {
  expect(imageAliases({ [imageAliasVariable]: text })).toEqual(expected);
});
