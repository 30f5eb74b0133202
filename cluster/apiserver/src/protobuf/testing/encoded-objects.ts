/**
 * Objects as Go clients of Kubernetes v1.36.4 encode them, in protobuf and in JSON: made by a Go program from the
 * serializers of k8s.io/apimachinery, not by hand.
 */
export const encodedObjects: readonly EncodedObject[] = [
  {
    name: "a claim of the empty class",
    protobuf:
      "azhzAAobCgJ2MRIVUGVyc2lzdGVudFZvbHVtZUNsYWltEkYKFAoEZGF0YRIAGgAiACoAMgA4AEIAEioKDVJlYWRXcml0ZU9uY2USFRITCgdzdG9yYWdlEggKBjE1MzZNaRoAKgAaAgoAGgAiAA==",
    json: {
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      metadata: { name: "data" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1536Mi" } },
        storageClassName: "",
      },
      status: {},
    },
  },
  {
    name: "a controller revision with raw data",
    protobuf:
      "azhzAAodCgdhcHBzL3YxEhJDb250cm9sbGVyUmV2aXNpb24SNQoRCgFjEgAaACIAKgAyADgAQgASHgoceyJzcGVjIjp7ImEiOlsxLHRydWUsbnVsbF19fRgDGgAiAA==",
    json: {
      kind: "ControllerRevision",
      apiVersion: "apps/v1",
      metadata: { name: "c" },
      data: { spec: { a: [1, true, null] } },
      revision: 3,
    },
  },
  {
    name: "a definition with schemas of all forms",
    protobuf:
      "azhzAAozChdhcGlleHRlbnNpb25zLms4cy5pby92MRIYQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uEocFCiIKEnRoaW5ncy5leGFtcGxlLmNvbRIAGgAiACoAMgA4AEIAEtIECgtleGFtcGxlLmNvbRoTCgZ0aGluZ3MSACIFVGhpbmcqACIKTmFtZXNwYWNlZDqfBAoCdjEQARgBIvIDCu8DCgASACIAKgZvYmplY3QyADoAUABgAHoAkAEA6gHHAwoEc3BlYxK+AwoAEgAiACoGb2JqZWN0MgA6AFAAYAB6AJABALoBAWHqAUEKAWESPAoAEgAiACoHaW50ZWdlcjIAOgBCAwoBMUkAAAAAAAAEQFAAWQAAAAAAAAAAYAB6AJABAKgCALgCAMACAOoBXwoBYhJaCgASACIAKgVhcnJheTIAOgBQAGAAegCAAQCQAQDCATEKLwoAEgAiACoGc3RyaW5nMgA6AFAAYAB6AJABAKIBBQoDIngiogEAqAIAuAIAwAIAqAIAuAIAwAIA6gFUCgFjEk8KABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDyASgIARIkCgASACIAKgZzdHJpbmcyADoAUABgAHoAkAEAqAIAuAIAwAIAqAIAuAIAwAIA6gEuCgFkEikKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDyAQIIAagCALgCAMACAOoBIwoBZRIeCgASACIAKgAyADoAUABgAHoAkAEAqAIAuAIAwAIB6gE/CgFmEjoKABIAIgAqBm9iamVjdDIAOgBCEQoPeyJ6IjpbMSwidHdvIl19UABgAHoAkAEAqAIAsAIBuAIAwAIAqAIAuAIAwAIAqAIAuAIAwAIAKgIKADIaCgFBEgZzdHJpbmcaACIAKAEyBy5zcGVjLmE4AFAAGgwSCAoAEgAiACoAIAAaACIA",
    json: {
      kind: "CustomResourceDefinition",
      apiVersion: "apiextensions.k8s.io/v1",
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        names: { plural: "things", kind: "Thing" },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    required: ["a"],
                    properties: {
                      a: { type: "integer", default: 1, maximum: 2.5, minimum: 0 },
                      b: { type: "array", maxItems: 0, items: { type: "string", enum: ["x", null] } },
                      c: { type: "object", additionalProperties: { type: "string" } },
                      d: { type: "object", additionalProperties: true },
                      e: { "x-kubernetes-int-or-string": true },
                      f: {
                        type: "object",
                        default: { z: [1, "two"] },
                        "x-kubernetes-preserve-unknown-fields": true,
                      },
                    },
                  },
                },
              },
            },
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: "A", type: "string", priority: 1, jsonPath: ".spec.a" }],
          },
        ],
      },
      status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null },
    },
  },
  {
    name: "a deployment with zeros that count and zeros that do not",
    protobuf:
      "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50Es8CCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEp0CCAASDAoKCgNhcHASA3dlYhrtAQocCgASABoAIgAqADIAOABCAFoKCgNhcHASA3dlYhLMAQoLCgN0bXASBBICCgASnQEKA3dlYhIKbmdpbng6MS4yNyoAMgoKABAAGFAiACoAOgkKBUVNUFRZEgA6HAoDUE9EEgAaEwoRCgASDW1ldGFkYXRhLm5hbWVCIAoNCgNjcHUSBgoENTAwbQoPCgZtZW1vcnkSBQoDMUdpWiEKFRITCgEvEgoIARAAGgRodHRwGgAiABAAGAAgACgAMABqAHIAgAEAiAEAkAEAogEAGgAyAEIASgBSAFgAYABoAIIBAIoBAJoBAKgBAMIBACIXCgASEwoGCAAQABoAEgkIARAAGgMyNSUoADgAGgwIABAAGAAgACgAOAAaACIA",
    json: {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: { name: "web", labels: { app: "web" } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            volumes: [{ name: "tmp", emptyDir: {} }],
            containers: [
              {
                name: "web",
                image: "nginx:1.27",
                ports: [{ containerPort: 80 }],
                env: [
                  { name: "EMPTY" },
                  { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
                ],
                resources: { limits: { cpu: "500m", memory: "1Gi" } },
                readinessProbe: { httpGet: { path: "/", port: "http" } },
              },
            ],
            automountServiceAccountToken: false,
          },
        },
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: "25%" } },
      },
      status: {},
    },
  },
  {
    name: "a lease with microseconds",
    protobuf:
      "azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRJ+CmcKAWwSABoAIgAqADIAOABCCAjCy+jXBhAAigFLCgFtEgZVcGRhdGUaAnYxIggIwsvo1wYQADIIRmllbGRzVjE6JAoieyJmOnNwZWMiOnsiZjpob2xkZXJJZGVudGl0eSI6e319fUIAEhMKAm1lEA8iCQjCy+jXBhDYNigAGgAiAA==",
    json: {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: {
        name: "l",
        creationTimestamp: "2026-11-15T21:36:02Z",
        managedFields: [
          {
            manager: "m",
            operation: "Update",
            apiVersion: "v1",
            time: "2026-11-15T21:36:02Z",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:spec": { "f:holderIdentity": {} } },
          },
        ],
      },
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        renewTime: "2026-11-15T21:36:02.000007Z",
        leaseTransitions: 0,
      },
    },
  },
  {
    name: "a review with extra",
    protobuf:
      "azhzAAouChdhdXRob3JpemF0aW9uLms4cy5pby92MRITU3ViamVjdEFjY2Vzc1JldmlldxJUChAKABIAGgAiACoAMgA4AEIAEjYKFQoAEgNnZXQaACIAKgRwb2RzMgA6ABoEamFuZSIDZGV2KhAKBnNjb3BlcxIGCgFhCgFiMgAaCAgAEgAaACAAGgAiAA==",
    json: {
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec: {
        resourceAttributes: { verb: "get", resource: "pods" },
        user: "jane",
        groups: ["dev"],
        extra: { scopes: ["a", "b"] },
      },
      status: { allowed: false },
    },
  },
  {
    name: "a role with verbs",
    protobuf:
      "azhzAAokChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgRSb2xlEigKEQoBchIAGgAiACoAMgA4AEIAEhMKA2dldAoEbGlzdBIAGgRwb2RzGgAiAA==",
    json: {
      kind: "Role",
      apiVersion: "rbac.authorization.k8s.io/v1",
      metadata: { name: "r" },
      rules: [{ verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] }],
    },
  },
  {
    name: "a secret with bytes",
    protobuf:
      "azhzAAoMCgJ2MRIGU2VjcmV0Ej0KEQoBcxIAGgAiACoAMgA4AEIAEggKAWESAwAB/xIJCgVlbXB0eRIAGgZPcGFxdWUiCQoBYhIEdGV4dCgAGgAiAA==",
    json: {
      kind: "Secret",
      apiVersion: "v1",
      metadata: { name: "s" },
      immutable: false,
      data: { a: "AAH/", empty: "" },
      stringData: { b: "text" },
      type: "Opaque",
    },
  },
  {
    name: "a service whose target port is unset",
    protobuf:
      "azhzAAoNCgJ2MRIHU2VydmljZRJlChMKA3dlYhIAGgAiACoAMgA4AEIAEkoKEAoAEgAYUCIGCAAQABoAKAAKFgoBYhIAGFEiCwgBEAAaBW5hbWVkKAASCgoDYXBwEgN3ZWIaBE5vbmUiADoAQgBSAFoAYABoABoCCgAaACIA",
    json: {
      kind: "Service",
      apiVersion: "v1",
      metadata: { name: "web" },
      spec: {
        ports: [
          { port: 80, targetPort: 0 },
          { name: "b", port: 81, targetPort: "named" },
        ],
        selector: { app: "web" },
        clusterIP: "None",
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: "an event with times unset",
    protobuf:
      "azhzAAoLCgJ2MRIFRXZlbnQSSQoYCgFlEgAaB2RlZmF1bHQiACoAMgA4AEIAEhIKA1BvZBIAGgFhIgAqADIAOgAaAVIiACoECgASADIAOgBAA0oAUgBiAHIAegAaACIA",
    json: {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "e", namespace: "default" },
      involvedObject: { kind: "Pod", name: "a" },
      reason: "R",
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      count: 3,
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    },
  },
  {
    name: "delete options with a grace period of zero",
    protobuf: "azhzAAoYCgdhcHBzL3YxEg1EZWxldGVPcHRpb25zEhMIABIDCgF1IgpCYWNrZ3JvdW5kGgAiAA==",
    json: {
      kind: "DeleteOptions",
      apiVersion: "apps/v1",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" },
      propagationPolicy: "Background",
    },
  },
];

/** One object in both encodings; the protobuf is base64. */
export interface EncodedObject {
  readonly name: string;
  readonly protobuf: string;
  readonly json: unknown;
}
