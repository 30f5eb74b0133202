import { isAlreadyExists, isNotFound } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { repeat, until, type Churn } from "./churn.ts";

/** Creates a pod, waits until it is ready, deletes it and waits until it is gone. Gives how many lived. */
export async function churnPods(churn: Churn, lane: string): Promise<number> {
  const pods = churn.client.of(Pod);
  let lived = 0;
  await repeat(churn, async (index) => {
    const key = { namespace: "default", name: `soak-${lane}-${index}` };
    await until(churn, `creating pod ${key.name}`, async () => {
      await pods.create({ metadata: key, spec }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
      return true;
    });
    await until(churn, `pod ${key.name} ready`, async () => {
      const { status } = await pods.get(key);
      return status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
    });
    await until(churn, `pod ${key.name} gone`, async () => {
      try {
        const { metadata } = await pods.get(key);
        if (metadata.deletionTimestamp === undefined) await pods.delete(key);
        return false;
      } catch (error) {
        if (isNotFound(error)) return true;
        throw error;
      }
    });
    lived++;
  });
  return lived;
}

const spec = {
  terminationGracePeriodSeconds: 1,
  containers: [
    {
      name: "sleep",
      image: "kedge.dev/host:any",
      command: ["sh", "-c", "trap exit TERM; sleep 1000 & wait"],
      volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
    },
  ],
  volumes: [{ name: "scratch", emptyDir: { medium: "Memory" } }],
};
