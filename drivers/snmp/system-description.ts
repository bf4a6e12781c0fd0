/** How vendors write the model into sysDescr, the telling forms first. */
const MODELS: readonly RegExp[] = [
  /\brunning on an? (?:Arista Networks )?(\S+)/,
  /\bRouterOS (\S+)/,
  /\bSeries: (\S+)/,
  /\bHardware Model: ?([^,\s]+)/i,
  /\bHwSku: ?(\S+)/,
  /\bJuniper Networks, Inc\. (\S+)/,
  /\bCisco IOS Software[^(]*\(([A-Z0-9]+)-/,
  // A word of letters and then digits, as nearly all models are: DGS-3620-28SC, ECS4100-28T, JL635A.
  /(?:^|[\s(])(?<!\bRelease )([A-Z][A-Za-z]*-?[0-9](?=[A-Za-z/+-]*[0-9])[A-Za-z0-9/+-]*)/,
];

/** And the version of the software. */
const VERSIONS: readonly RegExp[] = [
  /\bJUNOS ([0-9][\w.-]*)/,
  /\bApplication Software Version:? ([^\s,]+)/i,
  /\bSoftware Version:? ?([^\s,]+(?:,[0-9][^\s,]*)?)/i,
  /\b(?:version|ver\.?|revision):? ?([A-Z]{0,2}\.?[0-9][\w.()/-]*)/i,
  /\bSW:? ?(v?[0-9][\w.]*)/,
  /\b([A-Z]{2}\.[0-9]{2}\.[0-9]{2}[\w.]*)/,
  /\b(?:Linux|linux) ([0-9]+\.[0-9][\w.+-]*)/,
  /\b([0-9]+\.[0-9]+\.[0-9][\w.]*)/,
];

/** The model that sysDescr names, or its beginning when it names none; at most 64 characters. For people only. */
export function modelIn(description: string): string {
  return (firstOf(MODELS, description) || description).slice(0, 64).trim();
}

/** The version that sysDescr names; "" when it names none. For people only. */
export function versionIn(description: string): string {
  return firstOf(VERSIONS, description).slice(0, 64);
}

function firstOf(patterns: readonly RegExp[], text: string): string {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found.replace(/[,.;]+$/, '');
  }
  return '';
}
