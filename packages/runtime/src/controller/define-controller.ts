import { keyOf, keyToString, type Kind, type Scope, type StoredObject } from "@kedge/machinery";
import type { EventRecorder } from "../events/types.ts";
import { kindName } from "../informer/kind-name.ts";
import { promised } from "../informer/stored-view.ts";
import type { Informer, Reader } from "../informer/types.ts";
import { UnionInformer } from "../informer/union-informer.ts";
import { createQueue } from "../queue/create-queue.ts";
import type { RateLimitingQueue } from "../queue/types.ts";
import { ChildApplier } from "./apply-child.ts";
import { onChildChange, onOwnChange, onWatchedChange, type EventTrigger } from "./event-triggers.ts";
import type { matters } from "./matters.ts";
import { ownedKind, type OwnedKind } from "./owns.ts";
import { reconcileContext } from "./reconcile-context.ts";
import { rightsOf } from "./rights-of.ts";
import { runSource } from "./run-source.ts";
import { runWorkers } from "./run-workers.ts";
import { TakenNames } from "./taken-names.ts";
import type { Controller, ControllerHost, ControllerOptions } from "./types.ts";

const defaultWorkers = 4;
const defaultTimeout = 120_000;

/** A controller of the objects of one kind. A manager runs it; it may be given to several. */
export function defineController<T, S extends Scope>(options: ControllerOptions<T, S>): Controller {
  const { name, workers = defaultWorkers, timeout = defaultTimeout } = options;
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u.test(name)) {
    throw new TypeError(
      `controller ${JSON.stringify(name)}: the name must be kebab case: it names a field manager`,
    );
  }
  const prepared = new WeakMap<ControllerHost, Prepared>();
  const prepare = (host: ControllerHost): Prepared => {
    const known = prepared.get(host);
    if (known !== undefined) return known;
    const made = connect(options, host);
    prepared.set(host, made);
    return made;
  };
  return {
    name,
    rights: rightsOf(options),
    prepare: (host) => void prepare(host),
    async run(host, signal) {
      const { queue, informers, owned } = prepare(host);
      await Promise.all(Array.from(informers.values(), (informer) => informer.synced(signal)));
      const { clock, logger, metrics } = host;
      const children = new ChildApplier(name);
      const events = reportingAs(options.reporter, host.events);
      const common = {
        host: { ...host, events },
        controller: name,
        kind: options.for,
        informers,
        children,
        owned,
        taken: new TakenNames({ client: host.client, queue, logger, signal }),
      };
      const sources = (options.sources ?? []).map((source) =>
        runSource(
          source,
          { queue, clock, random: host.random, logger: logger.with({ controller: name }) },
          signal,
        ),
      );
      const work = runWorkers(
        {
          controller: name,
          queue,
          workers,
          timeout,
          clock,
          logger,
          metrics,
          // Inside a promise, so that what throws at once fails like what throws later.
          reconcile: async (item, run) => await options.reconcile(reconcileContext<T>(common, item, run)),
        },
        signal,
      );
      await Promise.all([work, ...sources]);
    },
  };
}

/** A recorder that says who reports, where a controller has a name of its own for it. */
function reportingAs(reporter: string | undefined, events: EventRecorder): EventRecorder {
  if (reporter === undefined) return events;
  return {
    record: (subject, note) => events.record(subject, { reporter, ...note }),
    flush: () => events.flush(),
  };
}

interface Prepared {
  readonly queue: RateLimitingQueue;
  readonly informers: ReadonlyMap<string, Informer>;
  readonly owned: ReadonlyMap<string, OwnedKind>;
}

/** Connects a queue to the informers of all kinds that a controller looks at. */
function connect<T, S extends Scope>(options: ControllerOptions<T, S>, host: ControllerHost): Prepared {
  const { clock, queueMetrics } = host;
  const queue = createQueue({
    clock,
    name: options.name,
    ...options.backoff,
    ...(queueMetrics !== undefined && { metrics: queueMetrics }),
  });
  const informers = new Map<string, readonly Informer<StoredObject>[]>();
  const attach = (informer: unknown, kind: Kind<unknown>, trigger: EventTrigger): void => {
    const attached = promised<Informer<StoredObject>>(informer);
    const known = informers.get(kindName(kind)) ?? [];
    if (!known.includes(attached)) informers.set(kindName(kind), [...known, attached]);
    attached.onEvent((event) => trigger(promised(event)));
    attached.onServed((isServed) => {
      const reason = isServed ? "is served" : "is not served any more";
      for (const object of promised<Reader<StoredObject>>(objects).list()) {
        queue.add(keyToString(keyOf(object)), { priority: "resync", source: kind.kind, reason });
      }
    });
  };
  host.informers.keepFieldsOf(options.name);
  const own = options.for;
  const objects = host.informers.of(own, options.select);
  const when = promised<typeof matters | undefined>(options.when);
  const logger = host.logger.with({ controller: options.name });
  attach(objects, own, onOwnChange(queue, { kind: own, when, logger }));
  const owned = (options.owns ?? []).map((entry) => ownedKind(entry, options.name));
  for (const { kind, select } of owned) {
    attach(host.informers.of(kind, select), kind, onChildChange(queue, own, kind));
  }
  for (const watched of options.watches ?? []) {
    attach(
      host.informers.of(watched.kind, {
        ...watched.select,
        ...(watched.isOptional === true && { isOptional: true }),
      }),
      watched.kind,
      onWatchedChange(queue, watched, { host, all: () => promised<Reader<StoredObject>>(objects).list() }),
    );
  }
  for (const { kind, name, values } of options.indexes ?? []) {
    const found = informers.get(kindName(kind));
    if (found === undefined) {
      throw new TypeError(
        `controller ${options.name}: index ${JSON.stringify(name)}: ${kind.kind} must be in for, owns or watches`,
      );
    }
    for (const informer of found) informer.addIndex(name, promised(values));
  }
  return {
    queue,
    informers: new Map([...informers].map(([name, parts]) => [name, united(parts)])),
    owned: new Map(owned.map((entry) => [kindName(entry.kind), entry])),
  };
}

/** What `run.read` shows of a kind: all that the controller looks at. */
function united(parts: readonly Informer<StoredObject>[]): Informer {
  const [first, ...others] = parts;
  return promised<Informer>(
    first !== undefined && others.length > 0 ? new UnionInformer(first, ...others) : first,
  );
}
