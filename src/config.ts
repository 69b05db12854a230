// The one room that reads the environment (invariant 10).
//
// `settings` is the single table of everything an operator can set: name, default, parser and one
// sentence of documentation. `loadConfig` turns the process environment plus an optional `.env`
// file into one frozen `Config`, and refuses with a `ConfigError` that says which key, what is
// wrong with it and what would be right. The settings table in README.md is made from this one.

import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import {
  did,
  dids,
  flag,
  hostname,
  integer,
  jetstreamHosts,
  mediaPattern,
  members,
  oneOf,
  text,
  Unfit,
  url,
} from './config/parsers.ts'

const PREFIX = 'SLIPSTREAM_'

/** An operator's mistake: what is wrong, where it stands, and what to do about it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

type Setting<T> = {
  key: string
  /** As the operator would write it; undefined where the value is derived. */
  fallback: string | undefined
  parse: (text: string) => T
  doc: string
}

function setting<T>(
  key: string,
  fallback: string | undefined,
  parse: (text: string) => T,
  doc: string,
): Setting<T> {
  return { key: PREFIX + key, fallback, parse, doc }
}

/** Those that Bluesky's own AppView trusts, as published at https://blu.ski/trusted. */
const TRUSTED_VERIFIERS = [
  'did:plc:z72i7hdynmk6r22z27h6tvur', // Bluesky
  'did:plc:eclio37ymobqex2ncko63h4r', // The New York Times
  'did:plc:inz4fkbbp7ms3ixufw6xuvdi', // WIRED
  'did:plc:b2kutgxqlltwc6lhs724cfwr', // The Athletic
  'did:plc:wmho6q2uiyktkam3jsvrms3s', // NBC News
  'did:plc:sqbswn3lalcc2dlh2k7zdpuw', // Yahoo Finance
  'did:plc:y3xrmnwvkvsq4tqcsgwch4na', // The Globe and Mail
  'did:plc:d2jith367s6ybc3ldsusgdae', // Los Angeles Times
  'did:plc:dzezcmpb3fhcpns4n4xm4ur5', // CNN
  'did:plc:5u54z2qgkq43dh2nzwzdbbhb', // Financial Times
  'did:plc:xwqgusybtrpm67tcwqdfmzvy', // IGN
  'did:plc:k5nskatzhyxersjilvtnz4lh', // The Washington Post
  'did:plc:fivojrvylkim4nuo3pfqcf3k', // Microsoft
]

export const settings = {
  port: setting('PORT', '3000', integer(0, 65_535), 'Port to listen on; 0 takes any free one.'),
  bind: setting('BIND', '127.0.0.1', text, 'Address to listen on; 0.0.0.0 for all interfaces.'),
  hostname: setting(
    'HOSTNAME',
    undefined,
    hostname,
    'Public host name (localhost:PORT if unset), with :port where it is not 443. The service DID is did:web: of it. http only for localhost.',
  ),
  serviceDid: setting(
    'SERVICE_DID',
    undefined,
    did,
    'Service DID (did:web: of the host name if unset).',
  ),
  altAudiences: setting(
    'ALT_AUDIENCES',
    '',
    dids,
    'Other DIDs accepted as the audience of a service JWT, separated by commas.',
  ),
  dataDir: setting('DATA_DIR', './data', text, 'Folder for the database and caches.'),
  jetstreamHosts: setting(
    'JETSTREAM_HOSTS',
    'wss://jetstream.us-east.bsky.network,wss://jetstream.us-west.bsky.network',
    jetstreamHosts,
    'Jetstream origins in order of preference, separated by commas.',
  ),
  jetstreamWire: setting(
    'JETSTREAM_WIRE',
    'v2',
    oneOf('v2', 'v1', 'auto'),
    'v2 (subscribeEvents), v1 (/subscribe), or auto: v2 where the host has it.',
  ),
  jetstreamCompress: setting(
    'JETSTREAM_COMPRESS',
    'on',
    flag,
    'Ask for zstd frames with a shared dictionary (less than half the traffic).',
  ),
  jetstreamV1Dictionary: setting(
    'JETSTREAM_V1_DICTIONARY',
    'https://raw.githubusercontent.com/bluesky-social/jetstream/main/internal/subscribe/dictionaries/legacy_subscribe.zdict',
    text,
    'Path or URL of the v1 dictionary; the v2 one comes from its host.',
  ),
  plcUrl: setting(
    'PLC_URL',
    'https://plc.directory',
    url('http:', 'https:'),
    'PLC directory that resolves did:plc.',
  ),
  members: setting(
    'MEMBERS',
    'open',
    members,
    'Who may read here: open (anyone with a valid service JWT), or DIDs and handles separated by commas.',
  ),
  reasonableLimit: setting(
    'REASONABLE_LIMIT',
    '2000',
    integer(1, 10_000_000),
    'Follows above which a timeline becomes lossy: each post is kept with probability limit/follows.',
  ),
  serveThreads: setting(
    'SERVE_THREADS',
    '1',
    integer(1, 64),
    'Threads that answer requests, for machines with more than two cores; ingest has one of its own. More than one needs Linux or FreeBSD.',
  ),
  celebrityThreshold: setting(
    'CELEBRITY_THRESHOLD',
    '10000',
    integer(1, 1_000_000_000),
    'Members following one author above which posts are merged at read time instead of fanned out.',
  ),
  timelineLength: setting(
    'TIMELINE_LENGTH',
    '1000',
    integer(50, 100_000),
    'Items kept ready in memory for each active member; older pages are read from the database.',
  ),
  timelineIdleDays: setting(
    'TIMELINE_IDLE_DAYS',
    '14',
    integer(1, 3650),
    'Days without a request after which a timeline leaves memory; it is rebuilt on the next read.',
  ),
  answerCacheMb: setting(
    'ANSWER_CACHE_MB',
    '96',
    integer(0, 100_000),
    'Megabytes that each serving thread may keep of ready-made posts and profiles, and of what viewers are to them.',
  ),
  indexScope: setting(
    'INDEX_SCOPE',
    'community',
    oneOf('authors', 'community', 'network'),
    'authors: only what members and those they follow write. community: also what others reply, like, repost and follow among them. network: everything.',
  ),
  searchedPosts: setting(
    'SEARCHED_POSTS',
    '10000000',
    integer(0, 1_000_000_000),
    'How many posts at most can be found by their words, the newest; each takes about 300 bytes of disk. 0: none.',
  ),
  allowPrivateHosts: setting(
    'ALLOW_PRIVATE_HOSTS',
    'off',
    flag,
    'Let DID documents and PDSs live on private addresses and plain http; for tests and local networks only.',
  ),
  imageUrlPattern: setting(
    'IMAGE_URL_PATTERN',
    'https://cdn.bsky.app/img/{preset}/plain/{did}/{cid}',
    mediaPattern,
    'Image address; {preset} is avatar, banner, feed_thumbnail or feed_fullsize.',
  ),
  videoPlaylistUrlPattern: setting(
    'VIDEO_PLAYLIST_URL_PATTERN',
    'https://video.bsky.app/watch/{did}/{cid}/playlist.m3u8',
    mediaPattern,
    'Video playlist address.',
  ),
  videoThumbnailUrlPattern: setting(
    'VIDEO_THUMBNAIL_URL_PATTERN',
    'https://video.bsky.app/watch/{did}/{cid}/thumbnail.jpg',
    mediaPattern,
    'Video thumbnail address.',
  ),
  labelers: setting(
    'LABELERS',
    'did:plc:ar7c4by46qjdydhdevvrndac',
    dids,
    "DIDs of labelers whose labels count where a request names none, and whose streams are always followed; Bluesky's moderation service.",
  ),
  trustedVerifiers: setting(
    'TRUSTED_VERIFIERS',
    TRUSTED_VERIFIERS.join(','),
    dids,
    'DIDs whose word about who somebody is shows in profiles, separated by commas; may be empty (a comma).',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'Least severe log level that is written.',
  ),
}

type Settings = typeof settings
type Parsed = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never
}

/** What was read, before the settings that follow from others are filled in. */
type Derivable = Omit<Parsed, 'hostname' | 'serviceDid'> & {
  hostname?: string
  serviceDid?: string
}

export type Config = Readonly<Omit<Parsed, 'serviceDid'>> & {
  readonly serviceDid: string
  /** Where clients reach us, without a trailing slash: https, or http for localhost. */
  readonly publicOrigin: string
}

/**
 * Reads settings from `env` and, below it, the `.env` file.
 * @throws ConfigError naming the first key that is unknown or unfit.
 */
export function loadConfig(
  env: Record<string, string | undefined> = process.env,
  dotenvPath: string = '.env',
): Config {
  const raw = { ...readDotenv(dotenvPath), ...definedOnly(env) }
  refuseUnknownKeys(raw)
  const parsed = Object.fromEntries(
    Object.entries(settings).map(([name, one]) => [
      name,
      readSetting(one as Setting<unknown>, raw),
    ]),
  ) as unknown as Derivable
  return Object.freeze(withDerived(parsed))
}

/** The settings as lines of a `.env` file; what was derived is filled in. */
export function printConfig(config: Config): string {
  return Object.entries(settings)
    .map(([name, { key, doc }]) => `# ${doc}\n${key}=${formatValue(config[name as keyof Config])}`)
    .join('\n\n')
}

/** The configuration once port 0 has become a real one, which its own name then follows. */
export function atPort(config: Config, port: number): Config {
  const { hostname, serviceDid, ...rest } = config
  const isNameOurs = hostname === `localhost:${config.port}`
  const isDidOurs = serviceDid === didOf(hostname)
  const asked = { ...rest, port }
  return Object.freeze(
    withDerived({
      ...asked,
      ...(!isNameOurs && { hostname }),
      ...(!isDidOurs && { serviceDid }),
    }),
  )
}

function withDerived(parsed: Derivable): Config {
  const hostname = parsed.hostname ?? `localhost:${parsed.port}`
  const isLocal = /^localhost(:|$)/.test(hostname)
  return {
    ...parsed,
    hostname,
    serviceDid: parsed.serviceDid ?? didOf(hostname),
    publicOrigin: `${isLocal ? 'http' : 'https'}://${hostname}`,
  }
}

function didOf(hostname: string): string {
  return `did:web:${hostname.replace(':', '%3A')}`
}

function readDotenv(path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  return definedOnly(parseEnv(readFileSync(path, 'utf8')))
}

function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(env).filter(([key, value]) => key.startsWith(PREFIX) && value)
  return Object.fromEntries(entries) as Record<string, string>
}

function refuseUnknownKeys(raw: Record<string, string>): void {
  const known = Object.values(settings).map(({ key }) => key)
  const unknown = Object.keys(raw).find((key) => !known.includes(key))
  if (!unknown) return
  throw new ConfigError(
    `${unknown} is not a setting of Slipstream.`,
    `Did you mean ${nearest(unknown, known)}? scripts/start --print-config lists them all.`,
  )
}

function readSetting<T>(one: Setting<T>, raw: Record<string, string>): T | undefined {
  const value = raw[one.key] ?? one.fallback
  if (value === undefined) return undefined
  try {
    return one.parse(value)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    throw new ConfigError(
      `${one.key} is "${value}", but must be ${error.message}.`,
      `Set ${one.key} in the environment or in .env${one.fallback ? `, or leave it out for ${one.fallback}` : ''}.`,
    )
  }
}

function formatValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return Array.isArray(value) ? value.join(',') : String(value ?? '')
}

function nearest(word: string, words: string[]): string {
  const ranked = words.map((known) => ({ known, distance: editDistance(word, known) }))
  ranked.sort((a, b) => a.distance - b.distance)
  return ranked[0]?.known ?? ''
}

/** Levenshtein distance, by the two-row method. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current[j] = Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1)
    }
    previous = current
  }
  return previous[b.length]!
}
