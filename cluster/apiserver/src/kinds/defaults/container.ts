import type {
  Container,
  EphemeralContainer,
  HTTPGetAction,
  ObjectFieldSelector,
  Probe,
} from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";
import { defaultPullPolicy } from "./image-tag.ts";

/** Defaults of containers and what is inside them. */
export const containerDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.core.v1.Container", setContainer],
  ["io.k8s.api.core.v1.EphemeralContainer", setContainer],
  ["io.k8s.api.core.v1.Probe", setProbe],
  ["io.k8s.api.core.v1.HTTPGetAction", setHttpGet],
  ["io.k8s.api.core.v1.GRPCAction", setGrpc],
  ["io.k8s.api.core.v1.ObjectFieldSelector", setFieldSelector],
];

function setContainer(container: Decoded<Container> | Decoded<EphemeralContainer>): void {
  container.imagePullPolicy ??= defaultPullPolicy(container.image ?? "");
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
}

function setProbe(probe: Decoded<Probe>): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
}

function setHttpGet(action: Decoded<HTTPGetAction>): void {
  action.path ??= "/";
  action.scheme ??= "HTTP";
}

function setGrpc(action: { service?: string | undefined }): void {
  action.service ??= "";
}

function setFieldSelector(selector: Decoded<ObjectFieldSelector>): void {
  selector.apiVersion ??= "v1";
}
