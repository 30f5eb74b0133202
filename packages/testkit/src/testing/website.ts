import type { ObjectOf } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { defineController, writeStatus } from "@kedge/runtime";
import { conditions, defineKind } from "@kedge/schema";
import * as z from "zod";
import type { TestOperator } from "../types.ts";

/** A small kind for tests: some pages, and servers that show them. */
export const Website = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Website",
  plural: "websites",
  scope: "Namespaced",
  description: "Pages, and servers that show them.",
  spec: z.object({ html: z.string(), replicas: z.int32().default(1) }),
  status: z.object({ ready: z.int32().optional(), conditions: conditions().optional() }),
});

/** A Website as the server answers it. */
export type Website = ObjectOf<typeof Website>;

/** Its operator: a ConfigMap and a Deployment. */
export const websites: TestOperator = {
  name: "website-operator",
  kinds: [Website],
  controllers: () => [
    defineController({
      name: "website-operator",
      for: Website,
      owns: [ConfigMap, Deployment],
      async reconcile(context) {
        const site = context.object;
        if (site === undefined || site.metadata.deletionTimestamp !== undefined) return undefined;
        const { namespace, name } = site.metadata;
        const labels = { website: name };
        await context.apply(
          ConfigMap,
          { metadata: { namespace, name }, data: { "index.html": site.spec.html } },
          { owner: site },
        );
        const volumes = [{ name: "html", configMap: { name } }];
        const containers = [
          { name: "server", image: "nginx:1", volumeMounts: [{ name: "html", mountPath: "/" }] },
        ];
        const spec = {
          replicas: site.spec.replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { volumes, containers } },
        };
        const { status } = await context.apply(
          Deployment,
          { metadata: { namespace, name }, spec },
          { owner: site },
        );
        await writeStatus(context, Website, site, { ready: status?.readyReplicas ?? 0 });
        return undefined;
      },
    }),
  ],
};

/** Whether all of its servers are ready. */
export function isUp({ spec, status }: Website): boolean {
  return status?.ready === spec.replicas;
}
