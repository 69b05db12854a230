// The plan of one seeded run: the size of the network, the members, Slipstream's settings, and which faults
// strike after which event. Everything is drawn here, before the run, and tied to event numbers rather than
// times, so that a seed reproduces the run.

import { createRandom, type Random } from '../random.ts'

export const faultKinds = [
  'kill',
  'kill-at-start',
  'terminate',
  'cut',
  'close',
  'error-frame',
  'refuse',
  'duplicate',
  'rewind',
  'stall',
  'reorder',
  'clamp',
  'window-lost',
  'rotate-dictionary',
  'dictionary-down',
  'dictionary-stale',
  'switch-host',
  'full-disk',
  'torn-snapshot',
  'corrupt-cache',
  'clock-ahead',
  'clock-back',
  'pds-slow',
  'pds-429',
  'pds-500',
  'pds-huge',
  'pds-endless',
  'pds-wrong-did',
  'pds-wrong-cid',
  'pds-redirect-loopback',
  'pds-redirect-link-local',
  'pds-silent',
  'labeler-huge',
  'labeler-flood',
  'labeler-odd',
  'stranger-text',
  'stranger-newcomers',
  'stranger-tokens',
  'stranger-records',
  'stranger-media',
  'stranger-feeds',
  'stranger-documents',
  'hostile-likers',
  'host-lies',
] as const

export type FaultKind = (typeof faultKinds)[number]

export type PlannedFault = {
  kind: FaultKind
  /** Number of emitted events at which it strikes. */
  at: number
  /** Duration, for faults that last. */
  forMs: number
  /** A random number for all other choices. */
  dice: number
}

export type TorturePlan = {
  seed: number
  accounts: number
  meanFollows: number
  pastEvents: number
  /** Emitted during the cold start. */
  earlyEvents: number
  events: number
  eventsPerTick: number
  members: number[]
  /** Members that follow few accounts and write nothing. */
  quiet: number[]
  /** Members that follow most accounts. */
  keen: number[]
  pageSize: number
  /**
   * Any account may read, and those that signed in are members; otherwise only the configured ones.
   */
  isOpen: boolean
  source: Source
  /** Without their prefix. */
  settings: Record<string, string>
  faults: PlannedFault[]
}

/** `relay`: no Jetstream, but two relays that bring what accounts signed. */
export type Source = 'jetstream' | 'relay'

export type RunSize = {
  events: number
  faults: number
  kinds?: readonly FaultKind[]
  source?: Source
  /** What strangers sign is verified, too; relays only. */
  verifiesAll?: boolean
}

/** What only Jetstream has, or what is only defined for its windows. */
const NOT_OF_RELAYS = new Set<FaultKind>([
  'rotate-dictionary',
  'dictionary-down',
  'dictionary-stale',
  'clamp',
  'window-lost',
])

/** Faults whose strangers sign in. */
const NEED_OPEN = new Set<FaultKind>([
  'stranger-newcomers',
  'stranger-tokens',
  'stranger-records',
  'stranger-media',
  'stranger-documents',
])

/** As with a mirror of the directory. */
const MANY_LOOKUPS = '100000'

const FULL: RunSize = { events: 1_200, faults: 10 }

export function planRun(seed: number, size: Partial<RunSize> = {}): TorturePlan {
  const random = createRandom(seed * 7919 + 13)
  const { events, faults, source = 'jetstream', verifiesAll = false, ...all } = { ...FULL, ...size }
  const kinds = (all.kinds ?? faultKinds).filter(
    (kind) => source === 'jetstream' || !NOT_OF_RELAYS.has(kind),
  )
  const accounts = 60 + random.below(61)
  const members = pickDistinct(random, 3 + random.below(3), accounts)
  const earlyEvents = random.chance(0.5) ? Math.round(events * 0.2) : 0
  const plan = {
    seed,
    accounts,
    meanFollows: 6 + random.below(10),
    pastEvents: 600 + random.below(600),
    earlyEvents,
    events,
    eventsPerTick: 2 + random.below(8),
    members,
    quiet: members.slice(0, 1),
    keen: members.slice(1, 2),
    pageSize: random.pick([20, 50, 100]),
    settings: {
      TIMELINE_LENGTH: random.pick(['50', '200', '1000']),
      CELEBRITY_THRESHOLD: random.pick(['2', '3', '10000']),
      JETSTREAM_WIRE: random.pick(['v2', 'v2', 'v1', 'auto']),
      JETSTREAM_COMPRESS: random.chance(0.8) ? 'on' : 'off',
      INDEX_SCOPE: random.pick(['community', 'community', 'network']),
      SERVE_THREADS: random.pick(['1', '1', '2']),
      IMAGES: 'own',
    },
    faults: planFaults(random, { count: faults, events: earlyEvents + events, kinds }),
  }
  const settings = { ...plan.settings, VIDEOS: random.pick(['own', 'cdn']) }
  const isOpen = plan.faults.some(({ kind }) => NEED_OPEN.has(kind))
  const isLiedTo = plan.faults.some(({ kind }) => kind === 'host-lies')
  const verified = verification(random, source, { isLiedTo, verifiesAll })
  return { ...plan, source, settings: { ...settings, ...verified }, isOpen }
}

function verification(
  random: Random,
  source: Source,
  { isLiedTo, verifiesAll }: { isLiedTo: boolean; verifiesAll: boolean },
): Record<string, string> {
  if (source === 'jetstream') {
    return isLiedTo ? { VERIFY: 'members', VERIFY_REQUESTS_MINUTE: '2000', METRICS: 'open' } : {}
  }
  return {
    JETSTREAM_HOSTS: 'off',
    // With `all`, what strangers do is left out while their keys are looked up for longer than the stream can wait.
    VERIFY: verifiesAll ? 'all' : 'off',
    ...(verifiesAll && { VERIFY_LOOKUPS_MINUTE: MANY_LOOKUPS }),
    // Where a host leaves out an account's last commit, only another can bring it.
    RELAY_USE: isLiedTo ? 'always' : random.pick(['always', 'reserve']),
    METRICS: 'open',
  }
}

/** Uses every kind once before repeating any. */
function planFaults(
  random: Random,
  { count, events, kinds }: { count: number; events: number; kinds: readonly FaultKind[] },
): PlannedFault[] {
  const order: FaultKind[] = []
  while (order.length < count)
    order.push(...pickDistinct(random, kinds.length, kinds.length).map((i) => kinds[i]!))
  return order
    .slice(0, count)
    .map((kind) => ({
      kind,
      at: 20 + random.below(events - 40),
      forMs: 100 + random.below(700),
      dice: random.next(),
    }))
    .sort((a, b) => a.at - b.at)
}

function pickDistinct(random: Random, count: number, bound: number): number[] {
  const all = Array.from({ length: bound }, (_, i) => i)
  return Array.from({ length: count }, () => all.splice(random.below(all.length), 1)[0]!)
}
