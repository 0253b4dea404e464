import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REPOSITORY } from '../../support/compiled.js'
import { describeNeeding, isMet } from '../../support/requirements.js'
import type { Attack } from './attack.js'
import { ATTACKS } from './attacks.js'
import { HostileHome, type Outcome } from './hostile-home.js'
import { matrixPage } from './matrix.js'

/*
 * A hostile program inside a session tries every attack, without a sandbox and in one. Without it
 * must not decide, grant or change who decides; in a sandbox it reaches nothing.
 * docs/security-matrix.md is made of the same list: SIGNALBOX_MATRIX=1 writes it.
 */

const exists = (program: string | undefined) => program === undefined || spawnSync('which', [program]).status === 0
const isPossible = ({ needs }: Attack) => exists(needs)
const homes = { without: new HostileHome(), within: new HostileHome() }
const outcomes = { without: new Map<string, Outcome>(), within: new Map<string, Outcome>() }

beforeAll(async () => {
  const attack = async (where: keyof typeof homes, options: readonly string[]) => {
    await homes[where].prepare(options)
    outcomes[where] = await homes[where].attackAll(isPossible)
  }
  await Promise.all([
    isMet('linux') && attack('without', []),
    isMet('bubblewrap') && attack('within', ['--sandbox', 'auto', '--network', 'off']),
  ])
}, 600_000)
afterAll(() => Promise.all([homes.without.close(), homes.within.close()]))

describeNeeding('linux', 'a hostile program in a session without a sandbox', () => {
  test.each(ATTACKS.filter(({ without, needs }) => without === undefined && exists(needs)))(
    '$id: does not $title',
    ({ id }) => {
      expect(outcomes.without.get(id)).toMatchObject({ succeeded: false })
    },
  )

  test('no attack fails because of a mistake in its own script', () => {
    const broken = [...outcomes.without].filter(([, { evidence }]) =>
      /\.end.*No such file|Traceback|not found|ERR_MODULE|syntax error/i.test(evidence),
    )
    expect(broken).toEqual([])
  })

  test('every decision that it posts reaches the daemon and is refused', () => {
    const posts = ATTACKS.filter(({ id }) => /^(decide|limit)-|^socket-(decide|claims|hook-token)$|^pidns$/.test(id))
    const others = posts.flatMap(({ id }) => {
      const evidence = outcomes.without.get(id)?.evidence
      // Only root of the machine may raise the limit again.
      return evidence === undefined || /E_ROLE|E_STEP_UP|"unproven"|"inside"|failed to set/.test(evidence)
        ? []
        : [{ id, evidence }]
    })
    expect(others).toEqual([])
  })

  test('its attempts are in the ledger with its session', async () => {
    expect(await homes.without.refusals()).toContainEqual(expect.stringMatching(/^E_ROLE inside ses_/))
  })
})

describeNeeding('bubblewrap', 'a hostile program in a sandbox', () => {
  test.each(ATTACKS.filter(isPossible))('$id: does not $title', ({ id }) => {
    expect(outcomes.within.get(id)).toMatchObject({ succeeded: false })
  })

  test.each(['browser', 'mcp'])('the script of %s would succeed if a person ran it', async id => {
    const attack = ATTACKS.find(found => found.id === id)!
    expect(await homes.within.succeedsForPerson(attack)).toBe(true)
  })

  test('the page of attacks is up to date', () => {
    const file = join(REPOSITORY, 'docs', 'security-matrix.md')
    const page = matrixPage(ATTACKS, outcomes)
    if (process.env.SIGNALBOX_MATRIX) writeFileSync(file, page)
    // A machine that lacks a program tries fewer attacks; the page is made where all are tried.
    if (ATTACKS.every(isPossible)) expect(readFileSync(file, 'utf8')).toBe(page)
  })
})
