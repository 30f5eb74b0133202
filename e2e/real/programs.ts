import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A program of the real control plane. */
export type Program =
  | "etcd"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kube-scheduler"
  | "kubectl"
  | "helm"
  | "kubelet"
  | CertManagerProgram;

/** A program of cert-manager. */
export type CertManagerProgram =
  | "cert-manager-controller"
  | "cert-manager-cainjector"
  | "cert-manager-webhook";

/** A Go module of ours, and the programs that are built from it. */
export interface GoModule {
  /** Its folder beside this file. */
  readonly folder: string;
  readonly version: string;
  readonly packages: Readonly<Partial<Record<Program, string>>>;
  readonly ldflags: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The modules, quickest first. Their go.mod is the only place that names a version. */
export function goModules(): readonly GoModule[] {
  const etcd = resolve(import.meta.dirname, "etcd");
  const kubernetes = resolve(import.meta.dirname, "kubernetes");
  const version = requiredVersion(kubernetes, "k8s.io/kubernetes");
  return [
    {
      folder: etcd,
      version: requiredVersion(etcd, "go.etcd.io/etcd/server/v3"),
      packages: { etcd: "go.etcd.io/etcd/server/v3" },
      ldflags: "-s -w",
    },
    {
      folder: kubernetes,
      version,
      packages: {
        "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
        "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
        "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
        kubectl: "k8s.io/kubernetes/cmd/kubectl",
      },
      ldflags: `-s -w ${kubernetesVersionFlags(version)}`,
    },
  ];
}

/**
 * Older kubectls: the last that speaks SPDY only, and the oldest whose version is still near ours. Only the long tests
 * build them.
 */
export function olderKubectls(): readonly GoModule[] {
  return ["kubectl-1.28", "kubectl-1.32"].map((name) => {
    const folder = resolve(import.meta.dirname, name);
    const version = requiredVersion(folder, "k8s.io/kubectl").replace(/^v0/u, "v1");
    return {
      folder,
      version,
      packages: { kubectl: "." },
      ldflags: `-s -w ${kubernetesVersionFlags(version)}`,
    };
  });
}

/** The real Helm. Only the long tests build it. */
export function helmModule(): GoModule {
  const folder = resolve(import.meta.dirname, "helm");
  const version = requiredVersion(folder, "helm.sh/helm/v3");
  return { folder, version, packages: { helm: "helm.sh/helm/v3/cmd/helm" }, ldflags: "-s -w" };
}

/** The real cert-manager. Only the long tests build it. */
export function certManagerModule(): GoModule {
  const folder = resolve(import.meta.dirname, "cert-manager");
  const path = "github.com/cert-manager/cert-manager";
  return {
    folder,
    version: requiredVersion(folder, path),
    packages: {
      "cert-manager-controller": `${path}/cmd/controller`,
      "cert-manager-cainjector": `${path}/cmd/cainjector`,
      "cert-manager-webhook": `${path}/cmd/webhook`,
    },
    ldflags: "-s -w",
  };
}

/** The real kubelet. Only the long tests build it. */
export function kubeletModule(): GoModule {
  const folder = resolve(import.meta.dirname, "kubelet");
  const version = requiredVersion(folder, "k8s.io/kubernetes");
  return {
    folder,
    version,
    packages: { kubelet: "k8s.io/kubernetes/cmd/kubelet" },
    ldflags: `-s -w ${kubernetesVersionFlags(version)}`,
  };
}

/** Where a program is, or will be, built. Another version, dependency or recipe is another path. */
export function programPath(program: Program, env: Environment = process.env): string {
  const module = goModules().find(({ packages }) => packages[program] !== undefined);
  if (module === undefined) throw new Error(`no module here builds ${program}`);
  return join(moduleCache(module, env), program);
}

/** Where the programs of a module are built. */
export function moduleCache(module: GoModule, env: Environment): string {
  const { folder, version, packages, ldflags } = module;
  const recipe = createHash("sha256").update(
    JSON.stringify([packages, ldflags, process.platform, process.arch]),
  );
  for (const file of ["go.mod", "go.sum", "main.go"]) {
    const path = join(folder, file);
    if (existsSync(path)) recipe.update(readFileSync(path));
  }
  const name = folder.slice(import.meta.dirname.length + 1);
  return join(realCache(env), `${name}-${version}-${recipe.digest("hex").slice(0, 12)}`);
}

/** The folder of Kedge's cache that belongs to this suite. */
export function realCache(env: Environment): string {
  const own = env["KEDGE_CACHE"] ?? "";
  if (own !== "") return join(resolve(own), "real");
  const caches = env["XDG_CACHE_HOME"] ?? "";
  return join(caches === "" ? join(homedir(), ".cache") : caches, "kedge", "real");
}

/** The programs that are not built yet. */
export function missingPrograms(env: Environment): readonly Program[] {
  const all: readonly Program[] = [
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubectl",
  ];
  return all.filter((program) => !existsSync(programPath(program, env)));
}

function requiredVersion(folder: string, module: string): string {
  const words = readFileSync(join(folder, "go.mod"), "utf8").split(/\s+/u);
  const version = words.find((word, index) => word.startsWith("v") && words[index - 1] === module);
  if (version === undefined) throw new Error(`${folder}/go.mod requires no version of ${module}`);
  return version;
}

/** What Kubernetes' own build sets. The commit is not known from the module; an empty one shows as unknown. */
function kubernetesVersionFlags(version: string): string {
  const [major = "", minor = ""] = version.slice(1).split(".");
  const values = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: "",
    gitTreeState: "clean",
  };
  return ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"]
    .flatMap((path) => Object.entries(values).map(([name, value]) => `-X ${path}.${name}=${value}`))
    .join(" ");
}
