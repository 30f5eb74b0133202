import type { ApiResponse } from "@kedge/machinery";
import { textResponse } from "../response/responses.ts";

/** One thing that must be well. Throws, or rejects, when it is not. */
export interface HealthCheck {
  readonly name: string;
  readonly check: () => Promise<void> | void;
}

const roots = new Set(["healthz", "livez", "readyz"]);

/** Answers `/healthz`, `/livez`, `/readyz` and the checks below them. Undefined: another path. */
export async function health(
  path: string,
  query: URLSearchParams,
  checks: readonly HealthCheck[],
): Promise<ApiResponse | undefined> {
  const [root = "", ...rest] = path.split("/").slice(1);
  if (!roots.has(root)) return undefined;
  const below = rest.join("/").replace(/\/$/u, "");
  if (below === "") return await answer(root, query, checks);
  const one = checks.find(({ name }) => name === below);
  // One check alone says only whether it is well.
  return one === undefined ? undefined : await answer(root, new URLSearchParams(), [one]);
}

async function answer(
  root: string,
  query: URLSearchParams,
  all: readonly HealthCheck[],
): Promise<ApiResponse> {
  const excluded = new Set(query.getAll("exclude").flatMap((names) => names.split(",")));
  const lines: string[] = [];
  let failed = false;
  for (const { name, check } of all) {
    if (excluded.has(name)) {
      lines.push(`[+]${name} excluded: ok`);
    } else if (await isWell(check)) {
      lines.push(`[+]${name} ok`);
    } else {
      failed = true;
      lines.push(`[-]${name} failed: reason withheld`);
    }
  }
  const headers = { "x-content-type-options": "nosniff" };
  if (failed) return textResponse(500, [...lines, `${root} check failed`, ""].join("\n"), headers);
  if (!query.has("verbose")) return textResponse(200, "ok", headers);
  return textResponse(200, [...lines, `${root} check passed`, ""].join("\n"), headers);
}

async function isWell(check: HealthCheck["check"]): Promise<boolean> {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
}
