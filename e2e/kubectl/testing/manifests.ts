/** Objects of several kinds in one file: what a user brings along. */
export const webManifest = `
apiVersion: v1
kind: ConfigMap
metadata: { name: greeting }
data: { text: hello }
---
apiVersion: v1
kind: Service
metadata: { name: web, labels: { app: web } }
spec:
  selector: { app: web }
  ports: [{ port: 80, targetPort: http }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: echo
          image: kedge.dev/echo:1
          env: [{ name: PORT, value: "8080" }]
          ports: [{ name: http, containerPort: 8080 }]
          readinessProbe: { httpGet: { path: /, port: http }, periodSeconds: 1 }
`;

/** A Deployment whose pods use twice what they ask for of the CPU. */
export const busyManifest = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: busy }
spec:
  selector: { matchLabels: { app: busy } }
  template:
    metadata: { labels: { app: busy } }
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: busy
          image: busybox:1.35
          command: [sh, -c, "while :; do :; done"]
          resources: { requests: { cpu: 20m }, limits: { cpu: 40m } }
`;

/** Containers that take input: a shell on a terminal, and one that repeats what it reads. */
export const shellManifest = `
apiVersion: v1
kind: Pod
metadata: { name: shell, labels: { app: shell } }
spec:
  terminationGracePeriodSeconds: 0
  containers:
    - { name: sh, image: "busybox:1.35", stdin: true, tty: true, command: [sh] }
    - name: repeat
      image: busybox:1.35
      stdin: true
      command: [sh, -c, "while read line; do echo I read $line; done"]
    - { name: busy, image: "busybox:1.35", command: [sh, -c, "while :; do :; done"] }
`;

/** A pod whose first container crashes once, and whose second one says five lines. */
export const crashManifest = `
apiVersion: v1
kind: Pod
metadata: { name: crashes, labels: { app: crash } }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: once
      image: kedge.dev/echo:1
      command: [sh, -c, 'if [ -e /state/ran ]; then echo again; exec sleep 1000; fi; touch /state/ran; echo first; exit 7']
      volumeMounts: [{ name: state, mountPath: /state }]
    - name: side
      image: kedge.dev/echo:1
      command: [sh, -c, 'for i in 1 2 3 4 5; do echo line $i; done; exec sleep 1000']
  volumes: [{ name: state, emptyDir: {} }]
`;

/** A pod that no node is good enough for. */
export const waitingManifest = `
apiVersion: v1
kind: Pod
metadata: { name: waits }
spec:
  nodeSelector: { example.com/nowhere: "true" }
  containers: [{ name: echo, image: kedge.dev/echo:1 }]
`;

/** One object of each of our own kinds. */
export const operatorManifest = `
apiVersion: redis.github.com/v1
kind: RedisInstance
metadata: { name: cache }
spec: { image: "redis:7.0", replicas: 2, deletionPolicy: Delete }
---
apiVersion: apps.example.com/v1alpha1
kind: Application
metadata: { name: hello }
spec: { image: "kedge.dev/echo:1", replicas: 2, port: 8080 }
`;
