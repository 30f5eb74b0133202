import { type Warning } from "@kedge/client";
import { resourceVersion, uid as uidOf } from "@kedge/machinery";
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

  it("creates with a version that no object has, and never merges into what somebody else made", async () => {
    const maps = at.client.of(ConfigMap);
    const ours = { metadata: { ...at.key("c"), resourceVersion: resourceVersion("1") }, data: { x: "1" } };
    const made = await maps.apply(ours, { fieldManager: "one" });
    expect(made.metadata.managedFields).toMatchObject([{ manager: "one", operation: "Apply" }]);
    expect(made.metadata.managedFields?.[0]?.fieldsV1).toEqual({ "f:data": { "f:x": {} } });
    for (const force of [false, true]) {
      const again = maps.apply(ours, { fieldManager: "two", force });
      await expect(again).rejects.toMatchObject({ code: 409, reason: "Conflict" });
    }
  });

  it("refuses an apply to an object that has another uid by now, or is gone", async () => {
    const maps = at.client.of(ConfigMap);
    const made = await maps.apply({ metadata: at.key("u"), data: { x: "1" } }, { fieldManager: "one" });
    const { uid } = made.metadata;
    const apply = (of: string) =>
      maps.apply(
        { metadata: { ...at.key("u"), uid: uidOf(of) }, data: { x: "2" } },
        { fieldManager: "one", force: true },
      );
    expect((await apply(uid)).data).toEqual({ x: "2" });
    const other = await apply("00000000-0000-4000-8000-000000000000").catch((error: unknown) => error);
    expect(other).toMatchObject({ code: 422, details: { causes: [{ field: "metadata.uid" }, {}] } });
    await maps.delete(at.key("u"));
    await expect(apply(uid)).rejects.toMatchObject({ code: 409, reason: "Conflict" });
  });
});
