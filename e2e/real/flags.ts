/** Flags of a program, by name without dashes. */
export type Flags = Readonly<Record<string, string>>;

/** As arguments; later flags win over earlier ones. */
export function argumentsOf(...flags: readonly (Flags | undefined)[]): readonly string[] {
  return Object.entries(Object.assign({}, ...flags) as Flags).map(([name, value]) => `--${name}=${value}`);
}

const serviceRange = "10.96.0.0/12";
const localServing = (port: number): Flags => ({
  "bind-address": "127.0.0.1",
  "secure-port": String(port),
  "tls-cert-file": "serving.crt",
  "tls-private-key-file": "serving.key",
});

/** A store for one short life: nothing is forced to disk, and only who may enter the folder can reach it. */
export const etcdFlags: Flags = {
  name: "oracle",
  "data-dir": "etcd",
  "unsafe-no-fsync": "true",
  "listen-client-urls": "unix://etcd.sock:0",
  "advertise-client-urls": "unix://etcd.sock:0",
  "listen-peer-urls": "unix://peer.sock:0",
  "initial-advertise-peer-urls": "unix://peer.sock:0",
  "initial-cluster": "oracle=unix://peer.sock:0",
  "log-level": "warn",
};

/** As kubeadm sets it up: RBAC, service accounts, aggregation. What is not named is Kubernetes' own default. */
export function apiserverFlags(port: number): Flags {
  return {
    ...localServing(port),
    "etcd-servers": "unix://etcd.sock:0",
    // Of no machine: what is recorded does not depend on where, and no network is needed to find one.
    "advertise-address": "192.0.2.1",
    "client-ca-file": "ca.crt",
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "allow-privileged": "true",
    "service-cluster-ip-range": serviceRange,
    "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
    "service-account-key-file": "sa.pub",
    "service-account-signing-key-file": "sa.key",
    "kubelet-certificate-authority": "ca.crt",
    "kubelet-client-certificate": "kubelet-client.crt",
    "kubelet-client-key": "kubelet-client.key",
    "kubelet-preferred-address-types": "InternalIP,Hostname",
    "requestheader-client-ca-file": "front-proxy-ca.crt",
    "requestheader-allowed-names": "front-proxy-client",
    "requestheader-username-headers": "X-Remote-User",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    "proxy-client-cert-file": "front-proxy-client.crt",
    "proxy-client-key-file": "front-proxy-client.key",
  };
}

/** All controllers, one replica, tokens of their own. */
export function controllerManagerFlags(port: number): Flags {
  return {
    ...localServing(port),
    ...ownKubeconfig("kube-controller-manager"),
    controllers: "*,bootstrap-signer-controller,token-cleaner-controller",
    "use-service-account-credentials": "true",
    "service-account-private-key-file": "sa.key",
    "root-ca-file": "ca.crt",
    "cluster-signing-cert-file": "ca.crt",
    "cluster-signing-key-file": "ca.key",
    "service-cluster-ip-range": serviceRange,
    "allocate-node-cidrs": "true",
    "cluster-cidr": "10.244.0.0/16",
    // Played kubelets do not send heartbeats.
    "node-monitor-grace-period": "24h",
    "node-startup-grace-period": "24h",
    // The default is below /usr, and it is made when it is missing.
    "flex-volume-plugin-dir": "flexvolume",
    // It makes a service account for each controller before it begins: the default of 20 a second takes 5 seconds.
    "kube-api-qps": "1000",
    "kube-api-burst": "2000",
  };
}

/** One replica. */
export function schedulerFlags(port: number): Flags {
  return { ...localServing(port), ...ownKubeconfig("kube-scheduler") };
}

function ownKubeconfig(name: string): Flags {
  const file = `${name}.kubeconfig`;
  return {
    kubeconfig: file,
    "authentication-kubeconfig": file,
    "authorization-kubeconfig": file,
    "leader-elect": "false",
  };
}
