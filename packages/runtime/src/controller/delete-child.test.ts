import { isConflict, VirtualClock, type Uid } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { MemoryApi } from "../testing/memory-api.ts";
import { deleteChild } from "./delete-child.ts";

const key = { namespace: "a", name: "one" };

async function worldWithChild() {
  const api = new MemoryApi(new VirtualClock());
  const client = api.client();
  const { metadata } = await client.of(ConfigMap).create({ metadata: key });
  const remove = (uid: Uid | undefined, propagation?: "Foreground") =>
    deleteChild(
      { client, signal: new AbortController().signal },
      ConfigMap,
      { ...key, uid: uid ?? metadata.uid },
      propagation === undefined ? {} : { propagation },
    );
  return { api, remove, left: () => api.store.list("/v1/configmaps").length };
}

describe("deleting a child", () => {
  it("deletes it as it was asked, and does not mind when it is gone", async () => {
    const { api, remove, left } = await worldWithChild();
    await remove(undefined, "Foreground");
    expect(left()).toBe(0);
    expect(api.requests.at(-1)?.body).toContain(`"propagationPolicy":"Foreground"`);
    await remove(undefined);
    expect(api.writes.at(-1)).toMatch(/^DELETE /u);
  });

  it("is a conflict when another has its name", async () => {
    const { remove, left } = await worldWithChild();
    await expect(remove("another" as Uid)).rejects.toSatisfy(isConflict);
    expect(left()).toBe(1);
  });
});
