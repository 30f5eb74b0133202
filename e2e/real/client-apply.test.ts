import { type Warning } from "@kedge/client";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { useOracle } from "./testing/use-oracle.ts";

const at = useOracle();

const container = { name: "c", image: "example.com/app:1" };
const selector = { matchLabels: { app: "web" } };
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [container] } };

describe("apply and field validation", () => {
  it("names who owns the field that it must not change, and takes it by force", async () => {
    const maps = at.client.of(ConfigMap);
    await maps.apply({ metadata: at.key("a"), data: { x: "1" } }, { fieldManager: "one" });
    const conflict = await maps
      .apply({ metadata: at.key("a"), data: { x: "2" } }, { fieldManager: "two" })
      .catch((error: unknown) => error);
    expect(conflict).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "one": .data.x',
      details: {
        causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.x" }],
      },
    });
    const forced = await maps.apply(
      { metadata: at.key("a"), data: { x: "2" } },
      { fieldManager: "two", force: true },
    );
    expect(forced.data).toEqual({ x: "2" });
  });

  it("surfaces unknown fields: an error with Strict, warnings with Warn, nothing with Ignore", async () => {
    const draft = { metadata: at.key("d"), spec: { selector, template, bogus: 1 } };
    const strict = at.client.of(Deployment).create(draft, { fieldValidation: "Strict" });
    await expect(strict).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('unknown field "spec.bogus"') as string,
    });
    const warnings: Warning[] = [];
    const onWarning = (warning: Warning): void => void warnings.push(warning);
    await at.client.of(Deployment).create(draft, { fieldValidation: "Ignore", dryRun: true, onWarning });
    expect(warnings).toEqual([]);
    await at.client.of(Deployment).create(draft, { fieldValidation: "Warn", onWarning });
    expect(warnings.map(({ text }) => text)).toEqual(['unknown field "spec.bogus"']);
  });
});
