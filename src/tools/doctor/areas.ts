// The areas checked, in order of the report: this machine first, then how others see us, then other servers.
// In a separate file because the command line lists them without running the checks.

export const areas = [
  'settings',
  'software',
  'server',
  'port',
  'disk',
  'permissions',
  'database',
  'memory',
  'network',
  'clock',
  'name',
  'certificate',
  'did.json',
  'proxy',
  'jetstream',
  'plc',
  'members',
  'labelers',
  'pictures',
] as const

export type Area = (typeof areas)[number]
