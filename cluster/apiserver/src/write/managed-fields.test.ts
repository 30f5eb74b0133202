import { isJsonObject, StatusError } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { testResources } from "../kinds/testing/write-context.ts";
import type { ApiObject, StoredApiObject } from "../registry/types.ts";
import { applyWrite, trackWrite } from "./managed-fields.ts";
import { configMap, startWrites } from "./testing/start-writes.ts";

/** Who owns what: manager, operation, subresource and the top-level fields. */
function owners({ metadata }: StoredApiObject): readonly string[] {
  return (metadata.managedFields ?? []).map(({ manager, operation, subresource = "", fieldsV1 }) => {
    const fields = isJsonObject(fieldsV1) ? Object.keys(fieldsV1) : [];
    return [manager, operation, subresource, fields.join(" ")].filter((text) => text !== "").join(" ");
  });
}

describe("who wrote what", () => {
  it("is the manager of an update, for what it changed", async () => {
    await using writes = await startWrites();
    const scope = writes.scope(writes.resource());
    const first = await trackWrite(scope, undefined, configMap({ name: "a" }, { x: "1" }), {
      manager: "one",
      subresource: "",
    });
    expect(owners(first)).toEqual(["one Update f:data"]);
    const changed = structuredClone(first);
    changed.metadata.labels = { a: "b" };
    const second = await trackWrite(scope, first, changed, { manager: "two", subresource: "" });
    expect(owners(second)).toEqual(["one Update f:data", "two Update f:metadata"]);
  });

  it("is written down with type, time and version", async () => {
    await using writes = await startWrites();
    const tracked = await trackWrite(
      writes.scope(writes.resource()),
      undefined,
      configMap({ name: "a" }, { x: "1" }),
      { manager: "one", subresource: "" },
    );
    expect(tracked.metadata.managedFields).toMatchObject([
      { apiVersion: "v1", fieldsType: "FieldsV1", time: expect.stringMatching(/Z$/u) as string },
    ]);
  });

  it("is never the status for who writes the object, and nothing else for who writes the status", async () => {
    await using writes = await startWrites();
    const scope = writes.scope(testResources()("Deployment"));
    const body = (): ApiObject => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { replicas: 1 },
      status: { replicas: 1 },
    });
    const write = { manager: "m", subresource: "" };
    const whole = await trackWrite(scope, undefined, body(), write);
    expect(owners(whole)).toEqual(["m Update f:spec"]);
    const status = await trackWrite(scope, undefined, body(), { ...write, subresource: "status" });
    expect(owners(status)).toEqual(["m Update status f:status"]);
  });
});

describe("an apply", () => {
  const body = (data: Readonly<Record<string, string>>) => ({ ...configMap({ name: "a" }, data) });
  const by = (manager: string, force = false) => ({ manager, subresource: "", force });

  it("gives up what it does not say any more", async () => {
    await using writes = await startWrites();
    const scope = writes.scope(writes.resource());
    const first = await applyWrite(scope, undefined, body({ x: "1", y: "2" }), by("one"));
    const second = await applyWrite(scope, first, body({ x: "1" }), by("one"));
    expect(second["data"]).toEqual({ x: "1" });
    expect(owners(second)).toEqual(["one Apply f:data"]);
  });

  it("takes nothing of another's, unless it is forced", async () => {
    await using writes = await startWrites();
    const scope = writes.scope(writes.resource());
    const first = await applyWrite(scope, undefined, body({ x: "1" }), by("one"));
    const refused: unknown = await applyWrite(scope, first, body({ x: "2" }), by("two")).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(StatusError);
    expect(refused).toMatchObject({ status: { code: 409, details: { causes: [{ field: ".data.x" }] } } });
    const forced = await applyWrite(scope, first, body({ x: "2" }), by("two", true));
    expect(forced["data"]).toEqual({ x: "2" });
    expect(owners(forced)).toEqual(["two Apply f:data"]);
  });
});
