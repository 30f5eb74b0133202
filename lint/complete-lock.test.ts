import { describe, expect, it } from "vitest";
import { completeLock, missingPackages, readLock } from "./complete-lock.ts";

describe("package-lock.json", () => {
  it("has the packages of every platform (if not: node lint/complete-lock.ts)", () => {
    expect(missingPackages(readLock())).toEqual([]);
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
