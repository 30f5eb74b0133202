import type { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deployment, replicaSet } from "../testing/builders.ts";
import { limitsOf } from "./limits.ts";
import { planDeployment } from "./plan.ts";

/** A replica set with the pods that there are of it: so many run, and so many of these serve. */
interface Simulated {
  readonly image: string;
  readonly revision: number;
  size: number;
  running: number;
  serving: number;
  desired: number;
  most: number;
}

/** What the world does between two runs of the controller, to one of the replica sets. */
type Move = "start" | "serve" | "stop";

const setup = fc.record({
  replicas: fc.integer({ min: 1, max: 12 }),
  maxSurge: fc.integer({ min: 0, max: 5 }),
  maxUnavailable: fc.integer({ min: 0, max: 5 }),
  moves: fc.array(fc.record({ which: fc.nat(9), move: fc.constantFrom<Move>("start", "serve", "stop") }), {
    maxLength: 60,
  }),
  images: fc.integer({ min: 1, max: 3 }),
});

describe("a simulated roll-out", () => {
  it("never has more pods than allowed, never takes more away than allowed, and always ends", () => {
    fc.assert(
      fc.property(setup, ({ replicas, maxSurge, maxUnavailable, moves, images }) => {
        const rollingUpdate = { maxSurge, maxUnavailable };
        const spec = { strategy: { type: "RollingUpdate", rollingUpdate } };
        const world: Simulated[] = [];
        const first = deployment(replicas, { spec, image: "main:0" });
        const { most, least } = limitsOf(first);
        world.push({
          image: "main:0",
          revision: 1,
          size: replicas,
          running: replicas,
          serving: replicas,
          desired: replicas,
          most,
        });
        const step = (image: string): boolean => {
          const view = {
            deployment: deployment(replicas, { spec, image }),
            replicaSets: world.map(asReplicaSet),
            pods: [],
          };
          const before = served(world);
          const actions = planDeployment(view);
          for (const action of actions) {
            if (action.type === "create") {
              const size = action.replicaSet.spec.replicas ?? 0;
              world.push({
                image,
                revision: world.length + 1,
                size,
                running: 0,
                serving: 0,
                desired: replicas,
                most,
              });
            } else if (action.type === "scale") {
              const found = world.find((one) => nameOf(one) === action.replicaSet.metadata.name);
              if (found !== undefined)
                Object.assign(found, { size: action.replicas, desired: replicas, most });
            }
          }
          // What the replica set controller keeps: those that serve, as long as the size allows.
          for (const one of world) {
            one.running = Math.min(one.running, one.size);
            one.serving = Math.min(one.serving, one.running);
          }
          expect(total(world)).toBeLessThanOrEqual(Math.max(most, replicas));
          expect(served(world)).toBeGreaterThanOrEqual(Math.min(before, least));
          return actions.some(({ type }) => type === "create" || type === "scale");
        };
        for (let image = 1; image <= images; image++) {
          for (const { which, move } of moves) {
            step(`main:${image}`);
            const one = world[which % world.length];
            if (one !== undefined) change(one, move);
          }
        }
        // From now on every pod starts and serves: the roll-out must come to its end.
        let isQuiet = false;
        for (let turn = 0; turn < 200 && !isQuiet; turn++) {
          for (const one of world) one.serving = one.running = one.size;
          isQuiet = !step(`main:${images}`);
        }
        expect(isQuiet).toBe(true);
        expect(world.filter(({ size }) => size > 0).map(({ image, size }) => [image, size])).toEqual([
          [`main:${images}`, replicas],
        ]);
      }),
      { numRuns: 300 },
    );
  });
});

function change(one: Simulated, move: Move): void {
  if (move === "start") one.running = Math.min(one.size, one.running + 1);
  else if (move === "serve") one.serving = Math.min(one.running, one.serving + 1);
  else one.serving = Math.max(0, one.serving - 1);
}

function asReplicaSet(one: Simulated): ReplicaSet {
  const { image, revision, size, running, serving, desired, most } = one;
  return replicaSet(nameOf(one), size, {
    image,
    revision,
    age: 100 - revision,
    replicas: running,
    available: serving,
    desired,
    most,
  });
}

function nameOf({ revision }: Simulated): string {
  return `web-${revision}`;
}

function total(world: readonly Simulated[]): number {
  return world.reduce((sum, { size }) => sum + size, 0);
}

function served(world: readonly Simulated[]): number {
  return world.reduce((sum, { serving }) => sum + serving, 0);
}
