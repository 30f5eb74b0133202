import { isNotFound } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { repeat, until, type Churn } from "./churn.ts";

/** What became of the writes of one writer. */
export interface ObjectCounts {
  readonly acknowledged: number;
  /** Writes whose answer was lost with the server: each was done or was not. */
  readonly unanswered: number;
  readonly lost: number;
}

const names = 100;
const pauseMs = 20;
const namespace = "default";

/** Writes and deletes ConfigMaps, reads each back, and at the end all of them: what was acknowledged must be there. */
export async function churnObjects(churn: Churn, lane: string): Promise<ObjectCounts> {
  const { client, clock } = churn;
  const maps = client.of(ConfigMap);
  const labels = { soak: lane };
  const sure = new Map<string, string | undefined>();
  let [acknowledged, unanswered, lost] = [0, 0, 0];
  const lose = (name: string, found: string | undefined): void => {
    lost++;
    churn.onProblem(`ConfigMap ${name}: acknowledged was ${sure.get(name)}, found is ${found}`);
  };
  const read = async (name: string): Promise<string | undefined> => {
    try {
      return (await maps.get({ namespace, name })).data?.["value"];
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const write = async (name: string, value: string | undefined): Promise<void> => {
    if (value === undefined) {
      await maps.delete({ namespace, name }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    } else {
      const metadata = { namespace, name, labels };
      await maps.apply({ metadata, data: { value } }, { fieldManager: "soak", force: true });
    }
  };

  await repeat(churn, async (index) => {
    const name = `soak-${lane}-${index % names}`;
    const value = index % 10 === 9 ? undefined : String(index);
    try {
      await write(name, value);
      acknowledged++;
      sure.set(name, value);
    } catch {
      unanswered++;
      // One of the two; from now on it is the one that is there.
      await until(churn, `reading ConfigMap ${name}`, async () => {
        const found = await read(name);
        if (found !== value && found !== sure.get(name)) lose(name, found);
        sure.set(name, found);
        return true;
      });
    }
    await clock.sleep(pauseMs);
  });

  await until(churn, "reading all ConfigMaps", async () => {
    const { items } = await maps.list({ namespace, labelSelector: `soak=${lane}` }).all();
    const found = new Map(items.map(({ metadata, data }) => [metadata.name, data?.["value"]]));
    for (const name of new Set([...sure.keys(), ...found.keys()]))
      if (found.get(name) !== sure.get(name)) lose(name, found.get(name));
    return true;
  });
  return { acknowledged, unanswered, lost };
}
