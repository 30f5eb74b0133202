import { describe, expect, it } from "vitest";
import { imageNameText, isImageName, parseImageName } from "./image-name.ts";
import { tagMatches, upstreamVersion } from "../images/version-tag.ts";

describe("an image's name", () => {
  it.each([
    ["redis", "redis:latest"],
    ["redis:7.0", "redis:7.0"],
    ["docker.io/library/redis:7", "redis:7"],
    ["index.docker.io/redis:7", "redis:7"],
    ["valkey/valkey:9", "valkey/valkey:9"],
    ["registry.local:5000/team/app", "registry.local:5000/team/app:latest"],
    ["registry.local:5000/team/app:1", "registry.local:5000/team/app:1"],
  ])("%s is %s", (name, text) => {
    expect(imageNameText(parseImageName(name))).toBe(text);
  });

  it.each(["", ":7", "Redis:7", "redis:", "redis:7 0", "../x", "redis@sha256:00"])("%j is none", (name) => {
    expect(isImageName(name)).toBe(false);
    expect(() => parseImageName(name)).toThrow(expect.objectContaining({ code: "INVALID_NAME" }));
  });
});

describe("a tag", () => {
  it.each([
    ["5:7.0.15-1~deb12u7", "7.0.15"],
    ["8.1.1+dfsg1-3+deb13u2", "8.1.1"],
    ["1:1.35.0-4+deb12u1+b1", "1.35.0"],
  ])("is compared with the program's version in %s", (debian, version) => {
    expect(upstreamVersion(debian)).toBe(version);
  });

  it.each([
    ["7", true],
    ["7.0", true],
    ["7.0.15", true],
    ["7.0-bookworm", true],
    ["7.0.1", false],
    ["7.2", false],
    ["70", false],
    ["7.0-alpine", false],
    ["latest", false],
    ["", false],
  ])("%j is true of 7.0.15: %j", (tag, matches) => {
    expect(tagMatches(tag, "7.0.15", "bookworm")).toBe(matches);
  });
});
