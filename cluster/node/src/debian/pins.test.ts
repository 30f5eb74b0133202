import { describe, expect, it } from "vitest";
import { findInPackages, sumInRelease } from "./control-stanza.ts";
import { listSuites, packageLists } from "./package-lists.ts";
import { pinOf } from "./pins.ts";

describe("the list of pinned packages", () => {
  const wanted = Object.entries(packageLists).flatMap(([list, names]) => {
    const suites = Object.entries(listSuites).find(([name]) => name === list)?.[1] ?? [];
    return suites.flatMap((suite) => names.map((name) => [name, suite] as const));
  });

  it.each(["amd64", "arm64"] as const)("has all that is used, for %s", (architecture) => {
    for (const [name, suite] of wanted) {
      const pin = pinOf(name, suite, architecture);
      expect(pin, `${name} of ${suite}`).toMatchObject({ name });
      expect(pin?.sha256).toMatch(/^[0-9a-f]{64}$/u);
      expect(pin?.path).toMatch(new RegExp(`^pool/.*_(?:${architecture}|all)\\.deb$`, "u"));
      expect(pin?.size).toBeGreaterThan(0);
    }
  });

  it("does not know other packages", () => {
    expect(pinOf("nginx", "bookworm", "amd64")).toBeUndefined();
    expect(pinOf("libc", "bookworm", "amd64")).toBeUndefined();
  });
});

describe("an index of Debian", () => {
  const stanza = (name: string, version: string): string =>
    `Package: ${name}\nVersion: ${version}\nSize: 12\nFilename: pool/${name}_${version}.deb\nSHA256: ab${version}\n\n`;
  const index = stanza("a", "1") + stanza("redis", "7") + stanza("redis-tools", "7") + stanza("redis", "8");

  it("gives a package by its whole name, the last of several", () => {
    expect(findInPackages(index, "a")).toEqual({
      name: "a",
      version: "1",
      path: "pool/a_1.deb",
      sha256: "ab1",
      size: 12,
    });
    expect(findInPackages(index, "redis")?.version).toBe("8");
    expect(findInPackages(index, "redis-tools")?.version).toBe("7");
    expect(findInPackages(index, "edis")).toBeUndefined();
    expect(findInPackages("", "a")).toBeUndefined();
  });

  it("has a sum in its release", () => {
    const release =
      "Suite: x\nMD5Sum:\n aa 1 main/P\nSHA256:\n bb 1 main/P.gz\n cc 12 main/P\nSHA512:\n dd 1 main/Q\n";
    expect(sumInRelease(release, "main/P")).toBe("cc");
    expect(sumInRelease(release, "main/Q")).toBeUndefined();
  });
});
