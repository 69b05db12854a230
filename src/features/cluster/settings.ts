// The CQL engine in which several nodes at one cluster store their shared data (docs/CLUSTER.md).

import { path, Unfit } from '../../base/config/parsers.ts'
import { optional } from '../../base/config/setting.ts'

type EngineAddress = {
  /** Each with its port. */
  hosts: readonly string[]
  keyspace: string
  user: string | undefined
  /** The engine's data centre that this node is in. */
  datacenter: string
}

const PORT = 9042

const PREFIX = 'cql://'

/** Parses addresses like `cql://user@10.0.0.1,10.0.0.2:9043/slipstream?dc=fra`. @throws Unfit */
export function parseEngineAddress(value: string): EngineAddress {
  const trimmed = value.trim()
  const address = trimmed.startsWith(PREFIX) ? trimmed.slice(PREFIX.length) : ''
  const [clusterId = '', query = 'dc=datacenter1', ...tooMuch] = address.split('?')
  const [authority = '', keyspace = '', ...further] = clusterId.split('/')
  const [list = '', user, ...others] = authority.split('@').reverse()
  const hosts = list.split(',').map((host) => host.trim())
  const isFit =
    tooMuch.length + further.length + others.length === 0 &&
    user !== '' &&
    /^[a-z][a-z0-9_]{0,47}$/.test(keyspace) &&
    /^dc=[A-Za-z0-9_.-]{1,100}$/.test(query) &&
    hosts.every((host) => HOST.test(host))
  if (!isFit) {
    throw new Unfit(
      'cql://user@host,host/keyspace, with :port if it is not 9042, and ?dc=NAME if the data centre is not datacenter1',
    )
  }
  return { hosts: hosts.map(withPort), keyspace, user, datacenter: query.slice('dc='.length) }
}

const HOST = /^(\[[0-9a-f:]+\]|[A-Za-z0-9_.-]+)(:\d{1,5})?$/

function withPort(host: string): string {
  return /:\d{1,5}$/.test(host.replace(/^\[.*\]/, '')) ? host : `${host}:${PORT}`
}

function engineAddress(value: string): string {
  parseEngineAddress(value)
  return value.trim()
}

export const clusterSettings = {
  engine: optional(
    'ENGINE',
    engineAddress,
    'CQL engine (Apache Cassandra, ScyllaDB) in which several nodes of one cluster share members, their private state, timelines and the operator’s decisions: cql://user@host,host/keyspace; ?dc=NAME names its data centre (default: datacenter1). Unset: this node runs alone (docs/CLUSTER.md).',
  ),
  enginePasswordFile: optional(
    'ENGINE_PASSWORD_FILE',
    path,
    'File with the engine user’s password on its first line.',
  ),
  engineCa: optional(
    'ENGINE_CA',
    path,
    'PEM file with the CA of the engine’s certificates; if set, every connection to the engine uses TLS.',
  ),
}

type CheckedSettings = {
  engine: string | undefined
  enginePasswordFile: string | undefined
  engineCa: string | undefined
  forgetMembersDays: number
}

/** @returns the problem with their combination and how to fix it; undefined if there is none. */
export function unfitEngine(
  settings: CheckedSettings,
): { message: string; hint: string } | undefined {
  const { engine, enginePasswordFile: password, engineCa } = settings
  if (!engine) {
    if (password === undefined && engineCa === undefined) return undefined
    return {
      message: `SLIPSTREAM_ENGINE_${password ? 'PASSWORD_FILE' : 'CA'} is set, but SLIPSTREAM_ENGINE is not.`,
      hint: 'Set SLIPSTREAM_ENGINE to cql://user@host,host/keyspace, or leave that one out.',
    }
  }
  if ((parseEngineAddress(engine).user === undefined) !== (password === undefined)) {
    return {
      message: 'The engine’s user and its password file must be set together.',
      hint: 'Set SLIPSTREAM_ENGINE=cql://user@host/keyspace and SLIPSTREAM_ENGINE_PASSWORD_FILE, or neither.',
    }
  }
  if (settings.forgetMembersDays === 0) return undefined
  return {
    message:
      'SLIPSTREAM_FORGET_MEMBERS_DAYS and SLIPSTREAM_ENGINE don’t go together: each node sees only some of a member’s requests.',
    hint: 'Leave SLIPSTREAM_FORGET_MEMBERS_DAYS out, and end memberships with `slipstream member remove`.',
  }
}
