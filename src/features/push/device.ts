// A device as registered by an app: the token comes from a browser or a UnifiedPush connector, and is a
// WebPush subscription as JSON (endpoint, keys p256dh and auth). Checked once here; the guarded fetch checks
// addresses again each time.

import { asObject, parseJson } from '../../base/util/json-object.ts'
import { isAllowedService, type PushServices } from './settings.ts'
import type { PushDevice } from './store/registrations.ts'

export type DeviceRules = { services: PushServices; allowsHttp: boolean }

const MAX_ENDPOINT = 2048
const P256DH_BYTES = 65
const AUTH_BYTES = 16
const UNCOMPRESSED = 4

/** @returns the device, or what is wrong with it, as a sentence. */
export function readDevice(token: string, rules: DeviceRules): PushDevice | string {
  const { endpoint, keys } = asObject(parseJson(token)) ?? {}
  if (typeof endpoint !== 'string') {
    return 'token must be a push subscription as JSON: endpoint, and keys with p256dh and auth'
  }
  const unfit = unfitEndpoint(endpoint, rules)
  if (unfit) return unfit
  const { p256dh, auth } = (keys ?? {}) as { p256dh?: unknown; auth?: unknown }
  const key = bytesOf(p256dh)
  if (key?.length !== P256DH_BYTES || key[0] !== UNCOMPRESSED) {
    return 'keys.p256dh must be an uncompressed point of P-256 as base64url'
  }
  if (bytesOf(auth)?.length !== AUTH_BYTES) return 'keys.auth must be 16 bytes as base64url'
  return { endpoint, p256dh: p256dh as string, auth: auth as string }
}

/** Also accepts a token that is just an endpoint. */
export function endpointOf(token: string): string {
  const { endpoint } = asObject(parseJson(token)) ?? {}
  return typeof endpoint === 'string' ? endpoint : token
}

export function unfitEndpoint(endpoint: string, rules: DeviceRules): string | undefined {
  if (endpoint.length > MAX_ENDPOINT || !URL.canParse(endpoint)) return 'endpoint is no address'
  const { protocol, host, username, password } = new URL(endpoint)
  const isWeb = protocol === 'https:' || (protocol === 'http:' && rules.allowsHttp)
  if (!isWeb || username !== '' || password !== '') return 'endpoint must be an https address'
  if (isAllowedService(rules.services, host)) return undefined
  return `the operator of this server does not send pushes by way of ${host}`
}

function bytesOf(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || !/^[A-Za-z0-9_-]{1,100}={0,2}$/.test(text)) return undefined
  return Buffer.from(text, 'base64url')
}
