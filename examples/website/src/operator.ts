import type { DeepReadonly } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import {
  applyChild,
  defineController,
  defineOperator,
  reconcileByPlan,
  reportConditions,
  type Plan,
} from "@kedge/runtime";
import { Website } from "./kind.ts";

/** Makes a Website into a ConfigMap with its page and a Deployment of servers that show it. */
export const websiteOperator = defineOperator({
  name: "website",
  kinds: [Website],
  controllers: () => [
    defineController({ name: "website-operator", for: Website, owns: [ConfigMap, Deployment], reconcile }),
  ],
});

const reconcile = reconcileByPlan({
  kind: Website,
  observe: (run, site) => ({ site, servers: run.read(Deployment).get(run.key) }),
  plan: ({ site }) => planWebsite(site),
  report({ observed: { site, servers }, refusals, failure }, clock) {
    const { readyReplicas = 0 } = servers?.status ?? {};
    const { replicas } = site.spec;
    const message = `${readyReplicas} of ${replicas} servers are ready`;
    const report = { ready: readyReplicas >= replicas, reason: "Servers", message, ...failure };
    const conditions = reportConditions({ object: site, report, refusals, stalled: failure }, clock);
    return { status: { ready: `${readyReplicas}/${replicas}`, conditions } };
  },
});

/** What a Website consists of. */
export function planWebsite({ metadata: { name }, spec: { html, replicas } }: DeepReadonly<Website>): Plan {
  const labels = { website: name };
  const page = { name: "page", mountPath: "/usr/share/nginx/html" };
  const containers = [{ name: "server", image: "nginx:1.29", volumeMounts: [page] }];
  const volumes = [{ name: page.name, configMap: { name } }];
  const template = { metadata: { labels }, spec: { containers, volumes } };
  return {
    actions: [
      applyChild(ConfigMap, { metadata: { name }, data: { "index.html": html } }),
      applyChild(Deployment, {
        metadata: { name },
        spec: { replicas, selector: { matchLabels: labels }, template },
      }),
    ],
  };
}
