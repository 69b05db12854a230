// Checks the path from some members to us: their name, their document, their PDS, and whether that PDS would
// forward their calls. Takes the members named in the settings, or else some of the running server's.

import { namedMembers } from '../../base/config/members.ts'
import type { MemberLine } from '../../http/operator/members.ts'
import type { Identity } from '../../sources/identity/did-document.ts'
import { createPdsClient } from '../../sources/pds/pds-client.ts'
import { type DoctorContext, isLocalOnly, runningServer } from './context.ts'
import { here } from './cures.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'
import { jsonOf } from './network/ask.ts'
import { whyNot } from './network/why-not.ts'

const MAX_CHECKED = 10
const PDS_TIMEOUT_MS = 6_000
const FOLLOWS = 'app.bsky.graph.follow'
/** A method that a PDS forwards, so that it looks us up before it asks for a token. */
const PASSED_ON = 'app.bsky.unspecced.getConfig'
const NOBODY = 'did:web:nobody.invalid#bsky_appview'
const PASSING_FIX =
  'Look at the findings on name, certificate and did.json. A PDS caches a document for an hour, at most a day.'

export async function checkMembers(doctor: DoctorContext): Promise<Finding[]> {
  const { members } = doctor.config
  const named = namedMembers(members)
  const all = named.length > 0 ? named : await joined(doctor)
  if (all.length === 0)
    return [
      unchecked(
        'there is none yet',
        `Add one: \`${here.command('member add alice.example.org')}\`.`,
      ),
    ]
  const found = await Promise.all(
    all.slice(0, MAX_CHECKED).map((value) => aboutMember(doctor, value)),
  )
  const rest = all.length - MAX_CHECKED
  return [...found.flat(), ...(rest > 0 ? [unchecked(`${rest} more were not checked`)] : [])]
}

/** Most recently seen first. */
async function joined(doctor: DoctorContext): Promise<string[]> {
  const server = runningServer(doctor)
  if (!server) return []
  const { members } = await server.ask<{ members: MemberLine[] }>('GET', '/members')
  const seen = ({ lastSeenAt }: MemberLine) => lastSeenAt ?? ''
  return members
    .sort((a, b) => seen(b).localeCompare(seen(a)))
    .slice(0, 3)
    .map(({ did }) => did)
}

async function aboutMember(doctor: DoctorContext, name: string): Promise<Finding[]> {
  const { resolver, isOnline } = doctor
  try {
    const did = name.startsWith('did:') ? name : await resolver.resolveHandle(name)
    if (!did && !(await isOnline())) return [unchecked(`offline: ${name} was not looked up`)]
    if (!did) {
      const fix = 'Check its spelling in SLIPSTREAM_MEMBERS, or use the DID.'
      return [wrong(`${name}: no account has this handle`, fix)]
    }
    const identity = await resolver.resolve(did)
    if (!identity)
      return [wrong(`${name}: there is no account ${did}`, 'Check SLIPSTREAM_MEMBERS.')]
    return aboutIdentity(doctor, name, identity)
  } catch (error) {
    return [unchecked(`${name}: it can’t be looked up now (${(error as Error).message})`)]
  }
}

async function aboutIdentity(
  doctor: DoctorContext,
  name: string,
  identity: Identity,
): Promise<Finding[]> {
  const { did, handle, pds, signingKey } = identity
  const label = name === did ? `${handle ?? did}` : name
  if (!signingKey)
    return [
      wrong(
        `${label}: its document has no signing key, so its tokens can’t be verified`,
        'Its PDS must fix the document.',
      ),
    ]
  if (!pds) return [wrong(`${label}: its document names no PDS`, 'Its PDS must fix the document.')]
  const [reading, passing, isVerified] = await Promise.all([
    aboutReading(doctor, { name: label, did, pds }),
    aboutPassing(doctor, { name: label, pds }),
    handle ? doctor.resolver.verifyHandle(did, handle) : false,
  ])
  const about = [reading, ...passing]
  if (isVerified === false) {
    about.push(
      notice(
        `${label}: ${handle ?? 'its handle'} does not point back to ${did}: shown as handle.invalid`,
        'Its owner must fix the DNS record _atproto or /.well-known/atproto-did.',
      ),
    )
  }
  return about
}

type Account = { name: string; did: string; pds: string }

async function aboutReading(
  { fetch }: DoctorContext,
  { name, did, pds }: Account,
): Promise<Finding> {
  try {
    const client = createPdsClient({ fetch, timeoutMs: PDS_TIMEOUT_MS })
    await client.listRecords({ did, pds }, { collection: FOLLOWS, limit: 1 })
    return good(`${name}: ${pds} serves the follow list`)
  } catch (error) {
    const fix = `Check that it answers: \`curl -i ${pds}/xrpc/_health\`. Until it does, nothing is fetched for this member.`
    return wrong(
      `${name}: its PDS does not serve the follow list (${(error as Error).message})`,
      fix,
    )
  }
}

/**
 * Without a token it refuses in the end; its error shows how far it got. A control request names a
 * nonexistent service: a PDS that asks for a token before it looks tells nothing.
 */
async function aboutPassing(
  doctor: DoctorContext,
  { name, pds }: Omit<Account, 'did'>,
): Promise<Finding[]> {
  const { config, ask } = doctor
  const us = `${config.serviceDid}#bsky_appview`
  const asking = (service: string) =>
    ask(`${pds}/xrpc/${PASSED_ON}`, { headers: { 'atproto-proxy': service } })
  try {
    const [reply, control] = await Promise.all([asking(us), asking(NOBODY)])
    const { error = '', message = '' } = jsonOf(reply)
    const reported = `${reply.status} ${error} ${message}`.trim()
    if (reply.status === control.status && reply.status === 401) {
      return [unchecked(`${name}: ${pds} does not say whether it finds ${us}`)]
    }
    if (reply.status === 401) return [good(`${name}: ${pds} finds ${us}`)]
    if (!/proxy did|resolve|service url/i.test(reported) && reply.status < 500) {
      return [unchecked(`${name}: can’t tell whether ${pds} forwards calls here (${reported})`)]
    }
    const text = `${name}: ${pds} can’t find ${us} (${reported})`
    if (isLocalOnly(config)) return [notice(`${text}: only this machine knows the name`)]
    return [wrong(text, PASSING_FIX)]
  } catch (error) {
    return [unchecked(`${name}: ${pds}: ${whyNot(error).text}`)]
  }
}
