import { describe, expect, it } from "vitest";
import { addIntegrity, completeLock, missingPackages, readLock, withoutIntegrity } from "./complete-lock.ts";

describe("package-lock.json", () => {
  it("has the packages of every platform (if not: node lint/complete-lock.ts)", () => {
    expect(missingPackages(readLock())).toEqual([]);
  });

  it("has a checksum for all that CI's platform installs (if not: node lint/complete-lock.ts)", () => {
    // Of the others, only what a registry that mirrors few platforms does not have: one more is a mistake.
    const isForOthers = ({ optional, os, cpu, libc }: (typeof unverified)[number]): boolean =>
      optional &&
      [...os, ...cpu].length > 0 &&
      !(isFor(os, "linux") && isFor(cpu, "x64") && isFor(libc, "glibc"));
    const unverified = withoutIntegrity(readLock());
    expect(unverified.filter((entry) => !isForOthers(entry)).map(({ name }) => name)).toEqual([]);
    expect(unverified.length).toBeLessThanOrEqual(58);
  });

  it("gets the checksums that the registry knows", async () => {
    const entry = { version: "1.0.0", optional: true, os: ["darwin"] };
    const lock = {
      packages: {
        "": { version: "0.1.0" },
        "node_modules/@kedge/ours": { link: true },
        "node_modules/@tool/known": entry,
        "node_modules/a/node_modules/unknown": entry,
        "node_modules/done": { version: "2.0.0", integrity: "sha512-done" },
      },
    };
    const asked: string[] = [];
    const completed = await addIntegrity(lock, async (name, version) => {
      asked.push(`${name}@${version}`);
      return name === "unknown" ? undefined : `sha512-${name}`;
    });
    expect(asked).toEqual(["@tool/known@1.0.0", "unknown@1.0.0"]);
    expect(completed).toEqual({
      packages: {
        ...lock.packages,
        "node_modules/@tool/known": { ...entry, integrity: "sha512-@tool/known" },
      },
    });
    expect(withoutIntegrity(completed).map(({ name }) => name)).toEqual(["unknown"]);
  });

  it("names no registry: it is the user's", () => {
    const hosts = Object.values(readLock().packages).flatMap(({ resolved = "" }) =>
      resolved.includes("://") ? [resolved] : [],
    );
    expect(hosts).toEqual([]);
  });

  it("is completed with platform packages that the registry did not have", () => {
    const tool = {
      version: "1.0.0",
      dev: true,
      optionalDependencies: {
        "@tool/linux-x64-gnu": "1.0.0",
        "@tool/linux-arm64-musl": "1.0.0",
        "@tool/darwin-arm64": "1.0.0",
        "@tool/wasm32-wasi": "1.0.0",
        "just-nice-to-have": "^2.0.0",
      },
    };
    const there = { version: "1.0.0", dev: true, optional: true };

    expect(
      completeLock({ packages: { "node_modules/tool": tool, "node_modules/@tool/linux-x64-gnu": there } }),
    ).toEqual({
      packages: {
        "node_modules/@tool/darwin-arm64": { ...there, os: ["darwin"], cpu: ["arm64"] },
        "node_modules/@tool/linux-arm64-musl": { ...there, os: ["linux"], cpu: ["arm64"], libc: ["musl"] },
        "node_modules/@tool/linux-x64-gnu": there,
        "node_modules/@tool/wasm32-wasi": { ...there, cpu: ["wasm32"] },
        "node_modules/tool": tool,
      },
    });
  });
});

function isFor(list: readonly string[], one: string): boolean {
  return list.length === 0 || list.includes(one);
}
