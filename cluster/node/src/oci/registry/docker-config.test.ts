import type { Secret } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { credentialsFor, credentialsIn } from "./docker-config.ts";

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const secret = (data: Record<string, string>) =>
  ({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data }) as unknown as Secret;

describe("a secret", () => {
  const auth = Buffer.from("bob:pass:word").toString("base64");
  it.each([
    [
      { ".dockerconfigjson": base64({ auths: { "r.io": { username: "bob", password: "p" } } }) },
      [["r.io", "bob", "p"]],
    ],
    [{ ".dockerconfigjson": base64({ auths: { "r.io": { auth } } }) }, [["r.io", "bob", "pass:word"]]],
    [{ ".dockercfg": base64({ "r.io": { auth } }) }, [["r.io", "bob", "pass:word"]]],
    [{ ".dockerconfigjson": "no JSON" }, []],
    [{ ".dockerconfigjson": base64({ auths: { "r.io": {} } }) }, []],
    [{ other: base64({ auths: { "r.io": { auth } } }) }, []],
  ])("%j says who one is: %j", (data, expected) => {
    const found = credentialsIn(secret(data));
    expect(found.map(({ place, username, password }) => [place, username, password])).toEqual(expected);
  });
});

describe("credentials", () => {
  it.each([
    ["r.example.com", "r.example.com/team/app", true],
    ["r.example.com", "s.example.com/team/app", false],
    ["r.example.com:5000", "r.example.com:5000/app", true],
    ["r.example.com", "r.example.com:5000/app", false],
    ["https://r.example.com/v2/", "r.example.com/app", true],
    ["r.example.com/team", "r.example.com/team/app", true],
    ["r.example.com/team", "r.example.com/other/app", false],
    ["*.example.com", "r.example.com/app", true],
    ["*.example.com", "a.b.example.com/app", false],
    ["r*y.example.com", "registry.example.com/app", true],
    ["https://index.docker.io/v1/", "docker.io/library/redis", true],
    ["docker.io", "docker.io/library/redis", true],
    ["index.docker.io", "docker.io/team/app", true],
    ["docker.io", "ghcr.io/team/app", false],
  ])("for %s fit %s: %j", (place, repository, fits) => {
    const all = [{ place, username: "bob", password: "p" }];
    expect(credentialsFor(repository, all)).toEqual(fits ? all : []);
  });

  it("are tried from the most exact to the least", () => {
    const all = ["*.io", "r.io", "r.io/team/app", "r.io/team"].map((place) => ({
      place,
      username: place,
      password: "",
    }));
    expect(credentialsFor("r.io/team/app", all).map(({ place }) => place)).toEqual([
      "r.io/team/app",
      "r.io/team",
      "r.io",
      "*.io",
    ]);
  });
});
