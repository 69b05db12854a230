// Checks the public AppView that is asked for what is not here.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { DoctorContext } from '../../tools/doctor/context.ts'
import { type Finding, good, notice, unchecked, wrong } from '../../tools/doctor/finding.ts'
import { jsonOf } from '../../tools/doctor/network/ask.ts'
import { whyNot } from '../../tools/doctor/network/why-not.ts'
import { fallbackSettings } from './settings.ts'

const SLOW_MS = 1_500
const METHOD = '/xrpc/app.bsky.actor.getProfile?actor=bsky.app'
const FIX = 'Set SLIPSTREAM_FALLBACK_APPVIEW=https://public.api.bsky.app (its default), or none.'

export async function checkAppview({ config, ask, isOnline }: DoctorContext): Promise<Finding[]> {
  const { fallbackAppview: origin } = settingsOf(config, fallbackSettings)
  if (origin === 'none')
    return [good('none, as set: strangers’ counts, feeds and threads show only local data')]
  if (origin === config.publicOrigin) return [wrong(`${origin} is this server itself`, FIX)]
  try {
    const reply = await ask(origin + METHOD)
    const { did, error } = jsonOf(reply)
    const isAnswer = typeof did === 'string' || typeof error === 'string'
    if (reply.status >= 500 || !isAnswer) {
      return [wrong(`${origin} is not an AppView: it answers ${reply.status}`, FIX)]
    }
    if (reply.status === 401 || reply.status === 403) {
      return [wrong(`${origin} serves only signed-in accounts (${reply.status})`, FIX)]
    }
    const text = `${origin} answers within ${reply.ms} ms`
    return [reply.ms < SLOW_MS ? good(text) : notice(`${text}: too late for most pages`, FIX)]
  } catch (problem) {
    if (!(await isOnline())) return [unchecked(`offline: ${origin} was not reached`)]
    return [wrong(`${origin} can’t be reached: ${whyNot(problem).text}`, FIX)]
  }
}
