// Checks the source of images: Bluesky's CDN, our own server, or another URL.

import type { Config } from '../../base/config/config.ts'
import { type DoctorContext, isLocalOnly, runningServer } from './context.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'
import { jsonOf } from './network/ask.ts'
import { whyNot } from './network/why-not.ts'

/** A DID of no account; each kind of image server answers it differently. */
const NOBODY = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const NOTHING = `bafkrei${'a'.repeat(52)}`

export async function checkPictures(doctor: DoctorContext): Promise<Finding[]> {
  const { config } = doctor
  const isOwn = config.imageUrlPattern.startsWith(`${config.publicOrigin}/img/`)
  return isOwn ? aboutOwn(doctor) : aboutCdn(doctor)
}

function addressOf({ imageUrlPattern }: Pick<Config, 'imageUrlPattern'>): string {
  return imageUrlPattern
    .replace('{preset}', 'avatar')
    .replace('{did}', NOBODY)
    .replace('{cid}', NOTHING)
}

async function aboutOwn(doctor: DoctorContext): Promise<Finding[]> {
  const { config, ask } = doctor
  if (!runningServer(doctor)) return [unchecked('its own: start the server to check them')]
  if (config.images !== 'own') {
    const fix = 'Set SLIPSTREAM_IMAGES=own, or leave out SLIPSTREAM_IMAGE_URL_PATTERN.'
    return [wrong('SLIPSTREAM_IMAGE_URL_PATTERN points here, but no pictures are served', fix)]
  }
  try {
    const reply = await ask(addressOf(config))
    if (typeof jsonOf(reply)['error'] === 'string')
      return [good(`its own: ${config.publicOrigin}/img/ answers`)]
    const fix = isLocalOnly(config)
      ? 'Restart the server with SLIPSTREAM_IMAGES=own.'
      : 'Make the proxy send /img/ and /video/ to Slipstream too.'
    return [
      wrong(
        `images should come from ${config.publicOrigin}/img/, but another server answers there (${reply.status})`,
        fix,
      ),
    ]
  } catch (error) {
    return [unchecked(`${config.publicOrigin}/img/: ${whyNot(error).text}`)]
  }
}

async function aboutCdn({ config, ask, isOnline }: DoctorContext): Promise<Finding[]> {
  const url = addressOf(config)
  const { origin } = new URL(url)
  try {
    const { status } = await ask(url)
    if (status < 500) return [good(`from ${origin}, which answers`)]
    return [
      notice(
        `from ${origin}, which answers ${status}`,
        'Set SLIPSTREAM_IMAGES=own to serve them yourself.',
      ),
    ]
  } catch (error) {
    if (!(await isOnline())) return [unchecked(`offline: ${origin} was not reached`)]
    return [
      notice(
        `${origin} can’t be reached from here: ${whyNot(error).text}`,
        'Clients fetch pictures themselves; if they fail too, set SLIPSTREAM_IMAGES=own.',
      ),
    ]
  }
}
