// The context of all checks: the settings as far as readable, the server if it runs, and the network access,
// which tests can replace.

import type { LookupFunction } from 'node:net'
import type { Config, ConfigError } from '../../base/config/config.ts'
import type { Status } from '../../http/operator/status.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { Ask } from './network/ask.ts'

/** Through control.sock in the data folder. */
type RunningServer = {
  status: Status
  /** @throws Error with the server's explanation. */
  ask<T>(method: string, path: string): Promise<T>
}

export type DoctorContext = {
  /** Unreadable settings have their defaults here and are listed in `problems`. */
  config: Config
  problems: readonly ConfigError[]
  /** Memory that features' processes may take besides the server. */
  processBytes: number
  /** Whether the environment or the file sets this key. */
  isSet(key: string): boolean
  /** `none`: the socket does not answer. `refusal`: why this user may not connect. */
  server: RunningServer | 'none' | { refusal: string; fix: string }
  /** Where the settings file would be. */
  dotenvPath: string
  now(): number
  /** Like any client: by the name's addresses, verifying certificates, not following redirects. */
  ask: Ask
  /** As this server sends requests to strangers' servers. */
  fetch: GuardedFetch
  resolver: Resolver
  /** The addresses of a name in public DNS. */
  addressesOf(name: string): Promise<string[]>
  /** How sockets resolve addresses and which CA they trust, if not the system's. */
  socket: { lookup?: LookupFunction; ca?: string }
  /** Whether any outside host answers at all; checked once. */
  isOnline(): Promise<boolean>
}

export function runningServer({
  server,
}: Pick<DoctorContext, 'server'>): RunningServer | undefined {
  return typeof server === 'object' && 'status' in server ? server : undefined
}

/** A name that only this machine knows: for trials. */
export function isLocalOnly({ hostname }: Pick<Config, 'hostname'>): boolean {
  return /^localhost(:|$)/.test(hostname)
}

/** Without the port. */
export function nameOf({ hostname }: Pick<Config, 'hostname'>): string {
  return hostname.replace(/:\d{1,5}$/, '')
}
