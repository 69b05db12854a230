// The member's session in this browser. Tokens are in IndexedDB, bound to a key that can't be read out of it
// (DPoP); requests go to the member's PDS, which forwards those meant for us. Nothing of it reaches our server.

import type { Setup } from '../setup.ts'
import { isHandle } from './handle.ts'
import { BrowserOAuthClient } from './oauth-client.js'
import { SignInError } from './reasons.ts'

export type Session = Awaited<ReturnType<BrowserOAuthClient['restore']>>
export type ScopeName = keyof Setup['scopes']

const NAMES_OF_LOOPBACK = new Set(['localhost', '[::1]'])

let client: Promise<BrowserOAuthClient> | undefined

export function setup(): Setup {
  const tag = document.querySelector<HTMLMetaElement>('meta[name="slipstream-setup"]')
  if (!tag) throw new Error('this page has no setup')
  return JSON.parse(tag.content) as Setup
}

/** @throws SignInError where the browser has no cryptography: on plain http */
export function oauthClient(): Promise<BrowserOAuthClient> {
  if (!globalThis.crypto?.subtle) return Promise.reject(new SignInError('not-secure'))
  client ??= load()
  return client
}

async function load(): Promise<BrowserOAuthClient> {
  const { clientId, plcUrl, isLoopback } = setup()
  const options = { clientId, handleResolver: location.origin, plcDirectoryUrl: plcUrl }
  return BrowserOAuthClient.load({ ...options, allowHttp: isLoopback, responseMode: 'fragment' })
}

/**
 * This page on the address to which a PDS sends browsers back: what signing in stores under the name `localhost`
 * is not found there. Undefined if this is it.
 */
export function addressForSessions(): string | undefined {
  if (!setup().isLoopback || !NAMES_OF_LOOPBACK.has(location.hostname)) return undefined
  const there = new URL(location.href)
  there.hostname = '127.0.0.1'
  return there.href
}

/** The session of whoever signed in here last; undefined if nobody did. */
export async function restored(): Promise<Session | undefined> {
  const found = await (await oauthClient()).initRestore()
  return found?.session
}

/** Leads to the PDS's own pages, and from there to the callback; returns only if it can't. */
export async function signIn(name: string, requested: ScopeName = 'use'): Promise<never> {
  const identifier = nameIn(name)
  const state = JSON.stringify({ back: location.pathname + location.search, asked: requested })
  const options = { scope: setup().scopes[requested], state, ui_locales: navigator.language }
  return (await oauthClient()).signInRedirect(identifier, options)
}

/** @throws SignInError if it is neither a handle nor a DID */
export function nameIn(text: string): string {
  const name = text
    .trim()
    .replace(/^(https?:\/\/[^/]+\/profile\/|at:\/\/)/, '')
    .split('/', 1)[0]!
    .replace(/^@/, '')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '')
  if (/^did:(plc|web):[\w.:%-]+$/.test(name)) return name
  if (isHandle(name)) return name.toLowerCase()
  throw new SignInError('not-a-name')
}

/** Ends the session at the PDS, too: its tokens are worth nothing from then on. */
export async function signOut(session: Session): Promise<void> {
  await session.signOut().catch(async () => {
    // The PDS is away: forgotten here, and expired there in time.
    await (await oauthClient()).revoke(session.did).catch(() => {})
  })
}

/** Whether the PDS granted what was asked for; an old one knows only the wide scopes. */
export async function isEnough(session: Session): Promise<boolean> {
  const { scope } = await session.getTokenInfo(false)
  return scope.includes('transition:generic') || /(^| )rpc[:?]/.test(scope)
}
