/** The sample that `kedge up` brings. */
export const sampleKey = { namespace: "default", name: "sample" };
