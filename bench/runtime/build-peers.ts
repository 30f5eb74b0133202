import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What there is to measure against. */
export type Peers =
  | {
      readonly ok: true;
      /** The Go program. */
      readonly program: string;
    }
  | { readonly ok: false; readonly reason: string };

/** Builds the real kube-apiserver, where it is not built, and the Go program that we measure ourselves against. */
export async function buildPeers(): Promise<Peers> {
  const real = await run(process.execPath, [
    ...process.execArgv,
    fileURLToPath(new URL("../../e2e/real/build.ts", import.meta.url)),
  ]);
  if (real.code !== 0) return { ok: false, reason: real.text.trim() };
  const cache = process.env["KEDGE_CACHE"] ?? join(homedir(), ".cache", "kedge");
  const program = join(cache, "bench", "controller-runtime");
  await mkdir(dirname(program), { recursive: true });
  // Go's own cache knows whether there is anything to do.
  const args = ["build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-o", program, "."];
  const built = await run("go", args, join(import.meta.dirname, "peer"));
  return built.code === 0
    ? { ok: true, program }
    : { ok: false, reason: "go cannot build bench/runtime/peer" };
}

async function run(
  program: string,
  args: readonly string[],
  cwd?: string,
): Promise<{ readonly code: number | null; readonly text: string }> {
  // Where Go's own installer puts it.
  const path = `${process.env["PATH"] ?? ""}${delimiter}/usr/local/go/bin`;
  const env = { ...process.env, PATH: path, CGO_ENABLED: "0", GOWORK: "off" };
  const child = spawn(program, [...args], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text };
}
