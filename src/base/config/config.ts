// The only module that reads the environment (invariant 10). `loadConfig` turns the process environment and
// an optional `.env` file into one frozen `Config`, by the table in base/config/settings.ts. It rejects bad
// settings with a `ConfigError` that names the key, the problem and the fix.

import { existsSync, readFileSync } from 'node:fs'
import { features } from '../feature.ts'
import { settingsLocation } from '../util/installation.ts'
import {
  completePatterns,
  type GivenPatterns,
  givenPatterns,
  type MediaPatterns,
} from '../util/media-patterns.ts'
import { parseDotenv, UnfitLine } from './dotenv.ts'
import { everySetting } from './every-setting.ts'
import { isNearlyPrefixed, nearest } from './nearest.ts'
import { Unfit } from './parsers.ts'
import { envLine, PREFIX, type Setting } from './setting.ts'
import { settings } from './settings.ts'
import { unfitBudget } from './stream-bytes.ts'

/** An operator's mistake: the problem, its place, and how to fix it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

type Settings = typeof settings
const knownKeys = Object.values(everySetting).map(({ key }) => key)
type Parsed = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never
}

/** The parsed settings, before those derived from others are filled in. */
type Derivable = Omit<Parsed, 'hostname' | 'serviceDid' | keyof MediaPatterns> & {
  hostname?: string
  serviceDid?: string
} & GivenPatterns

export type Config = Readonly<Omit<Parsed, 'serviceDid' | keyof MediaPatterns> & MediaPatterns> & {
  readonly serviceDid: string
  /**
   * The origin under which clients reach us, without a trailing slash: https, or http for
   * localhost.
   */
  readonly publicOrigin: string
}

/**
 * Reads settings from `env` and, with lower precedence, from the `.env` file.
 * @throws ConfigError naming the first key that is unknown or invalid.
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
 * Returns all problems with the settings, and the settings themselves, with defaults in place of
 * invalid ones. For diagnostics; a server starts with `loadConfig` only.
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
    Object.entries(everySetting).map(([name, setting]) => {
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
  const unfit = unfitBudget(parsed) ?? unfitFeature(parsed)
  if (unfit) throw new ConfigError(unfit.message, unfit.hint)
  const { metrics, operatorToken } = parsed
  if (metrics !== 'operator' || operatorToken !== undefined) return
  throw new ConfigError(
    'SLIPSTREAM_METRICS is operator, but no operator’s token is set.',
    'Set SLIPSTREAM_OPERATOR_TOKEN, or SLIPSTREAM_METRICS to local, open or off.',
  )
}

function unfitFeature(parsed: Derivable) {
  for (const { unfit } of features) {
    const found = unfit?.(parsed as never)
    if (found) return found
  }
  return undefined
}

/** Which settings are set, and where; the environment takes precedence. */
export function settingSources(
  env: Record<string, string | undefined> = process.env,
  dotenvPath: string = '.env',
): Map<string, 'environment' | 'dotenv'> {
  return new Map([
    ...Object.keys(readDotenv(dotenvPath)).map((key) => [key, 'dotenv'] as const),
    ...Object.keys(definedOnly(env)).map((key) => [key, 'environment'] as const),
  ])
}

/** What is set, in the environment or the file, as lines of a `.env` file. With secrets. */
export function givenSettings(
  env: Record<string, string | undefined> = process.env,
  dotenvPath: string = '.env',
): string {
  const given = { ...readDotenv(dotenvPath), ...definedOnly(env) }
  return Object.entries(given)
    .map(([key, value]) => `${envLine(key, value)}\n`)
    .join('')
}

/** Whether this runs in continuous integration, where nobody answers a question. */
export function isUnattended(): boolean {
  return !['', '0', 'false'].includes(process.env['CI'] ?? '')
}

/**
 * Where the machine keeps its libraries, for child processes that get nothing else from the
 * environment.
 */
export function libraryPath(): string | undefined {
  return process.env['LD_LIBRARY_PATH']
}

/** Prints the settings as lines of a `.env` file, including derived ones. */
export function printConfig(config: Config): string {
  return Object.entries(everySetting)
    .map(
      ([name, setting]) =>
        `# ${setting.doc}\n${envLine(setting.key, printedValue(setting, config[name as keyof Config]))}`,
    )
    .join('\n\n')
}

/** Replaces port 0 with the real port, and updates the settings derived from it. */
export function atPort(config: Config, port: number): Config {
  const { hostname, serviceDid, ...rest } = config
  const isNameOurs = hostname === `localhost:${config.port}`
  const isDidOurs = serviceDid === didOf(hostname)
  const requested = { ...rest, ...givenPatterns(config), port }
  return Object.freeze(
    withDerived({
      ...requested,
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

/** @throws ConfigError if the file exists but cannot be read, or one of its lines. */
function readDotenv(path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  try {
    return definedOnly(parseDotenv(readFileSync(path)))
  } catch (error) {
    if (error instanceof UnfitLine) throw new ConfigError(`${path} ${error.message}.`, error.hint)
    throw new ConfigError(
      `${path} cannot be read: ${(error as Error).message}.`,
      'Make it a file that Slipstream’s user may read.',
    )
  }
}

/**
 * Keeps our own keys and those that are probably meant to be: a misspelt SLIPSTREAM_ is not ignored
 * silently. An empty value counts as unset, except where it may mean "no members".
 */
function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(env).filter(
    ([key, value]) =>
      isNearlyPrefixed(key, PREFIX) && (value || (value === '' && key === settings.members.key)),
  )
  return Object.fromEntries(entries) as Record<string, string>
}

function unknownKey(key: string): ConfigError {
  const meant = nearest(key, knownKeys, PREFIX)
  const list = 'docs/SETTINGS.md lists them all.'
  return new ConfigError(
    `${key} is not a setting of Slipstream.`,
    meant ? `Did you mean ${meant}? ${list}` : `Remove it; ${list}`,
  )
}

function readSetting<T>(setting: Setting<T>, raw: Record<string, string>): T | undefined {
  const value = raw[setting.key] ?? setting.fallback
  if (value === undefined) return undefined
  try {
    return setting.parse(value)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    throw new ConfigError(
      `${setting.key} is ${setting.isSecret ? 'set' : `"${value}"`}, but must be ${error.message}.`,
      `Set ${setting.key} in ${settingsLocation()}${setting.fallback ? `, or leave it out for ${setting.fallback}` : ''}.`,
    )
  }
}

/** Formats a value as an operator would write it; a secret shows only that it is set. */
export function printedValue({ isSecret }: { isSecret?: true }, value: unknown): string {
  return isSecret && value !== undefined ? '********' : formatValue(value)
}

function formatValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return Array.isArray(value) ? value.join(',') : String(value ?? '')
}
