// People on the operator's page, in a browser: their faces, their handles inside what is drawn around them, and tables
// that can be read on a phone.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { introduce } from '../../../scripts/simulated-people.ts'
import { drawPictures } from '../../../scripts/simulated-pictures.ts'
import { type Simulation, startSimulation } from '../../../scripts/simulation.ts'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { until } from '../../support/eventually.ts'
import { lowContrasts, overflow, unnamed } from '../../support/page-audit.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'
import { withoutPrefix } from '../../support/without-prefix.ts'

const TOKEN = 'the-operators-own-token'
const PATIENT = { timeout: MAX_WAIT_MS }
const LONG = `mwmwmwmwmwmwmwmwmwmwmwmwmw.${'m'.repeat(40)}.example`

/** Labels of the graph that are wider than what is drawn around them. */
const OVER_THE_EDGE = `[...document.querySelectorAll('.proof g')]
  .filter((group) => {
    const box = group.querySelector('rect').getBoundingClientRect()
    return [...group.querySelectorAll('text, image')].some((one) => {
      const { left, right } = one.getBoundingClientRect()
      return left < box.left || right > box.right
    })
  })
  .map((group) => group.textContent)`

/** Times, figures and buttons of a table that do not fit on one line. */
const WRAPPED = `[...document.querySelectorAll('table :is(td, td button)')]
  .filter((one) => one.matches('button') || /^([0-9]|never)/.test(one.textContent))
  .filter((one) => {
    const range = document.createRange()
    range.selectNodeContents(one)
    return range.getBoundingClientRect().height > 2 * parseFloat(getComputedStyle(one).fontSize)
  })
  .map((one) => one.textContent)`

const ARRIVED = `(selector) => [...document.querySelectorAll(selector)].filter((one) => one.naturalWidth > 0).length`

describe.skipIf(!chromiumPath())('in a browser', () => {
  let simulation: Simulation
  let slipstream: SlipstreamProcess
  let origin: string
  let member: Simulation['network']['repositories'][number]
  let browser: Browser

  beforeAll(async () => {
    const { faces, blobs } = await drawPictures()
    simulation = await startSimulation(
      { seed: 5, accounts: 60, follows: 40, past: 300, pastHours: 4, rate: 5 },
      { blobs },
    )
    introduce(simulation.network, faces)
    member = simulation.network.repositories.at(-1)!
    for (const repository of simulation.network.repositories.slice(0, 20))
      repository.rename(
        LONG.replace('mw', `m${simulation.network.repositories.indexOf(repository)}`),
      )
    slipstream = startSlipstream({
      ...withoutPrefix(simulation.env),
      DATA_DIR: freshDataDir(),
      OPERATOR_TOKEN: TOKEN,
      IMAGES: 'own',
      MEMBERS: `invite,${member.did}`,
    })
    origin = `http://localhost:${await slipstream.port()}`
    browser = await launchBrowser()
    await until(
      async () => {
        const account = await requested(`/explore/api/account?actor=${member.did}`)
        return (account as { isColdStarted?: boolean }).isColdStarted === true
      },
      { withinMs: PATIENT.timeout },
    )
  })
  afterAll(async () => {
    await browser?.close()
    await slipstream?.stop('SIGKILL')
    await simulation?.stop()
  })

  async function requested(path: string, body?: object): Promise<unknown> {
    const method = body ? 'POST' : 'GET'
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await fetch(origin + path, init)).json()
  }

  async function openTab(tab: string, width: number): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 } })
    page.setDefaultTimeout(PATIENT.timeout)
    await page.goto(`${origin}/explore`)
    await page.fill('#token', TOKEN)
    await page.press('#token', 'Enter')
    await page.waitForSelector('#explore:not([hidden])')
    await page.click(`#${tab}-tab`)
    return page
  }

  test.each([1280, 390])(
    'social proof: no handle runs over its edge at %i pixels',
    async (width) => {
      const page = await openTab('proof', width)
      await page.fill('#proof-viewer', member.did)
      await page.fill('#proof-subject', simulation.network.repositories[0]!.did)
      await page.press('#proof-subject', 'Enter')
      await page.waitForSelector('.proof g')
      expect(await page.locator('.proof image').count()).toBeGreaterThan(5)
      expect(await page.textContent('.proof')).toContain('mwmw')
      expect(await page.evaluate(OVER_THE_EDGE)).toEqual([])
      expect(await page.evaluate(overflow)).toBe(0)
      await page.close()
    },
  )

  test('a timeline shows the faces of its authors', async () => {
    const page = await openTab('timeline', 1280)
    await page.fill('#timeline-actor', member.did)
    await page.press('#timeline-actor', 'Enter')
    await page.waitForSelector('#timeline .person')
    await expect
      .poll(() => page.evaluate(`(${ARRIVED})('.monogram img')`), PATIENT)
      .toBeGreaterThan(3)
    await page.close()
  })

  test.each([1280, 640, 390, 320])('tables can be read at %i pixels', async (width) => {
    await requested('/operator/invites', {
      maxUses: 3,
      note: 'for the people from the choir '.repeat(6),
    })
    await requested('/operator/members', { actor: simulation.network.repositories[0]!.did })
    const page = await openTab('members', width)
    await page.waitForSelector('#invite-list td')
    await page.waitForSelector('#member-list td')
    expect(await page.evaluate(WRAPPED)).toEqual([])
    expect(await page.evaluate(overflow)).toBe(0)
    expect(await page.evaluate(lowContrasts)).toEqual([])
    expect(await page.evaluate(unnamed)).toEqual([])
    await page.close()
  })
})
