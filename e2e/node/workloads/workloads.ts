/** A workload as its author writes it, and what kubectl shows when it works. */
export interface Workload {
  readonly name: string;
  readonly manifest: string;
  /** What is waited for: arguments of `kubectl`. */
  readonly ready: string;
  /** Arguments of `kubectl`, words separated by spaces, and what it prints then. */
  readonly checks: readonly (readonly [args: string, expected: RegExp])[];
}

const sleep = `command: [sh, -c, "trap 'exit 0' TERM; sleep 10000 & wait"]`;

/** A pod of one container that runs on, with more of its container and of its spec. */
function pod(name: string, container: string, spec = ""): string {
  return `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${name} }, annotations: { note: hello } }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: main
      image: busybox:1.35
${indented(container, 6)}
${indented(spec, 2)}`;
}

/** What a Deployment and its relatives have in common. */
function template(name: string, container: string, spec = ""): string {
  return `
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: busybox:1.35
${indented(container, 10)}
${indented(spec, 6)}`;
}

function indented(text: string, by: number): string {
  return text.replaceAll(/^/gmu, " ".repeat(by));
}

const ready = (name: string): string => `wait --for=condition=Ready pod/${name} --timeout=200s`;

/** One of each, as they are found in real clusters. */
export const workloads: readonly Workload[] = [
  {
    name: "a pod that answers at a port of its node, also to itself",
    manifest: `
apiVersion: v1
kind: Pod
metadata: { name: at-a-port }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: server
      image: kedge.dev/echo:1
      ports: [{ containerPort: 80, hostPort: 18473 }]
    - name: main
      image: busybox:1.35
      # The node answers names, too: that address is its own among the pods'.
      command:
        - sh
        - -c
        - |
          node=$(sed -n 's/^nameserver //p' /etc/resolv.conf)
          until wget -qO- http://$node:18473/; do sleep 0.2; done
          exec sleep 10000`,
    ready: ready("at-a-port"),
    checks: [["logs at-a-port -c main", /at-a-port GET \//u]],
  },
  {
    name: "a Deployment behind a Service",
    manifest: `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
${template("web", "image: kedge.dev/echo:1\nreadinessProbe: { httpGet: { port: 80 }, periodSeconds: 1 }").replace("          image: busybox:1.35\n", "")}
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }`,
    ready: "rollout status deployment/web --timeout=200s",
    checks: [
      ["get deployment web -o jsonpath={.status.readyReplicas}", /^2$/u],
      [
        "get endpointslice -l kubernetes.io/service-name=web -o jsonpath={.items[*].endpoints[*].conditions.ready}",
        /^true true$/u,
      ],
    ],
  },
  {
    name: "a StatefulSet with claims",
    manifest: `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  replicas: 2
${template("db", `command: [sh, -c, "hostname > /data/who; exec sleep 10000"]\nvolumeMounts: [{ name: data, mountPath: /data }]`)}
  volumeClaimTemplates:
    - metadata: { name: data }
      spec:
        storageClassName: local-path
        accessModes: [ReadWriteOnce]
        resources: { requests: { storage: 1Mi } }`,
    ready: "rollout status statefulset/db --timeout=200s",
    checks: [
      ["get pvc data-db-0 data-db-1 -o jsonpath={.items[*].status.phase}", /^Bound Bound$/u],
      ["exec db-1 -- cat /data/who", /^db-1\n$/u],
    ],
  },
  {
    name: "a DaemonSet",
    manifest: `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
${template("agent", sleep)}`,
    ready: "rollout status daemonset/agent --timeout=200s",
    checks: [["get daemonset agent -o jsonpath={.status.numberReady}", /^1$/u]],
  },
  {
    name: "an indexed Job",
    manifest: `
apiVersion: batch/v1
kind: Job
metadata: { name: sums }
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
        - { name: main, image: "busybox:1.35", command: [sh, -c, "echo index $JOB_COMPLETION_INDEX"] }`,
    ready: "wait --for=condition=Complete job/sums --timeout=200s",
    checks: [
      ["get job sums -o jsonpath={.status.completedIndexes}", /^0,1$/u],
      ["logs -l job-name=sums --prefix=false", /^index [01]\nindex [01]\n$/u],
    ],
  },
  {
    name: "init containers that prepare files in order",
    manifest: pod(
      "prepared",
      `command: [sh, -c, "cat /work/steps; exec sleep 10000"]\nvolumeMounts: [{ name: work, mountPath: /work }]`,
      `initContainers:
  - { name: first, image: "busybox:1.35", command: [sh, -c, "echo 1 > /work/steps"], volumeMounts: [{ name: work, mountPath: /work }] }
  - { name: second, image: "busybox:1.35", command: [sh, -c, "echo 2 >> /work/steps"], volumeMounts: [{ name: work, mountPath: /work }] }
volumes: [{ name: work, emptyDir: {} }]`,
    ),
    ready: ready("prepared"),
    checks: [
      ["logs prepared -c main", /^1\n2\n$/u],
      [
        "get pod prepared -o jsonpath={.status.initContainerStatuses[*].state.terminated.reason}",
        /^Completed Completed$/u,
      ],
    ],
  },
  {
    name: "a Job whose sidecar goes when it is done",
    manifest: `
apiVersion: batch/v1
kind: Job
metadata: { name: helped }
spec:
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      initContainers:
        - name: helper
          image: busybox:1.35
          restartPolicy: Always
          command: [sh, -c, "touch /work/there; exec sleep 10000"]
          startupProbe: { exec: { command: [cat, /work/there] }, periodSeconds: 1 }
          volumeMounts: [{ name: work, mountPath: /work }]
      containers:
        - { name: main, image: "busybox:1.35", command: [ls, /work], volumeMounts: [{ name: work, mountPath: /work }] }
      volumes: [{ name: work, emptyDir: { medium: Memory } }]`,
    ready: "wait --for=condition=Complete job/helped --timeout=200s",
    checks: [["logs -l job-name=helped -c main", /^there\n$/u]],
  },
  {
    name: "a container that its liveness probe restarts, and whose last words stay",
    manifest: pod(
      "sickly",
      `command: [sh, -c, "echo begun; [ -e /work/second ] && exec sleep 10000; touch /work/second; exec sleep 10000"]
livenessProbe: { exec: { command: [sh, -c, "[ -e /work/healed ] || { touch /work/healed; false; }"] }, periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 60 }
volumeMounts: [{ name: work, mountPath: /work }]`,
      "volumes: [{ name: work, emptyDir: {} }]",
    ),
    ready: "wait --for=jsonpath={.status.containerStatuses[0].restartCount}=1 pod/sickly --timeout=200s",
    checks: [["logs sickly --previous", /^begun\n$/u]],
  },
  {
    name: "a container that is ready when its startup and readiness probes say so",
    manifest: pod(
      "slow",
      `command: [sh, -c, "sleep 1; touch /tmp/started; sleep 1; touch /tmp/ready; exec sleep 10000"]
startupProbe: { exec: { command: [ls, /tmp/started] }, periodSeconds: 1, failureThreshold: 60 }
readinessProbe: { exec: { command: [ls, /tmp/ready] }, periodSeconds: 1 }`,
    ),
    ready: ready("slow"),
    checks: [["get pod slow -o jsonpath={.status.containerStatuses[0].restartCount}", /^0$/u]],
  },
  {
    name: "a ConfigMap as files, as one file and as variables",
    manifest: `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { colour: blue, size: "7" }
---${pod(
      "configured",
      `command: [sh, -c, "echo $COLOUR $size; cat /all/size /one; exec sleep 10000"]
envFrom: [{ configMapRef: { name: settings } }]
env: [{ name: COLOUR, valueFrom: { configMapKeyRef: { name: settings, key: colour } } }]
volumeMounts: [{ name: all, mountPath: /all }, { name: all, mountPath: /one, subPath: colour }]`,
      "volumes: [{ name: all, configMap: { name: settings } }]",
    )}`,
    ready: ready("configured"),
    checks: [["logs configured", /^blue 7\n7blue$/u]],
  },
  {
    name: "a Secret as files that only some may read",
    manifest: `
apiVersion: v1
kind: Secret
metadata: { name: password }
stringData: { key: s3cret }
---${pod(
      "trusted",
      `command: [sh, -c, "cat /secret/key; stat -L -c %a /secret/key; exec sleep 10000"]
volumeMounts: [{ name: secret, mountPath: /secret, readOnly: true }]`,
      "volumes: [{ name: secret, secret: { secretName: password, defaultMode: 0400 } }]",
    )}`,
    ready: ready("trusted"),
    checks: [["logs trusted", /^s3cret400\n$/u]],
  },
  {
    name: "a projected volume with a token that the real server takes",
    manifest: pod(
      "projected",
      `command: [sh, -c, "ls /all; cut -c1-3 /all/token; exec sleep 10000"]
volumeMounts: [{ name: all, mountPath: /all }]`,
      `volumes:
  - name: all
    projected:
      sources:
        - serviceAccountToken: { path: token, expirationSeconds: 600 }
        - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
        - downwardAPI: { items: [{ path: name, fieldRef: { fieldPath: metadata.name } }] }`,
    ),
    ready: ready("projected"),
    checks: [["logs projected", /^ca\.crt\nname\ntoken\neyJ\n$/u]],
  },
  {
    name: "what a pod knows of itself",
    manifest: pod(
      "selfaware",
      `command: [sh, -c, "echo $NAME $LIMIT; cat /me/labels; echo; cat /me/note; exec sleep 10000"]
resources: { limits: { memory: 64Mi } }
env:
  - { name: NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
  - { name: LIMIT, valueFrom: { resourceFieldRef: { resource: limits.memory, divisor: 1Mi } } }
volumeMounts: [{ name: me, mountPath: /me }]`,
      `volumes:
  - name: me
    downwardAPI:
      items:
        - { path: labels, fieldRef: { fieldPath: metadata.labels } }
        - { path: note, fieldRef: { fieldPath: "metadata.annotations['note']" } }`,
    ),
    ready: ready("selfaware"),
    checks: [["logs selfaware", /^selfaware 64\napp="selfaware"\nhello$/u]],
  },
  {
    name: "hooks after the start and before the stop",
    manifest: pod(
      "hooked",
      `${sleep}
lifecycle:
  postStart: { exec: { command: [sh, -c, "echo after start > /tmp/hook"] } }
  preStop: { sleep: { seconds: 1 } }`,
    ),
    ready: ready("hooked"),
    checks: [["exec hooked -- cat /tmp/hook", /^after start\n$/u]],
  },
  {
    name: "an unprivileged user with a group for its volume, and part of the volume by an expression",
    manifest: pod(
      "modest",
      `command: [sh, -c, "id -u; stat -c %g /part; touch /part/mine && ls /all; exec sleep 10000"]
env: [{ name: WHO, valueFrom: { fieldRef: { fieldPath: metadata.name } } }]
securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: [ALL] }, readOnlyRootFilesystem: true }
volumeMounts: [{ name: data, mountPath: /part, subPathExpr: $(WHO) }, { name: data, mountPath: /all }]`,
      "securityContext: { runAsUser: 1234, fsGroup: 777, seccompProfile: { type: RuntimeDefault } }\nvolumes: [{ name: data, emptyDir: {} }]",
    ),
    ready: ready("modest"),
    checks: [["logs modest", /^1234\n777\nmodest\n$/u]],
  },
  {
    name: "a pod on the network of its node",
    manifest: pod(
      "hosted",
      `command: [sh, -c, "cat /proc/1/net/route | wc -l; exec sleep 10000"]`,
      "hostNetwork: true",
    ),
    ready: ready("hosted"),
    checks: [["get pod hosted -o jsonpath={.status.podIP}", /^127\.0\.0\.1$/u]],
  },
  {
    name: "containers with limits",
    manifest: pod(
      "resized",
      `${sleep}
resources: { requests: { cpu: 100m, memory: 16Mi }, limits: { cpu: 500m, memory: 64Mi } }`,
    ).replace(
      /$/u,
      `
    - name: restarted
      image: busybox:1.35
      ${sleep}
      resources: { requests: { memory: 16Mi }, limits: { memory: 64Mi } }
      resizePolicy: [{ resourceName: memory, restartPolicy: RestartContainer }]
`,
    ),
    ready: ready("resized"),
    checks: [["get pod resized -o jsonpath={.status.qosClass}", /^Burstable$/u]],
  },
  {
    name: "two containers that share their network, and their logs together",
    manifest: pod(
      "couple",
      `command: [sh, -c, "echo asking; until nc -w 2 127.0.0.1 80 </dev/null; do sleep 0.2; done; echo asked; exec sleep 10000"]`,
    ).replace("  containers:\n", "  containers:\n    - { name: server, image: 'kedge.dev/echo:1' }\n"),
    ready: ready("couple"),
    checks: [["logs couple --all-containers", /answering on port 80\n[^]*asking\n[^]*asked\n/u]],
  },
];
