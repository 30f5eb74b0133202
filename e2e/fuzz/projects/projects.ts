import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@kedge/machinery";
import { parseAllDocuments } from "yaml";
import { downloadedModule } from "../../real/download-module.ts";

/** A well-known project whose Go module has its definitions as YAML. */
export interface Project {
  readonly module: string;
  readonly version: string;
  /** A folder of the module. */
  readonly path: string;
  /** The versions that are compared. Default: all that are served. */
  readonly versions?: readonly string[];
}

/** Projects that nobody here wrote. */
export const projects: readonly Project[] = [
  { module: "github.com/cert-manager/cert-manager", version: "v1.21.2", path: "deploy/crds" },
  {
    module: "github.com/prometheus-operator/prometheus-operator",
    version: "v0.85.0",
    path: "example/prometheus-operator-crd",
  },
  { module: "sigs.k8s.io/gateway-api", version: "v1.7.0", path: "config/crd/standard" },
  {
    module: "sigs.k8s.io/cluster-api",
    version: "v1.14.2",
    path: "core/config/crd/bases",
    // The older one is converted by a webhook of theirs. Without it the real server checks what only the older version
    // has before it drops it; ours drops it first.
    versions: ["v1beta2"],
  },
  { module: "github.com/argoproj/argo-cd/v3", version: "v3.5.6", path: "manifests/crds" },
  { module: "github.com/argoproj/argo-rollouts", version: "v1.10.1", path: "manifests/crds" },
  { module: "github.com/fluxcd/source-controller", version: "v1.10.1", path: "config/crd/bases" },
  { module: "github.com/fluxcd/kustomize-controller", version: "v1.10.1", path: "config/crd/bases" },
  { module: "knative.dev/serving", version: "v0.51.0", path: "config/core/300-resources" },
  { module: "istio.io/api", version: "v1.31.1", path: "kubernetes" },
  { module: "github.com/external-secrets/external-secrets", version: "v1.3.2", path: "config/crds/bases" },
  { module: "github.com/kedacore/keda/v2", version: "v2.21.0", path: "config/crd/bases" },
  { module: "github.com/vmware-tanzu/velero", version: "v1.18.3", path: "config/crd/v1/bases" },
  { module: "github.com/kyverno/kyverno", version: "v1.19.1", path: "config/crds/kyverno" },
  {
    module: "github.com/open-policy-agent/gatekeeper/v3",
    version: "v3.23.1",
    path: "charts/gatekeeper/crds",
  },
  { module: "sigs.k8s.io/external-dns", version: "v0.23.0", path: "config/crd/standard" },
  { module: "k8s.io/autoscaler/vertical-pod-autoscaler", version: "v1.8.1", path: "deploy" },
  { module: "github.com/projectcontour/contour", version: "v1.33.8", path: "examples/contour" },
  { module: "sigs.k8s.io/karpenter", version: "v1.15.0", path: "pkg/apis/crds" },
  { module: "github.com/kubeflow/training-operator", version: "v1.8.1", path: "manifests/base/crds" },
  {
    module: "github.com/traefik/traefik/v3",
    version: "v3.7.13",
    path: "docs/content/reference/dynamic-configuration",
  },
];

/** The definitions of a project, as its users apply them. */
export async function definitionsOf({ module, version, path }: Project): Promise<readonly JsonObject[]> {
  const place = join(await downloadedModule(module, version), path);
  const names = (await readdir(place)).filter((name) => /\.ya?ml$/u.test(name)).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(place, name), "utf8")));
  return texts
    .flatMap((text) =>
      parseAllDocuments(text, { version: "1.1" }).map((document) => document.toJS() as unknown),
    )
    .filter(isJsonObject)
    .filter(({ kind }) => kind === "CustomResourceDefinition");
}
