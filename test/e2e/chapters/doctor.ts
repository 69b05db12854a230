// `slipstream doctor` next to a server in a real network: it interprets the answers of a real PDS, directory
// and Jetstream correctly.

import { expect, test } from 'vitest'
import type { Examination } from '../../../src/tools/doctor/examine.ts'
import { runCli } from '../../support/cli.ts'
import { people, type World } from '../support/world.ts'

const AREAS = 'server,port,database,memory,network,did.json,jetstream,plc,members'

export function doctorChapter(world: () => World): void {
  async function diagnose(settings: Record<string, string>, only: string): Promise<Examination> {
    const { stdout, stderr } = await runCli(settings, ['doctor', '--json', '--only', only])
    return JSON.parse(stdout || `"${stderr}"`) as Examination
  }

  test('the doctor finds no problems, and that the member’s PDS finds us', async () => {
    const [alice] = await people(world(), 'alice')
    const { settings, did } = world().slipstream
    const { areas } = await diagnose({ ...settings, MEMBERS: alice.did }, AREAS)
    const all = areas.flatMap(({ findings }) => findings)
    expect(all.filter(({ level }) => level === 'wrong')).toEqual([])
    const texts = all.filter(({ level }) => level === 'good').map(({ text }) => text)
    expect(texts).toContainEqual(expect.stringContaining(`finds ${did}#bsky_appview`))
    expect(texts).toContainEqual(expect.stringMatching(/serves the follow list/))
  })

  test('the doctor finds that a PDS does not find us under another name', async () => {
    const [alice] = await people(world(), 'alice')
    const { settings } = world().slipstream
    const { areas } = await diagnose(
      { ...settings, MEMBERS: alice.did, HOSTNAME: 'nobody-has-this-name.example.org' },
      'members',
    )
    const members = areas.find(({ area }) => area === 'members')!.findings
    expect(members).toContainEqual(
      expect.objectContaining({
        level: 'wrong',
        text: expect.stringMatching(/can’t find did:web/),
      }),
    )
  })
}
