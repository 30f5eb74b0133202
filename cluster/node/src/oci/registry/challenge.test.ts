import { expect, it } from "vitest";
import { readChallenge } from "./challenge.ts";

it.each([
  [
    'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/redis:pull"',
    {
      scheme: "bearer",
      realm: "https://auth.docker.io/token",
      service: "registry.docker.io",
      scope: "repository:library/redis:pull",
    },
  ],
  ["bearer realm=https://x/t", { scheme: "bearer", realm: "https://x/t", service: "", scope: "" }],
  ['Basic realm="Registry Realm"', { scheme: "basic" }],
  [
    'Basic realm="r", Bearer realm="https://x"',
    { scheme: "bearer", realm: "https://x", service: "", scope: "" },
  ],
  ["Negotiate", undefined],
  ["", undefined],
  ["Bearer service=x", undefined],
])("%j asks for %j", (header, challenge) => {
  expect(readChallenge(header)).toEqual(challenge);
});
