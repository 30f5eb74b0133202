/** `--dir` of commands for clusters on this machine only. */
export const dirFlag = {
  kind: "parsed",
  parse: String,
  default: ".kedge",
  placeholder: "folder",
  brief: "Which cluster",
} as const;

/** `--dir` and `--kubeconfig` of commands for any cluster. */
export const anyClusterFlags = {
  dir: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "folder",
    brief: "Which embedded cluster. Default: .kedge if there is one, else the kubeconfig's",
  },
  kubeconfig: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "file",
    brief: "Which other cluster",
  },
} as const;

/** `--namespace` of commands for one object. */
export function namespaceFlag(brief: string) {
  return { kind: "parsed", parse: String, default: "default", placeholder: "name", brief } as const;
}
