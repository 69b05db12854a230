// The page about leaving removes all that the install script puts on a machine.

import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BareMachine, makeBareMachine, project, write } from '../support/bare-machine.ts'
import { fencesOf } from '../support/documentation.ts'

let machine: BareMachine
beforeAll(() => {
  machine = makeBareMachine({ accounts: 'pretended' })
  write(machine.at('etc/caddy/Caddyfile'), 'mine.example.org {\n}\n')
  expect(machine.install('--hostname', 'appview.example.org').status).toBe(0)
  write(machine.at('var/lib/slipstream/slipstream.sqlite'), 'rows')
})
afterAll(() => rmSync(machine.base, { recursive: true, force: true }))

/** The page's commands, for a machine below another root. */
function commands(): string {
  const page = {
    path: 'docs/LEAVING.md',
    text: readFileSync(join(project, 'docs/LEAVING.md'), 'utf8'),
  }
  const [block] = fencesOf(page)
  return block!.text.replaceAll('sudo ', '').replaceAll(/(?<= )\/(?=\w+\/)/g, machine.at('/'))
}

test('nothing of it is left, and Caddy’s other sites are', () => {
  machine.standIn('userdel', `#!/bin/sh\necho "userdel $*" >>'${machine.base}/diary'\n`)
  const ours = () => machine.files().filter((name) => name.includes('slipstream'))
  expect(ours().length).toBeGreaterThan(10)
  machine.forget()
  const { status, stderr } = spawnSync('bash', ['-e'], {
    input: commands().replace(/'\S+import/, "'/^import"),
    encoding: 'utf8',
    env: machine.environment,
  })
  expect([status, stderr]).toEqual([0, ''])
  expect(ours()).toEqual([])
  expect(machine.text('etc/caddy/Caddyfile').trim()).toBe('mine.example.org {\n}')
  expect(machine.diary()).toMatch(/userdel slipstream\nuserdel slipstream-packages\n/)
  expect(machine.diary()).toMatch(/systemctl disable --now slipstream\n/)
})
