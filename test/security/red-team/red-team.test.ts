import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REPOSITORY } from '../../support/compiled.js'
import { describeNeeding } from '../../support/requirements.js'
import { ATTACKS } from './attacks.js'
import { HostileHome, type Outcome } from './hostile-home.js'
import { matrixPage } from './matrix.js'

/*
 * A hostile program inside a session tries every attack, without a sandbox and in one. Without it
 * must not decide, grant or change who decides; in a sandbox it reaches nothing.
 * docs/security-matrix.md is made of the same list: SIGNALBOX_MATRIX=1 writes it.
 */

const exists = (program: string | undefined) => program === undefined || spawnSync('which', [program]).status === 0
const outcomes = { without: new Map<string, Outcome>(), within: new Map<string, Outcome>() }

async function attackAll(home: HostileHome, found: Map<string, Outcome>): Promise<void> {
  for (const attack of ATTACKS) if (exists(attack.needs)) found.set(attack.id, await home.attempt(attack))
}

describeNeeding('linux', 'a hostile program in a session without a sandbox', () => {
  const home = new HostileHome()
  beforeAll(async () => {
    await home.prepare()
    await attackAll(home, outcomes.without)
  }, 600_000)
  afterAll(() => home.close())

  test.each(ATTACKS.filter(({ without, needs }) => without === undefined && exists(needs)))(
    '$id: does not $title',
    ({ id }) => {
      expect(outcomes.without.get(id)).toMatchObject({ succeeded: false })
    },
  )

  test('what it tried is in the ledger, with the session that tried it', async () => {
    expect(await home.refusals()).toContainEqual(expect.stringMatching(/^E_ROLE inside ses_/))
  })
})

describeNeeding('bubblewrap', 'a hostile program in a sandbox', () => {
  const home = new HostileHome()
  beforeAll(async () => {
    await home.prepare(['--sandbox', 'auto', '--network', 'off'])
    await attackAll(home, outcomes.within)
  }, 600_000)
  afterAll(() => home.close())

  test.each(ATTACKS.filter(({ needs }) => exists(needs)))('$id: does not $title', ({ id }) => {
    expect(outcomes.within.get(id)).toMatchObject({ succeeded: false })
  })

  test('the page of attacks is up to date', () => {
    const file = join(REPOSITORY, 'docs', 'security-matrix.md')
    const page = matrixPage(ATTACKS, outcomes)
    if (process.env.SIGNALBOX_MATRIX) writeFileSync(file, page)
    // A machine that lacks a program tries fewer attacks; the page is made where all are tried.
    if (ATTACKS.every(({ needs }) => exists(needs))) expect(readFileSync(file, 'utf8')).toBe(page)
  })
})
