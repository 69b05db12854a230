// The one room that reads the environment (invariant 10).
//
// `loadConfig` turns the process environment plus an optional `.env` file into one frozen `Config`, by
// the table in base/config/settings.ts, and refuses with a `ConfigError` that says which key, what is wrong
// with it and what would be right.

import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { unfitArchive } from './archive.ts'
import { unfitDataplane } from './dataplane.ts'
import { unfitEngine } from './engine.ts'
import {
  completePatterns,
  type GivenPatterns,
  givenPatterns,
  type MediaPatterns,
} from './media-patterns.ts'
import { isNearlyPrefixed, nearest } from './nearest.ts'
import { Unfit } from './parsers.ts'
import { PREFIX, type Setting } from './setting.ts'
import { settings } from './settings.ts'

/** An operator's mistake: what is wrong, where it stands, and what to do about it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

type Settings = typeof settings
const knownKeys = Object.values(settings).map(({ key }) => key)
type Parsed = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never
}

/** What was read, before the settings that follow from others are filled in. */
type Derivable = Omit<Parsed, 'hostname' | 'serviceDid' | keyof MediaPatterns> & {
  hostname?: string
  serviceDid?: string
} & GivenPatterns

export type Config = Readonly<Omit<Parsed, 'serviceDid' | keyof MediaPatterns> & MediaPatterns> & {
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
  const { config, problems } = examineConfig(env, dotenvPath)
  if (problems[0]) throw problems[0]
  return config
}

/**
 * All that is wrong with the settings, and the settings as far as they are fit: what is not has its
 * default. For whoever looks for mistakes; a server starts by `loadConfig` alone.
 */
export function examineConfig(
  env: Record<string, string | undefined> = process.env,
  dotenvPath: string = '.env',
): { config: Config; problems: ConfigError[] } {
  const problems: ConfigError[] = []
  function attempt<T>(read: () => T, otherwise: () => T): T {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(error)
      return otherwise()
    }
  }
  const fromFile = attempt(
    () => readDotenv(dotenvPath),
    () => ({}),
  )
  const raw: Record<string, string> = { ...fromFile, ...definedOnly(env) }
  const unknown = Object.keys(raw).filter((key) => !knownKeys.includes(key))
  problems.push(...unknown.map(unknownKey))
  const parsed = Object.fromEntries(
    Object.entries(settings).map(([name, one]) => {
      const setting = one as Setting<unknown>
      return [
        name,
        attempt(
          () => readSetting(setting, raw),
          () => readSetting(setting, {}),
        ),
      ]
    }),
  ) as unknown as Derivable
  attempt(
    () => refuseContradictions(parsed),
    () => undefined,
  )
  return { config: Object.freeze(withDerived(parsed)), problems }
}

function refuseContradictions(parsed: Derivable): void {
  const unfit = unfitArchive(parsed) ?? unfitDataplane(parsed) ?? unfitEngine(parsed)
  if (unfit) throw new ConfigError(unfit.message, unfit.hint)
  const { metrics, operatorToken } = parsed
  if (metrics !== 'operator' || operatorToken !== undefined) return
  throw new ConfigError(
    'SLIPSTREAM_METRICS is operator, but there is no operator’s token.',
    'Set SLIPSTREAM_OPERATOR_TOKEN, or SLIPSTREAM_METRICS to local, open or off.',
  )
}

/** Which settings are set, and where; the environment wins. */
export function settingSources(
  env: Record<string, string | undefined> = process.env,
  dotenvPath: string = '.env',
): Map<string, 'environment' | 'dotenv'> {
  return new Map([
    ...Object.keys(readDotenv(dotenvPath)).map((key) => [key, 'dotenv'] as const),
    ...Object.keys(definedOnly(env)).map((key) => [key, 'environment'] as const),
  ])
}

/** Where a machine's own libraries are, for a process of ours that gets nothing else of the environment. */
export function libraryPath(): string | undefined {
  return process.env['LD_LIBRARY_PATH']
}

/** The settings as lines of a `.env` file; what was derived is filled in. */
export function printConfig(config: Config): string {
  return Object.entries(settings)
    .map(
      ([name, one]) => `# ${one.doc}\n${one.key}=${shownValue(one, config[name as keyof Config])}`,
    )
    .join('\n\n')
}

/** The configuration once port 0 has become a real one, which its own name then follows. */
export function atPort(config: Config, port: number): Config {
  const { hostname, serviceDid, ...rest } = config
  const isNameOurs = hostname === `localhost:${config.port}`
  const isDidOurs = serviceDid === didOf(hostname)
  const asked = { ...rest, ...givenPatterns(config), port }
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
  const publicOrigin = `${isLocal ? 'http' : 'https'}://${hostname}`
  return {
    ...parsed,
    hostname,
    serviceDid: parsed.serviceDid ?? didOf(hostname),
    publicOrigin,
    ...completePatterns({ ...parsed, publicOrigin }, parsed),
  }
}

function didOf(hostname: string): string {
  return `did:web:${hostname.replace(':', '%3A')}`
}

/** @throws ConfigError where it is there but not ours to read. */
function readDotenv(path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  try {
    return definedOnly(parseEnv(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new ConfigError(
      `${path} cannot be read: ${(error as Error).message}.`,
      'Make it a file that the user that runs Slipstream may read.',
    )
  }
}

/** What is ours, and what was probably meant to be: a misspelt SLIPSTREAM_ is not passed over in silence.
 * An empty value is as good as none, but not where it may be meant as "nobody". */
function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(env).filter(
    ([key, value]) =>
      isNearlyPrefixed(key, PREFIX) && (value || (value === '' && key === settings.members.key)),
  )
  return Object.fromEntries(entries) as Record<string, string>
}

function unknownKey(key: string): ConfigError {
  const meant = nearest(key, knownKeys, PREFIX)
  const list = 'scripts/start --print-config lists them all.'
  return new ConfigError(
    `${key} is not a setting of Slipstream.`,
    meant ? `Did you mean ${meant}? ${list}` : `Take it out; ${list}`,
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
      `${one.key} is ${one.isSecret ? 'set' : `"${value}"`}, but must be ${error.message}.`,
      `Set ${one.key} in the environment or in .env${one.fallback ? `, or leave it out for ${one.fallback}` : ''}.`,
    )
  }
}

/** As an operator would write it; a secret only says that it is set. */
export function shownValue({ isSecret }: { isSecret?: true }, value: unknown): string {
  return isSecret && value !== undefined ? '********' : formatValue(value)
}

function formatValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return Array.isArray(value) ? value.join(',') : String(value ?? '')
}
