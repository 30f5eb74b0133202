import { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { jsonAnswer } from "../testing/bodies.ts";
import { recordingClient, type Recorded } from "../testing/recording-server.ts";

const expired = {
  apiVersion: "v1",
  kind: "Status",
  metadata: { continue: "fresh" },
  status: "Failure",
  reason: "Expired",
  code: 410,
  message: "The provided continue parameter is too old",
};

/** A server of `count` pods that pages as Kubernetes does. */
function podServer(count: number, options: { forgetAfter?: number } = {}) {
  let pages = 0;
  return ({ query }: Recorded): unknown => {
    const start = Number(query["continue"] ?? 0);
    const limit = Number(query["limit"] ?? count);
    pages++;
    if (start > 0 && pages > (options.forgetAfter ?? Infinity)) return jsonAnswer(expired, { status: 410 });
    const end = Math.min(start + limit, count);
    return {
      apiVersion: "v1",
      kind: "PodList",
      metadata: {
        resourceVersion: "9",
        ...(end < count && { continue: String(end), remainingItemCount: count - end }),
      },
      items: Array.from({ length: end - start }, (_, i) => ({ metadata: { name: `p${start + i}` } })),
    };
  };
}

describe("list", () => {
  it("asks for page after page, and gives each object its kind", async () => {
    const { client, requests } = recordingClient(podServer(5));
    const names: string[] = [];
    for await (const pod of client
      .of(Pod)
      .list({ pageSize: 2, namespace: "shop", labelSelector: "app=a", resourceVersion: "0" })) {
      expect(pod).toMatchObject({ apiVersion: "v1", kind: "Pod" });
      names.push(pod.metadata.name);
    }
    expect(names).toEqual(["p0", "p1", "p2", "p3", "p4"]);
    expect(requests.map(({ query }) => query)).toEqual([
      { limit: "2", labelSelector: "app=a", resourceVersion: "0" },
      { limit: "2", labelSelector: "app=a", continue: "2" },
      { limit: "2", labelSelector: "app=a", continue: "4" },
    ]);
  });

  it("asks for no page that nobody reads", async () => {
    const { client, requests } = recordingClient(podServer(100));
    for await (const _pod of client.of(Pod).list({ pageSize: 10 })) break;
    expect(requests).toHaveLength(1);
  });

  it("gives pages with their metadata, 500 objects each by default", async () => {
    const { client } = recordingClient(podServer(1200));
    const sizes: (number | undefined)[][] = [];
    for await (const page of client.of(Pod).list().pages())
      sizes.push([page.items.length, page.metadata.remainingItemCount]);
    expect(sizes).toEqual([
      [500, 700],
      [500, 200],
      [200, undefined],
    ]);
  });

  it("gives all as one list of one version", async () => {
    const { client } = recordingClient(podServer(5));
    const list = await client.of(Pod).list({ pageSize: 2 }).all();
    expect(list.items).toHaveLength(5);
    expect(list.metadata).toEqual({ resourceVersion: "9" });
    expect(list.kind).toBe("PodList");
  });

  it("asks for all at once when the server has forgotten the version between two pages", async () => {
    const { client, requests } = recordingClient(podServer(5, { forgetAfter: 1 }));
    expect((await client.of(Pod).list({ pageSize: 2 }).all()).items).toHaveLength(5);
    expect(requests.map(({ query }) => query)).toEqual([{ limit: "2" }, { limit: "2", continue: "2" }, {}]);
  });

  it("tells a reader of single objects that the version is gone", async () => {
    const { client } = recordingClient(podServer(5, { forgetAfter: 1 }));
    const read = async (): Promise<void> => {
      for await (const _pod of client.of(Pod).list({ pageSize: 2 }));
    };
    await expect(read()).rejects.toMatchObject({ name: "StatusError", code: 410, reason: "Expired" });
  });

  it("refuses an answer that is not a list", async () => {
    const { client } = recordingClient(() => ({ kind: "Table", apiVersion: "meta.k8s.io/v1" }));
    await expect(client.of(Pod).list().all()).rejects.toMatchObject({ code: "PROTOCOL" });
  });
});
