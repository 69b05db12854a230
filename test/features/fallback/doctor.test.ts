// What the doctor says of the public AppView.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { examineConfig } from '../../../src/base/config/config.ts'
import { checkAppview } from '../../../src/features/fallback/doctor.ts'
import type { Finding } from '../../../src/tools/doctor/finding.ts'
import { createDoctorContext } from '../../../src/tools/doctor/network/connect.ts'
import { type AppviewDouble, startAppviewDouble } from '../../support/appview-double.ts'
import { didOf } from '../../support/records.ts'

const PROFILE = 'app.bsky.actor.getProfile'
/** An address on which no program listens. */
const NOWHERE = '127.0.0.1:9'

let double: AppviewDouble
beforeEach(async () => {
  double = await startAppviewDouble()
  double.answer(PROFILE, { did: didOf('someone'), handle: 'bsky.app' })
})
afterEach(() => double.close())

async function diagnose(env: Record<string, string> = {}): Promise<Finding[]> {
  const set = {
    SLIPSTREAM_FALLBACK_APPVIEW: double.origin,
    SLIPSTREAM_PLC_URL: `http://${NOWHERE}`,
    SLIPSTREAM_JETSTREAM_HOSTS: `ws://${NOWHERE}`,
    ...env,
  }
  const { config, problems } = examineConfig(set, '/nonexistent/.env')
  const doctor = createDoctorContext({
    config,
    problems,
    dotenvPath: '/nonexistent/.env',
    setKeys: new Set(Object.keys(set)),
    server: 'none',
  })
  const found = await checkAppview(doctor)
  await doctor.close()
  return found
}

test('one that answers is good, and so is none', async () => {
  const good = (text: RegExp) => [{ level: 'good', text: expect.stringMatching(text) }]
  expect(await diagnose()).toEqual(good(/answers within/))
  expect(await diagnose({ SLIPSTREAM_FALLBACK_APPVIEW: 'none' })).toEqual(good(/^none, as set/))
})

test('one that is no AppView, refuses visitors, is this server or is away is wrong', async () => {
  const wrong = async (text: RegExp, env?: Record<string, string>) =>
    expect(await diagnose(env)).toEqual([
      {
        level: 'wrong',
        text: expect.stringMatching(text),
        fix: expect.stringMatching(/FALLBACK_APPVIEW/),
      },
    ])
  double.misbehave({ text: 'hello' })
  await wrong(/is not an AppView/)
  double.misbehave({ status: 403 })
  await wrong(/only signed-in accounts/)
  await wrong(/this server itself/, {
    SLIPSTREAM_FALLBACK_APPVIEW: 'http://localhost:4321',
    SLIPSTREAM_PORT: '4321',
  })
  await wrong(/can’t be reached/, {
    SLIPSTREAM_FALLBACK_APPVIEW: `http://${NOWHERE}`,
    SLIPSTREAM_PLC_URL: double.origin,
  })
})

test('without a network it is unchecked', async () => {
  const found = await diagnose({ SLIPSTREAM_FALLBACK_APPVIEW: `http://${NOWHERE}` })
  expect(found).toMatchObject([{ level: 'unchecked', text: expect.stringMatching(/^offline/) }])
})
