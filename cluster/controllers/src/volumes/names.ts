/** A claim stays while a pod uses it. */
export const claimProtection = "kubernetes.io/pvc-protection";
/** A volume stays while it is bound. */
export const volumeProtection = "kubernetes.io/pv-protection";
/** A class of attributes stays while a claim or a volume names it. */
export const attributesClassProtection = "kubernetes.io/vac-protection";
