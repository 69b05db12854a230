// What is looked at, in the order in which it is told: what is on this machine first, then how others see
// us, then the others. By itself, since the command line names them without looking.

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
  'fallback',
  'pictures',
  'engine',
] as const

export type Area = (typeof areas)[number]
