// The connection of a process or thread to the CQL engine: prepared statements, routed to a replica of their
// partition, with bounded requests in flight and bounded waits. Only idempotent requests are retried. The
// driver is loaded on connecting: it is a tenth of all modules, and most servers have no engine.

import { readFileSync } from 'node:fs'
import type cassandra from 'cassandra-driver'
import { ConfigError } from '../../../base/config/config.ts'
import type { settingsOf } from '../../../base/config/every-setting.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createLimiter } from '../../../base/util/limiter.ts'
import { type clusterSettings, parseEngineAddress } from '../settings.ts'

export type EngineSettings = ReturnType<typeof settingsOf<typeof clusterSettings>>

export type Row = cassandra.types.Row

type Driver = typeof cassandra

type Statement = { query: string; values: readonly unknown[] }

/**
 * The engine did not answer in time, or has too few nodes left; the request may or may not have
 * been executed.
 */
export class EngineUnavailableError extends Error {
  override name = 'EngineUnavailableError'
}

export type Engine = {
  readonly keyspace: string
  /** A quorum read, page by page; `serial` first completes pending lightweight transactions. */
  read(query: string, values?: readonly unknown[], options?: { serial?: boolean }): Promise<Row[]>
  /** At quorum; the write must be idempotent. */
  write(query: string, values: readonly unknown[]): Promise<void>
  /** Like `write`, for one partition: readers see all of it or nothing. */
  writeTogether(statements: readonly Statement[]): Promise<void>
  /**
   * A lightweight transaction on one partition.
   * @returns whether its condition held. After an EngineUnavailableError, the outcome is unknown.
   */
  decide(statements: readonly Statement[]): Promise<boolean>
  /** For schema statements; never prepared. */
  define(query: string): Promise<void>
  /** Reads one node's own tables, without a keyspace. */
  local(query: string, host?: cassandra.Host): Promise<Row[]>
  hosts(): cassandra.Host[]
  close(): Promise<void>
}

const ANSWER_MS = 2_000
/** For schema changes, which must reach all nodes. */
const SCHEMA_MS = MINUTE_MS
const CONNECT_TIMEOUT_MS = 3_000
const MAX_RUNNING = 256
const MAX_WAITING = 4_096
const PAGE = 1_000

/**
 * @param answerMs - how long to wait for one node
 * @throws EngineUnavailableError if no node answers, ConfigError if a file cannot be read
 */
export async function connectEngine(
  settings: EngineSettings,
  answerMs: number = ANSWER_MS,
): Promise<Engine> {
  const { keyspace } = parseEngineAddress(settings.engine!)
  const { default: driver } = await import('cassandra-driver')
  const client = new driver.Client(clientOptions(driver, settings, answerMs))
  try {
    await client.connect()
  } catch (error) {
    await client.shutdown()
    throw asUnavailable(driver, error)
  }
  return engineOf(driver, client, keyspace)
}

function clientOptions(
  { auth, policies, types }: Driver,
  settings: EngineSettings,
  answerMs: number,
): cassandra.DseClientOptions {
  const { hosts, user, datacenter } = parseEngineAddress(settings.engine!)
  const { retry } = policies
  return {
    contactPoints: [...hosts],
    localDataCenter: datacenter,
    ...(user !== undefined && {
      authProvider: new auth.PlainTextAuthProvider(user, passwordOf(settings)),
    }),
    ...(settings.engineCa !== undefined && {
      sslOptions: { ca: [readFile('CA', settings.engineCa)], rejectUnauthorized: true },
    }),
    socketOptions: { readTimeout: answerMs, connectTimeout: CONNECT_TIMEOUT_MS },
    queryOptions: {
      prepare: true,
      consistency: types.consistencies.localQuorum,
      serialConsistency: types.consistencies.localSerial,
      fetchSize: PAGE,
    },
    policies: { retry: new retry.IdempotenceAwareRetryPolicy(new retry.RetryPolicy()) },
    encoding: { useBigIntAsLong: false },
  }
}

function engineOf(driver: Driver, client: cassandra.Client, keyspace: string): Engine {
  const { consistencies } = driver.types
  const limiter = createLimiter({
    maxRunning: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    full: () => new EngineUnavailableError('more is asked of the engine than it answers'),
  })
  const ask = <T>(work: () => Promise<T>): Promise<T> =>
    limiter.run(() =>
      work().catch((error) => {
        throw asUnavailable(driver, error)
      }),
    )
  return {
    keyspace,
    read: (query, values = [], { serial = false } = {}) => {
      const consistency = serial ? consistencies.localSerial : consistencies.localQuorum
      return ask(() => readAll(client, { query, values, consistency }))
    },
    write: async (query, values) => {
      await ask(() => client.execute(query, [...values], { isIdempotent: true }))
    },
    writeTogether: async (statements) => void (await ask(() => batch(client, statements, true))),
    decide: async (statements) => (await ask(() => batch(client, statements, false))).wasApplied(),
    define: async (query) => {
      const options = { prepare: false, consistency: consistencies.quorum, readTimeout: SCHEMA_MS }
      await ask(() => client.execute(query, [], options))
    },
    local: async (query, host) => {
      const options = { prepare: false, consistency: consistencies.one, ...(host && { host }) }
      return (await ask(() => client.execute(query, [], options))).rows
    },
    hosts: () => client.hosts.values(),
    close: () => client.shutdown(),
  }
}

function batch(client: cassandra.Client, statements: readonly Statement[], isIdempotent: boolean) {
  const queries = statements.map(({ query, values }) => ({ query, params: [...values] }))
  return client.batch(queries, { prepare: true, logged: false, isIdempotent })
}

async function readAll(
  client: cassandra.Client,
  {
    query,
    values,
    consistency,
  }: { query: string; values: readonly unknown[]; consistency: number },
): Promise<Row[]> {
  const rows: Row[] = []
  let pageState: string | undefined
  do {
    const options = { isIdempotent: true, consistency, ...(pageState && { pageState }) }
    const page = await client.execute(query, [...values], options)
    rows.push(...page.rows)
    pageState = page.pageState
  } while (pageState)
  return rows
}

/**
 * Converts errors of the engine and the connection; an invalid query is our own fault and is left
 * unchanged.
 */
function asUnavailable(driver: Driver, error: unknown): unknown {
  if (!isPassing(driver, error)) return error
  return new EngineUnavailableError((error as Error).message, { cause: error })
}

function isPassing({ errors, types }: Driver, error: unknown): boolean {
  const { responseErrorCodes: codes } = types
  const { ArgumentError, AuthenticationError, DriverError, NotSupportedError, ResponseError } =
    errors
  if (error instanceof ResponseError) {
    const ours: number[] = [codes.syntaxError, codes.unauthorized, codes.invalid, codes.configError]
    return !ours.includes(error.code)
  }
  const isOurs =
    error instanceof ArgumentError ||
    error instanceof AuthenticationError ||
    error instanceof NotSupportedError
  return !isOurs && (error instanceof DriverError || (error instanceof Error && 'syscall' in error))
}

function passwordOf({ enginePasswordFile }: EngineSettings): string {
  return readFile('PASSWORD_FILE', enginePasswordFile!).split('\n', 1)[0]!.trim()
}

function readFile(key: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `SLIPSTREAM_ENGINE_${key}: ${path} cannot be read: ${(error as Error).message}.`,
      'Make it a file that Slipstream’s user may read.',
    )
  }
}
