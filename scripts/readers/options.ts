// Options of `npm run simulate -- --readers N …` in addition to the network's: how many readers, what they
// do, and which servers they read from.

import { parseArgs } from 'node:util'

/** `sign-in`: a reader's first timeline request, during which a server builds the timeline. */
export type Act = 'sign-in' | 'timeline' | 'scroll' | 'thread' | 'like' | 'follow'

/** How often a reader does this per hundred timeline reads. */
export type Mix = Record<Exclude<Act, 'timeline' | 'sign-in'>, number>

/**
 * A Slipstream to start with these settings; with `origin`, a running one that reads this network;
 * with `isOfficial`, the official AppView in front of a Slipstream with these settings, which
 * serves as its dataplane.
 */
export type ServerOptions = {
  name: string
  settings: Record<string, string>
  origin?: string
  isOfficial?: boolean
}

export type ReaderOptions = {
  readers: number
  mix: Mix
  /** Seconds between two timeline reads of a reader. */
  poll: number
  /** undefined: until stopped. */
  seconds: number | undefined
  servers: ServerOptions[]
  board: number
  report: string | undefined
}

const USUAL_MIX: Mix = { scroll: 40, thread: 25, like: 15, follow: 2 }
const MAX_READERS = 100_000
const MAX_SERVERS = 4
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+$/

const names = ['readers', 'mix', 'poll', 'seconds', 'server', 'board', 'report'] as const

/**
 * @returns the readers' options, if any, and the remaining arguments, which are for the network
 * @throws Error that explains the problem
 */
export function readReaderOptions(args: string[]): { readers?: ReaderOptions; rest: string[] } {
  const { own, rest } = split(args)
  if (own.length === 0) return { rest }
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: own,
    options: {
      readers: string,
      mix: string,
      poll: string,
      seconds: string,
      board: string,
      report: string,
      server: { type: 'string', multiple: true },
    },
  })
  const servers = (values.server ?? ['slipstream']).map(readServer)
  if (servers.length > MAX_SERVERS) throw new Error(`--server: at most ${MAX_SERVERS}`)
  if (new Set(servers.map(({ name }) => name)).size < servers.length) {
    throw new Error('--server: two have the same name')
  }
  const readers: ReaderOptions = {
    readers: readNumber('readers', values.readers ?? '', [1, MAX_READERS]),
    mix: readMix(values.mix ?? ''),
    poll: readNumber('poll', values.poll ?? '30', [0.1, 3_600]),
    seconds: values.seconds ? readNumber('seconds', values.seconds, [1, 86_400]) : undefined,
    servers,
    board: readNumber('board', values.board ?? '0', [0, 65_535]),
    report: values.report,
  }
  return { readers, rest }
}

function split(args: string[]): { own: string[]; rest: string[] } {
  const own: string[] = []
  const rest: string[] = []
  for (let i = 0; i < args.length; i++) {
    const isOwn = names.some((name) => args[i] === `--${name}` || args[i]!.startsWith(`--${name}=`))
    const list = isOwn ? own : rest
    list.push(args[i]!)
    const isAlone = !args[i]!.includes('=') && args[i + 1] !== undefined
    if (isAlone) list.push(args[++i]!)
  }
  return { own, rest }
}

function readNumber(name: string, text: string, [from, to]: [number, number]): number {
  const value = Number(text)
  if (text !== '' && value >= from && value <= to) return value
  throw new Error(`--${name} must be a number from ${from} to ${to}`)
}

/** For example `scroll=40,like=0`. */
function readMix(text: string): Mix {
  const mix = { ...USUAL_MIX }
  for (const part of text.split(',').filter((part) => part !== '')) {
    const [name, share] = part.split('=')
    if (!name || !Object.hasOwn(mix, name)) {
      throw new Error(`--mix: ${part} is none of ${Object.keys(mix).join(', ')}`)
    }
    mix[name as keyof Mix] = readNumber(`mix ${name}`, share ?? '', [0, 100])
  }
  return mix
}

/**
 * For example `plain`, `lossless:REASONABLE_LIMIT=0,SERVE_THREADS=2`, `theirs=official` or
 * `other=http://127.0.0.1:4000`.
 */
function readServer(text: string): ServerOptions {
  const match = /^([\w.-]{1,32})(?:=(http.+)|(=official)?(?::(.+))?)?$/.exec(text)
  if (!match) {
    const forms = 'a name, name:SETTING=value,…, name=official or name=http://127.0.0.1:port'
    throw new Error(`--server ${text}: ${forms}`)
  }
  const [, name, origin, official, settings] = match
  if (origin !== undefined && !LOOPBACK.test(origin)) {
    throw new Error(
      `--server ${name}: load goes to this machine alone, such as http://127.0.0.1:3000`,
    )
  }
  const pairs = (settings ?? '').split(',').filter((part) => part !== '')
  return {
    name: name!,
    settings: Object.fromEntries(pairs.map(readSetting)),
    ...(origin !== undefined && { origin }),
    ...(official !== undefined && { isOfficial: true }),
  }
}

function readSetting(text: string): [string, string] {
  const match = /^([A-Z][A-Z_]*)=(.*)$/.exec(text)
  if (!match) throw new Error(`--server: ${text} is no SETTING=value`)
  return [match[1]!, match[2]!]
}
