// The settings of the dataplane interface and their valid combinations: any caller that reaches it may read
// and write on behalf of any account.

import { integer, listenAddress, path, portOrOff, secret } from '../../base/config/parsers.ts'
import { hidden, optional, setting } from '../../base/config/setting.ts'

export const dataplaneSettings = {
  dataplanePort: setting(
    'DATAPLANE_PORT',
    'off',
    portOrOff,
    'Port of the dataplane interface (bsky.Service and bsync.Service), for an official AppView on top of this server’s data (docs/DATAPLANE.md); off: none.',
  ),
  dataplaneBind: setting(
    'DATAPLANE_BIND',
    '127.0.0.1',
    listenAddress,
    'Address that the dataplane interface listens on. Its callers may read and write for any account, so beyond loopback it needs DATAPLANE_TOKEN or DATAPLANE_TLS_CLIENT_CA.',
  ),
  dataplaneToken: hidden(
    optional(
      'DATAPLANE_TOKEN',
      secret,
      'Bearer token of at least 16 characters that every call to the dataplane interface must carry.',
    ),
  ),
  dataplaneTlsCert: optional(
    'DATAPLANE_TLS_CERT',
    path,
    'PEM file with the certificate of the dataplane interface; needs DATAPLANE_TLS_KEY. Unset: no TLS.',
  ),
  dataplaneTlsKey: optional(
    'DATAPLANE_TLS_KEY',
    path,
    'PEM file with the key of that certificate.',
  ),
  dataplaneTlsClientCa: optional(
    'DATAPLANE_TLS_CLIENT_CA',
    path,
    'PEM file with the CA whose client certificates the dataplane interface requires (mutual TLS).',
  ),
  dataplaneNotificationDays: setting(
    'DATAPLANE_NOTIFICATION_DAYS',
    '0',
    integer(0, 3_650),
    'Days to keep notifications of all accounts, so that a frontend may ask for any account’s; needs INDEX_SCOPE=network, and costs disk and CPU (docs/DATAPLANE.md). 0: only members’, which are always kept.',
  ),
}

export type DataplaneSettings = {
  dataplanePort: number | undefined
  dataplaneBind: string
  dataplaneToken: string | undefined
  dataplaneTlsCert: string | undefined
  dataplaneTlsKey: string | undefined
  dataplaneTlsClientCa: string | undefined
  dataplaneNotificationDays: number
}

type Others = { indexScope: string; engine: string | undefined; port: number }

type Problem = { message: string; hint: string } | undefined

/** @returns the problem and how to fix it; undefined if there is none. */
export function unfitDataplane(settings: DataplaneSettings & Others): Problem {
  const unfitDays = unfitNotificationDays(settings)
  if (unfitDays || settings.dataplanePort === undefined) return unfitDays
  return unfitPort(settings) ?? unfitTls(settings) ?? unfitBind(settings) ?? unfitEngine(settings)
}

function unfitPort({ dataplanePort, port }: DataplaneSettings & Others): Problem {
  if (dataplanePort !== port) return undefined
  return {
    message: `SLIPSTREAM_DATAPLANE_PORT and SLIPSTREAM_PORT are both ${port}.`,
    hint: 'Give one of them another port.',
  }
}

function unfitTls({
  dataplaneTlsCert: cert,
  dataplaneTlsKey: key,
  dataplaneTlsClientCa: ca,
}: DataplaneSettings): Problem {
  if ((cert === undefined) !== (key === undefined)) {
    return {
      message: `SLIPSTREAM_DATAPLANE_TLS_${cert ? 'CERT' : 'KEY'} is set without the other half.`,
      hint: 'Set both SLIPSTREAM_DATAPLANE_TLS_CERT and SLIPSTREAM_DATAPLANE_TLS_KEY, or neither.',
    }
  }
  if (ca === undefined || cert !== undefined) return undefined
  return {
    message: 'SLIPSTREAM_DATAPLANE_TLS_CLIENT_CA is set, but TLS is not.',
    hint: 'Set SLIPSTREAM_DATAPLANE_TLS_CERT and SLIPSTREAM_DATAPLANE_TLS_KEY, too.',
  }
}

function unfitBind({
  dataplaneBind: bind,
  dataplaneToken: token,
  dataplaneTlsClientCa: ca,
}: DataplaneSettings): Problem {
  if (isLoopback(bind) || token !== undefined || ca !== undefined) return undefined
  return {
    message: `SLIPSTREAM_DATAPLANE_BIND is ${bind}, where others could read and write for any account.`,
    hint: 'Set SLIPSTREAM_DATAPLANE_TOKEN (or SLIPSTREAM_DATAPLANE_TLS_CLIENT_CA with a certificate), or leave SLIPSTREAM_DATAPLANE_BIND out for 127.0.0.1.',
  }
}

function unfitEngine({ engine }: Others): Problem {
  if (engine === undefined) return undefined
  return {
    message:
      'SLIPSTREAM_DATAPLANE_PORT and SLIPSTREAM_ENGINE don’t go together yet: it would answer from this node’s private state alone.',
    hint: 'Leave one of them out.',
  }
}

function unfitNotificationDays({
  dataplaneNotificationDays: days,
  dataplanePort: port,
  indexScope,
}: DataplaneSettings & Others): Problem {
  if (days === 0) return undefined
  if (port === undefined) {
    return {
      message: `SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS is ${days}, but no dataplane interface serves those notifications.`,
      hint: 'Set SLIPSTREAM_DATAPLANE_PORT, or leave SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS out: members’ are kept without it.',
    }
  }
  if (indexScope === 'network') return undefined
  return {
    message: `SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS is ${days}, but SLIPSTREAM_INDEX_SCOPE is ${indexScope}: most events that notify others are not indexed.`,
    hint: 'Set SLIPSTREAM_INDEX_SCOPE=network, or leave SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS out.',
  }
}

function isLoopback(bind: string): boolean {
  return bind === 'localhost' || /^127\./.test(bind) || bind === '::1'
}
