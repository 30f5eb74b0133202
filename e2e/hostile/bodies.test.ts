import { describe, expect, it } from "vitest";
import { definitionShapes } from "./shapes/definition-shapes.ts";
import { objectShapes } from "./shapes/object-shapes.ts";
import type { Shape } from "./shapes/shape.ts";
import { jsonShapes, yamlShapes } from "./shapes/text-shapes.ts";
import { startTarget } from "./target.ts";

/**
 * Milliseconds of CPU that a request may hold the event loop for. The aim is 100, and the worst stay at 80 on a machine
 * with eight programs to each core; half as much again leaves room for slower ones.
 */
const longest = 150;

describe("bodies as large as they may be hold nobody up", () => {
  it.each([
    { what: "objects and patches", shapes: objectShapes },
    { what: "definitions", shapes: definitionShapes },
    { what: "JSON", shapes: jsonShapes },
    { what: "YAML", shapes: yamlShapes },
  ])("$what", async ({ what, shapes }) => {
    const costs = [];
    for (const shape of shapes) costs.push(await costOf(shape));
    const sorted = costs.toSorted((a, b) => b.block - a.block);
    const lines = sorted.slice(0, 5).map(({ name, block }) => `  ${Math.round(block)} ms ${name}`);
    // oxlint-disable-next-line no-console -- the figures are what this is for
    console.log(
      [`The longest blocks of the event loop by ${shapes.length} kinds of ${what}:`, ...lines].join("\n"),
    );
    expect(sorted.filter(({ block }) => block > longest)).toEqual([]);
    expect(sorted.filter(({ fault }) => fault !== "")).toEqual([]);
  });
});

/** What a shape cost at its full size, and what was wrong about the answers. */
async function costOf({ name, most, before, request }: Shape): Promise<{
  readonly name: string;
  readonly block: number;
  readonly fault: string;
}> {
  await using target = await startTarget();
  for (const each of before?.(most) ?? []) {
    const { status, text } = await target.send(each);
    if (status >= 300) return { name, block: 0, fault: `${status} before it: ${text}` };
  }
  const { longestBlock, status, text, warning = [] } = await target.cost(request(most));
  const after = await target.send({ method: "GET", path: "/api/v1/namespaces/default", headers: {} });
  const headers = [warning].flat().join("");
  const fault =
    status >= 500 && !known.test(text)
      ? `${status}: ${text}`
      : after.status !== 200
        ? `${after.status} after it`
        : headers.length > 16_384
          ? `${headers.length} characters of warnings`
          : "";
  return { name, block: longestBlock, fault };
}

/** What Kubernetes answers 500 to, as well. */
const known = /failed to create typed (?:patch|live) object|The order in patch list/u;
