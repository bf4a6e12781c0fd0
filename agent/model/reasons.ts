/** State of one attachment in a result document. */
export const ATTACHMENT_STATES = ['pending', 'applied', 'held', 'failed', 'rejected', 'withdrawing'] as const;
export type AttachmentState = (typeof ATTACHMENT_STATES)[number];

interface ReasonEntry {
  /** What it means, for docs/reasons.md and `portkeeper port`. */
  readonly meaning: string;
  /** What a person does about it. */
  readonly fix: string;
}

/** Every `reason` that a result, an error or the CLI can carry. Codes are stable: they are only ever added. */
export const REASONS = {
  Applied: { meaning: 'The port was read back and is exactly as wanted.', fix: 'Nothing to do.' },
  AwaitingSwitch: {
    meaning: 'Accepted; the change has not been made and proven yet.',
    fix: 'Wait; it is next in line for this switch.',
  },
  PortProtected: {
    meaning:
      'The port is protected: listed so, the way to the switch itself, or an uplink by its first LLDP neighbour.',
    fix: 'Use another port, or have the rack operator remove the protection (uplinksConfirmed for an LLDP finding).',
  },
  PortNotManaged: {
    meaning: 'The port is not in the list of managed ports of its switch.',
    fix: 'Add it to managedPorts in the configuration, or use another port.',
  },
  PortNotAllowed: {
    meaning: 'Policy does not give this port to this publisher.',
    fix: "Add the port to the publisher's ports in the configuration, or use another port.",
  },
  PortClaimed: {
    meaning: 'Another attachment had the port first.',
    fix: 'Withdraw the other attachment; this one is then taken up by itself.',
  },
  PortUnknown: {
    meaning: 'The switch has no port of that name, or the name fits several.',
    fix: 'Use a name from `portkeeper ports`.',
  },
  SwitchUnknown: {
    meaning: 'No switch of this rack has that name, chassis MAC or system name.',
    fix: 'Use a switch name from `portkeeper status`, or correct switchId.',
  },
  PublisherNotAllowed: {
    meaning: 'Policy names the publishers of this rack, and this is none of them.',
    fix: 'Add the publisher to the configuration.',
  },
  VlanNotAllowed: {
    meaning:
      'Policy does not give one of the VLANs to this publisher, or the attachment mixes provider and tenant VLANs.',
    fix: "Add the VLANs to the publisher's vlans, or keep provider networks and tenant VLANs on separate ports.",
  },
  NetworkUnknown: {
    meaning: 'This rack has no provider network of that name.',
    fix: 'Add the network to the configuration, or correct the name.',
  },
  NetworkNotAllowed: {
    meaning: 'Policy does not give this provider network to this publisher.',
    fix: "Add the network to the publisher's networks in the configuration.",
  },
  Unsupported: {
    meaning: 'The driver of this switch cannot express what is asked; the port was not touched.',
    fix: 'See the capabilities in the agent document, and ask for something the switch can do.',
  },
  ObserveOnly: {
    meaning: 'The agent runs in mode observe and never writes.',
    fix: 'Set mode: manage in the configuration when the plan looks right.',
  },
  DriftReported: {
    meaning: 'The port was changed by hand after it had been applied, and drift is only reported.',
    fix: 'Undo the change on the switch, run `portkeeper reconcile`, or set drift: repair.',
  },
  SwitchUnreachable: {
    meaning: 'The switch does not answer, so nothing can be changed or proven now.',
    fix: 'Check power, cabling, address and login of the switch; the agent goes on trying.',
  },
  SwitchBusy: {
    meaning: 'A person or another program holds the configuration of the switch.',
    fix: 'Leave configuration mode on the switch, or wait.',
  },
  SwitchChanged: {
    meaning: 'The switch at this address is not the one known: serial number, chassis ID or host key differ.',
    fix: 'When the switch was replaced on purpose, run `portkeeper accept SWITCH`.',
  },
  CommandRejected: {
    meaning: 'The switch refused a command; the port was put back.',
    fix: 'Read the answer of the switch in `portkeeper port NAME`.',
  },
  VerifyFailed: {
    meaning: 'The switch took the commands but reads back differently; the port was put back.',
    fix: 'See `portkeeper port NAME`; look for another program that writes to the switch.',
  },
  NeighborMismatch: {
    meaning: 'LLDP shows another host on the port than the attachment expects.',
    fix: 'Check the cable; correct expectedNeighbor if the cable is right.',
  },
  OnHold: { meaning: 'A technician has paused this port.', fix: 'Wait for the end of the hold, or release it.' },
  StaleRevision: {
    meaning: 'A newer revision of this publisher is already in force.',
    fix: 'Continue from the revision in the result document.',
  },
  RevisionConflict: {
    meaning: 'The same revision was published before with other content.',
    fix: 'Raise the revision with every change.',
  },
  Malformed: {
    meaning: 'The document is not what the contract asks for; the previous one stays in force.',
    fix: 'Correct the paths named in errors.',
  },
  TooLarge: {
    meaning: 'The document is larger or deeper than the contract allows.',
    fix: 'Split the rack over several publishers, or remove what does not belong in the document.',
  },
  StoreFailed: {
    meaning: 'The document could not be stored durably and was not acknowledged.',
    fix: 'Check disk space and permissions of the state folder.',
  },
  VlanMissing: {
    meaning: 'A VLAN that the port needs does not exist on the switch, and the agent may not create VLANs.',
    fix: 'Create the VLAN on the switch, or set vlans.manage: true.',
  },
  InternalError: {
    meaning: 'A defect in the agent; the port was left alone.',
    fix: 'Report it with the log lines around the time given.',
  },
} as const satisfies Record<string, ReasonEntry>;

export type Reason = keyof typeof REASONS;
export const REASON_CODES = Object.keys(REASONS) as [Reason, ...Reason[]];
