import { arch } from "node:os";
import { PackageError } from "./package-error.ts";

/** A processor architecture by Debian's name. */
export type Architecture = "amd64" | "arm64";

/** This machine's. */
export function machineArchitecture(): Architecture {
  const machine = arch();
  if (machine === "x64") return "amd64";
  if (machine === "arm64") return "arm64";
  throw new PackageError("NOT_FOUND", `Kedge has no packages for the architecture ${machine}`, {
    hint: "Use a machine with amd64 or arm64, or --runtime simulated.",
  });
}

/** Where an architecture keeps its shared libraries, and its loader among them. */
export const libraryLayouts: Readonly<
  Record<Architecture, { readonly folder: string; readonly loader: string }>
> = {
  amd64: { folder: "x86_64-linux-gnu", loader: "ld-linux-x86-64.so.2" },
  arm64: { folder: "aarch64-linux-gnu", loader: "ld-linux-aarch64.so.1" },
};
