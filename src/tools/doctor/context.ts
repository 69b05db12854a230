// What is examined: the settings as far as they can be read, the server if it runs, and the ways out to
// the network, so that a test can put doubles there.

import type { LookupFunction } from 'node:net'
import type { Config, ConfigError } from '../../base/config/config.ts'
import type { Status } from '../../http/operator/status.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { Ask } from './ask.ts'

/** Through control.sock in the data folder. */
type RunningServer = {
  status: Status
  /** @throws Error with what the server says is wrong. */
  ask<T>(method: string, path: string): Promise<T>
}

export type DoctorContext = {
  /** What can't be read has its default here, and stands in `problems`. */
  config: Config
  problems: readonly ConfigError[]
  /** Keys that are set, by the environment or the file. */
  isSet(key: string): boolean
  /** `none`: nobody answers on the socket. A string otherwise: why it may not be asked. */
  server: RunningServer | 'none' | { refusal: string; fix: string }
  /** Where the settings' file would be. */
  dotenvPath: string
  now(): number
  /** As anybody asks: by the name's addresses, verifying certificates, without following redirects. */
  ask: Ask
  /** As this server asks strangers' servers. */
  fetch: GuardedFetch
  resolver: Resolver
  /** What a name stands for in public DNS. */
  addressesOf(name: string): Promise<string[]>
  /** How sockets find addresses and whom they trust, where not as the system does. */
  socket: { lookup?: LookupFunction; ca?: string }
  /** Whether any host outside answers at all; asked once. */
  isOnline(): Promise<boolean>
}

export function runningServer({
  server,
}: Pick<DoctorContext, 'server'>): RunningServer | undefined {
  return typeof server === 'object' && 'status' in server ? server : undefined
}

/** A name that only this machine knows: for trying things out. */
export function isLocalOnly({ hostname }: Pick<Config, 'hostname'>): boolean {
  return /^localhost(:|$)/.test(hostname)
}

/** Without the port. */
export function nameOf({ hostname }: Pick<Config, 'hostname'>): string {
  return hostname.replace(/:\d{1,5}$/, '')
}
