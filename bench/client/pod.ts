/** A pod as real clusters have them: about 5 KiB, and 4 KiB of managedFields on top. */
export function podJson(index: number): object {
  const name = `web-${index.toString().padStart(6, "0")}`;
  const ports = [{ containerPort: 8080, name: "http", protocol: "TCP" }];
  const env = Array.from({ length: 12 }, (_, i) => ({
    name: `SETTING_${i}`,
    value: `value-${i}-of-${name}`,
  }));
  const container = (i: number): object => ({
    name: `c${i}`,
    image: `registry.example.com/team/app-${i}:1.${index % 50}.0`,
    args: ["--listen=:8080", `--shard=${index % 7}`],
    ports,
    env,
    resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
    livenessProbe: { httpGet: { path: "/healthz", port: "http", scheme: "HTTP" }, periodSeconds: 10 },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  });
  return {
    metadata: {
      name,
      generateName: "web-",
      namespace: `team-${index % 20}`,
      uid: `00000000-0000-4000-8000-${index.toString().padStart(12, "0")}`,
      resourceVersion: String(100_000 + index),
      creationTimestamp: "2026-11-15T21:36:02Z",
      labels: { app: "web", "pod-template-hash": "5d4f8c7b9", team: `team-${index % 20}` },
      annotations: { "prometheus.io/scrape": "true", "checksum/config": "f".repeat(64) },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web-5d4f8c7b9",
          uid: "u",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [managedFields("kube-controller-manager", 40), managedFields("kubelet", 40)],
    },
    spec: {
      volumes: [{ name: "data", emptyDir: {} }],
      containers: [container(0), container(1)],
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      serviceAccountName: "web",
      nodeName: `node-${index % 100}`,
      schedulerName: "default-scheduler",
      tolerations: [
        {
          key: "node.kubernetes.io/not-ready",
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        },
      ],
    },
    status: {
      phase: "Running",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: "2026-11-15T21:36:02Z",
      })),
      hostIP: "10.0.0.1",
      podIP: `10.1.${index % 250}.${index % 200}`,
      startTime: "2026-11-15T21:36:02Z",
      qosClass: "Burstable",
    },
  };
}

function managedFields(manager: string, fields: number): object {
  const names = Array.from({ length: fields }, (_, i) => `f:field-${i}`);
  const owned = Object.fromEntries(names.map((name) => [name, { ".": {}, "f:name": {}, "f:value": {} }]));
  return {
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: "2026-11-15T21:36:02Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": {}, "f:spec": owned },
  };
}
